#include "study/recordings/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rough.h"

namespace wt::recordings {

namespace {

bool are_near(double ours, double theirs, double allowed) {
  if (std::isnan(theirs)) return std::isnan(ours);
  if (std::isinf(theirs)) return ours == theirs;
  return std::abs(ours - theirs) <= allowed;
}

std::vector<double> numbers_in(const Tensor& tensor) {
  std::vector<double> numbers;
  const auto add = [&]<class T>(T) {
    for (const T element : tensor.values<T>()) {
      if constexpr (requires { widened(element); })
        numbers.push_back(static_cast<double>(widened(element)));
      else
        numbers.push_back(static_cast<double>(element));
    }
  };
  switch (tensor.type()) {
    case Type::float32:
      add(float{});
      break;
    case Type::float64:
      add(double{});
      break;
    case Type::int32:
      add(std::int32_t{});
      break;
    case Type::int64:
      add(std::int64_t{});
      break;
    case Type::uint8:
      add(std::uint8_t{});
      break;
    case Type::boolean:
      add(bool{});
      break;
    case Type::float16:
      add(Float16{});
      break;
    case Type::bfloat16:
      add(BFloat16{});
      break;
  }
  return numbers;
}

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers)
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  return largest;
}

}  // namespace

void Comparison::near(const std::string& what, double ours, double theirs, double limit) {
  ++compared_;
  if (!are_near(ours, theirs, limit * std::abs(theirs)))
    fail(fmt::format("{} is {:.7g}, recorded {:.7g}", what, ours, theirs));
}

void Comparison::near(const std::string& what, const Tensor& ours, const Tensor& theirs, double limit) {
  near(what, ours, theirs, Limit{.of_largest = limit});
}

void Comparison::near(const std::string& what, const Tensor& ours, const Tensor& theirs, const Limit& limit) {
  ++compared_;
  if (ours.shape() != theirs.shape())
    return fail(
        fmt::format("{} has the shape {}, recorded {}", what, print(ours.shape()), print(theirs.shape())));
  const std::vector<double> a = numbers_in(ours), b = numbers_in(theirs);
  const bool is_exact = !is_floating(theirs.type());
  const double of_all = limit.of_largest * largest_of(b) + limit.absolute;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!are_near(a[i], b[i], is_exact ? 0 : of_all + limit.relative * std::abs(b[i])))
      return fail(fmt::format("{}: element {} is {:.7g}, recorded {:.7g}", what, i, a[i], b[i]));
}

void Comparison::same(const std::string& what, std::string_view ours, std::string_view theirs) {
  ++compared_;
  if (ours != theirs) fail(fmt::format("{} is \"{}\", recorded \"{}\"", what, ours, theirs));
}

void Comparison::starts_to_compute() { computes_ = true; }

void Comparison::fail(std::string difference) {
  if (differences_++ == 0) difference_ = std::move(difference);
}

Judgement Comparison::judgement() const {
  if (differences_ > 0)
    return {Verdict::failed, differences_ == 1 ? difference_
                                               : fmt::format("{}, and {} more", difference_,
                                                             counted(differences_ - 1, "difference"))};
  if (compared_ == 0) return {Verdict::empty, "nothing that was recorded is compared"};
  return {Verdict::passed, {}};
}

double number_of(const json::Value& value) {
  if (value.kind() == json::Kind::integer) return static_cast<double>(value.integer());
  if (value.kind() == json::Kind::real) return value.real();
  if (value.kind() == json::Kind::string) {
    if (value.string() == "nan") return std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    if (value.string() == "inf") return infinity;
    if (value.string() == "-inf") return -infinity;
  }
  throw InputError(Problem{value.place(), "this is not a number", "record it anew"});
}

}  // namespace wt::recordings
