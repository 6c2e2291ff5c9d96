#include "train/parameter_servers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "device/error.h"
#include "kernel/types.h"
#include "strategy/parameter_servers.h"

namespace wt::train {

namespace {

std::string server_device(std::size_t server) {
  return fmt::format("/job:ps/replica:0/task:{}/device:CPU:0", server);
}

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

}  // namespace

// ---- Variables

ServerVariable::Place ServerVariable::place(std::int64_t row) const {
  std::size_t part = 0;
  for (; row >= parts_[part].value.shape()[0]; ++part) row -= parts_[part].value.shape()[0];
  return {part, row};
}

Tensor ServerVariable::value() const {
  if (!is_sharded()) return parts_.front().value.copy();
  return slice(0);
}

Tensor ServerVariable::look_up(const std::vector<std::int64_t>& ids) const {
  TensorSpec spec = spec_;
  spec.shape[0] = std::ssize(ids);
  Tensor rows = Tensor::zeros(spec);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= spec_.shape[0])
      throw device::OpError(fmt::format("indices[{}] = {} is not in [0, {})", i, ids[i], spec_.shape[0]));
    const Place from = place(ids[i]);
    std::ranges::copy(bytes_of_row(parts_[from.part].value, from.row),
                      bytes_of_row(rows, static_cast<std::int64_t>(i)).begin());
  }
  return rows;
}

Tensor ServerVariable::slice(std::int64_t begin, std::optional<std::int64_t> end, std::int64_t step) const {
  WT_EXPECT(step > 0, "a slice of {} has the step {}", name_, step);
  const std::int64_t rows = spec_.shape[0];
  const auto counted = [&](std::int64_t row) {
    return std::clamp<std::int64_t>(row < 0 ? row + rows : row, 0, rows);
  };
  std::vector<std::int64_t> ids;
  for (std::int64_t row = counted(begin); row < counted(end.value_or(rows)); row += step) ids.push_back(row);
  return look_up(ids);
}

// TensorFlow splits the value by the rows of the shards, and its last piece is then too small or too large.
void ServerVariable::check(const Tensor& value) const {
  if (value.spec() == spec_) return;
  TensorSpec other = value.spec();
  if (is_sharded() && other.shape.rank() == spec_.shape.rank() && other.shape[0] < spec_.shape[0]) {
    std::int64_t before = 0;
    for (const Part& part : parts_) {
      const std::int64_t wanted = part.value.shape()[0];
      if (before + wanted > other.shape[0])
        throw device::OpError(
            fmt::format("Expected size[0] in [0, {}], but got {}", other.shape[0] - before, wanted));
      before += wanted;
    }
  }
  throw InputError(fmt::format("Cannot assign value to variable '{}': it is {}, and the value is {}", name_,
                               print(spec_), print(value.spec())),
                   "a variable keeps its type and shape");
}

void ServerVariable::assign(const Tensor& value) {
  check(value);
  if (!is_sharded()) {
    parts_.front().value = value.copy();
    return;
  }
  std::int64_t row = 0;
  for (Part& part : parts_) {
    const std::int64_t end = row + part.value.shape()[0];
    part.value = value.rows(row, end).copy();
    row = end;
  }
}

void ServerVariable::assign_add(const Tensor& value) {
  check(value);
  const Tensor sum = this->value();
  add_to(sum, value, 1);
  assign(sum);
}

void ServerVariable::assign_sub(const Tensor& value) {
  check(value);
  const Tensor difference = this->value();
  add_to(difference, value, -1);
  assign(difference);
}

void ServerVariable::scatter_add(const std::vector<std::int64_t>& ids, const Tensor& rows) {
  look_up(ids);  // refuses rows that are not there before anything changes
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Place to = place(ids[i]);
    const auto at = static_cast<std::int64_t>(i);
    add_to(parts_[to.part].value.rows(to.row, to.row + 1), rows.rows(at, at + 1), 1);
  }
}

// ---- The strategy

ParameterServerStrategy::ParameterServerStrategy(ServerCounts counts, model::Partition variable_partitioner)
    : Strategy("ParameterServerStrategyV2", 1), counts_(counts), partition_(std::move(variable_partitioner)) {
  if (counts_.workers < 1) throw device::ValueError("There must be at least one worker.");
  if (counts_.servers < 1) throw device::ValueError("There must be at least one ps.");
}

ServerVariable ParameterServerStrategy::create(std::string name, const Tensor& initial_value) {
  if (makes_dataset_) throw device::ValueError("Creating variables in `dataset_fn` is not allowed.");
  const TensorSpec& spec = initial_value.spec();
  const std::int64_t shards = model::shards(partition_, spec);
  const auto next_device = [this] { return server_device(next_++ % static_cast<std::size_t>(servers())); };
  std::vector<ServerVariable::Part> parts;
  if (shards == 1) {
    parts.push_back({name + ":0", next_device(), initial_value.copy()});
    return {std::move(name), spec, std::move(parts)};
  }
  std::int64_t row = 0;
  for (const std::int64_t rows : model::rows_of_shards(spec.shape[0], shards)) {
    parts.push_back({strategy::shard_name(name, parts.size()) + ":0", next_device(),
                     initial_value.rows(row, row + rows).copy()});
    row += rows;
  }
  return {std::move(name), spec, std::move(parts)};
}

ServerVariable ParameterServerStrategy::create_slot(std::string name, const ServerVariable::Part& owner) {
  std::vector<ServerVariable::Part> parts{{name + ":0", owner.device, Tensor::zeros(owner.value.spec())}};
  return {std::move(name), owner.value.spec(), std::move(parts)};
}

Lowering ParameterServerStrategy::lowering() const {
  strategy::ParameterServers servers{.strategy = "ParameterServerStrategyV2", .partition = partition_};
  for (std::int64_t i = 0; i < counts_.servers; ++i)
    servers.devices.push_back(server_device(static_cast<std::size_t>(i)));
  return [servers](strategy::Steps steps) {
    const strategy::Place worker{.device = {.name = "/job:worker/replica:0/task:0/device:CPU:0"},
                                 .kind = device::Kind::cpu};
    return strategy::lower_with_parameter_servers(steps, {&worker, 1}, servers);
  };
}

}  // namespace wt::train
