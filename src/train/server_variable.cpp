#include "train/server_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "device/error.h"
#include "kernel/types.h"
#include "program/placement.h"

namespace wt::train {

namespace {

// By variable, what has been read in the scope of this thread; none outside of scopes.
using Reads = std::map<const void*, Tensor>;
thread_local std::optional<Reads> cached_reads;

// The numbers of one row.
std::span<std::byte> bytes_of_row(const Tensor& tensor, std::int64_t row) {
  return tensor.rows(row, row + 1).bytes();
}

// to = to + sign * from
void add_to(const Tensor& to, const Tensor& from, int sign) {
  with_number(to.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<T> target = to.values<T>(), source = from.values<T>();
    for (std::size_t i = 0; i < target.size(); ++i)
      target[i] = sign > 0 ? static_cast<T>(target[i] + source[i]) : static_cast<T>(target[i] - source[i]);
  });
}

// The rows with these numbers of a tensor.
Tensor gathered(const Tensor& from, const std::vector<std::int64_t>& ids) {
  TensorSpec spec = from.spec();
  spec.shape[0] = std::ssize(ids);
  Tensor rows = Tensor::zeros(spec);
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::ranges::copy(bytes_of_row(from, ids[i]), bytes_of_row(rows, static_cast<std::int64_t>(i)).begin());
  return rows;
}

}  // namespace

// ---- Reads

CachedVariableReads::CachedVariableReads() {
  if (cached_reads) throw device::ValueError("cache_variable_reads scope cannot be nested");
  cached_reads.emplace();
}

CachedVariableReads::~CachedVariableReads() { cached_reads.reset(); }

ServerVariable::Place ServerVariable::place(std::int64_t row) const {
  std::size_t part = 0;
  for (; row >= parts()[part].value.shape()[0]; ++part) row -= parts()[part].value.shape()[0];
  return {part, row};
}

Tensor ServerVariable::newest() const {
  if (!is_sharded()) return parts().front().value.copy();
  Tensor all = Tensor::zeros(spec_);
  auto position = all.bytes().begin();
  for (const Part& part : parts()) position = std::ranges::copy(part.value.bytes(), position).out;
  return all;
}

Tensor ServerVariable::value() const {
  if (!cached_reads) return newest();
  const auto [found, is_first] = cached_reads->try_emplace(parts_.get());
  if (is_first) found->second = newest();
  return found->second.copy();
}

Tensor ServerVariable::slice(std::int64_t begin, std::optional<std::int64_t> end, std::int64_t step) const {
  WT_EXPECT(step > 0, "a slice of {} has the step {}", name_, step);
  const std::int64_t rows = spec_.shape[0];
  const auto counted = [&](std::int64_t row) {
    return std::clamp<std::int64_t>(row < 0 ? row + rows : row, 0, rows);
  };
  std::vector<std::int64_t> ids;
  for (std::int64_t row = counted(begin); row < counted(end.value_or(rows)); row += step) ids.push_back(row);
  return gathered(value(), ids);
}

Tensor ServerVariable::column(std::int64_t index) const {
  WT_EXPECT(spec_.shape.rank() == 2, "{} has rank {}, and only a matrix has columns", name_,
            spec_.shape.rank());
  const std::int64_t rows = spec_.shape[0], columns = spec_.shape[1];
  if (index < -columns || index >= columns)
    throw InvalidArgumentError(fmt::format("slice index {} of dimension 1 out of bounds.", index));
  const Tensor all = value().reshaped({rows * columns, 1});
  std::vector<std::int64_t> elements;
  for (std::int64_t row = 0; row < rows; ++row)
    elements.push_back(row * columns + (index < 0 ? index + columns : index));
  return gathered(all, elements).reshaped({rows});
}

// ---- Look-ups

Tensor ServerVariable::look_up(const std::vector<std::int64_t>& ids) const {
  TensorSpec spec = spec_;
  spec.shape[0] = std::ssize(ids);
  Tensor rows = Tensor::zeros(spec);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= spec_.shape[0])
      throw InvalidArgumentError(
          fmt::format("indices[{}] = {} is not in [0, {})", i, ids[i], spec_.shape[0]));
    const Place from = place(ids[i]);
    std::ranges::copy(bytes_of_row(parts()[from.part].value, from.row),
                      bytes_of_row(rows, static_cast<std::int64_t>(i)).begin());
  }
  return rows;
}

Tensor ServerVariable::look_up_sparse(const std::vector<std::vector<std::int64_t>>& ids, Combiner combiner,
                                      const std::vector<std::vector<float>>& weights) const {
  Tensor combined = Tensor::zeros({spec_.type, {std::ssize(ids), spec_.shape[1]}});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::span<float> sum = combined.rows(at, at + 1).values<float>();
    const Tensor rows = look_up(ids[i]);
    float total = 0, squares = 0;
    for (std::size_t k = 0; k < ids[i].size(); ++k) {
      const float weight = weights.empty() ? 1.0F : weights[i].at(k);
      const auto from = static_cast<std::int64_t>(k);
      const std::span<float> row = rows.rows(from, from + 1).values<float>();
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += weight * row[j];
      total += weight;
      squares += weight * weight;
    }
    if (ids[i].empty() || combiner == Combiner::sum) continue;
    const float divisor = combiner == Combiner::mean ? total : std::sqrt(squares);
    for (float& number : sum) number /= divisor;
  }
  return combined;
}

// ---- Assignments

void ServerVariable::check(const Tensor& value) const {
  if (value.spec() == spec_) return;
  throw InputError(fmt::format("Cannot assign value to variable '{}': it is {}, and the value is {}", name_,
                               print(spec_), print(value.spec())),
                   "a variable keeps its type and shape");
}

// As in TensorFlow, the shards take their rows one after the other, so that those before the end of a value
// with too few rows have been assigned when it is refused.
void ServerVariable::assign(const Tensor& value) {
  TensorSpec with_all_rows = value.spec();
  const bool may_be_short = is_sharded() && value.shape().rank() == spec_.shape.rank();
  if (may_be_short && value.shape()[0] < spec_.shape[0]) with_all_rows.shape[0] = spec_.shape[0];
  if (with_all_rows != spec_) check(value);
  if (!is_sharded()) {
    parts_->front().value = value.copy();
    return;
  }
  std::int64_t row = 0;
  for (Part& part : *parts_) {
    const std::int64_t wanted = part.value.shape()[0], left = value.shape()[0] - row;
    if (wanted > left)
      throw InvalidArgumentError(fmt::format("Expected size[0] in [0, {}], but got {}", left, wanted));
    part.value = value.rows(row, row + wanted).copy();
    row += wanted;
  }
}

void ServerVariable::add(const Tensor& value, int sign) {
  check(value);
  const Tensor sum = newest();
  add_to(sum, value, sign);
  assign(sum);
}

void ServerVariable::assign_add(const Tensor& value) { add(value, 1); }
void ServerVariable::assign_sub(const Tensor& value) { add(value, -1); }

void ServerVariable::scatter_add(const std::vector<std::int64_t>& ids, const Tensor& rows) {
  look_up(ids);  // refuses rows that are not there before anything changes
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Place to = place(ids[i]);
    const auto at = static_cast<std::int64_t>(i);
    add_to(parts()[to.part].value.rows(to.row, to.row + 1), rows.rows(at, at + 1), 1);
  }
}

}  // namespace wt::train
