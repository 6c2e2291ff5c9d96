#include "train/copies.h"

#include "base/error.h"
#include "base/random.h"

namespace wt::train {

namespace {

template <class T>
void add(const Tensor& sum, const Tensor& term) {
  const std::span<T> sums = sum.values<T>();
  const std::span<T> terms = term.values<T>();
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += terms[i];
}

// Integers are truncated, as by TensorFlow's cast of the quotient to the variable's type.
template <class T>
void divide(const Tensor& value, std::size_t by) {
  for (T& number : value.values<T>()) number /= static_cast<T>(by);
}

struct Arithmetic {
  void (*add)(const Tensor& sum, const Tensor& term) = nullptr;
  void (*divide)(const Tensor& value, std::size_t by) = nullptr;
};

Arithmetic arithmetic_of(const model::Weight& weight) {
  switch (weight.spec.type) {
    case Type::float32:
      return {add<float>, divide<float>};
    case Type::float64:
      return {add<double>, divide<double>};
    case Type::int32:
      return {add<std::int32_t>, divide<std::int32_t>};
    case Type::int64:
      return {add<std::int64_t>, divide<std::int64_t>};
    case Type::boolean:
    case Type::uint8:
    case Type::float16:
    case Type::bfloat16:
      break;
  }
  WT_EXPECT(false, "the copies of {} cannot be added: it is {}", weight.name, print(weight.spec));
  return {};
}

bool has_streams_apart(const model::Weight& weight) {
  const auto* stream = std::get_if<model::StreamStart>(&weight.initializer.rule);
  return stream != nullptr && !stream->is_same_on_all_replicas;
}

// The state {stream, step} of a random stream becomes that of another stream at the same step. The stream's
// number has 63 bits and is therefore not negative.
Tensor stream_of(const Tensor& first, std::size_t replica) {
  const auto numbers = first.values<std::int64_t>();
  const auto seed = static_cast<std::uint64_t>(numbers[0]);
  const PhiloxCounter words =
      philox({0, 0, static_cast<std::uint32_t>(replica), 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t mixed = (std::uint64_t{words[0]} << 32 | words[1]) >> 1;
  return Tensor::of<std::int64_t>(first.shape(), {static_cast<std::int64_t>(mixed), numbers[1]});
}

}  // namespace

// The copies are added in the order of the replicas. A mean divides the complete sum once.
Tensor read_copies(const model::Weight& weight, std::span<const Tensor> copies) {
  Tensor value = copies.front().copy();
  const Aggregation aggregation = weight.options.aggregation;
  const bool is_added = aggregation == Aggregation::sum || aggregation == Aggregation::mean;
  if (copies.size() == 1 || !is_added || weight.options.synchronization != Synchronization::on_read)
    return value;
  const Arithmetic arithmetic = arithmetic_of(weight);
  for (const Tensor& copy : copies.subspan(1)) arithmetic.add(value, copy);
  if (aggregation == Aggregation::mean) arithmetic.divide(value, copies.size());
  return value;
}

Tensor copy_of(const model::Weight& weight, const Tensor& value, std::size_t replica, std::size_t replicas) {
  if (replicas == 1) return value;
  if (has_streams_apart(weight)) return replica == 0 ? value : stream_of(value, replica);
  if (weight.options.synchronization != Synchronization::on_read ||
      weight.options.aggregation != Aggregation::sum)
    return value;
  const Tensor part = value.copy();
  arithmetic_of(weight).divide(part, replicas);
  return part;
}

}  // namespace wt::train
