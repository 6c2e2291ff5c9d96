#pragma once
// Compares what this program computes with what was recorded, value by value.

#include <string>

#include "study/recordings/recording.h"
#include "study/recordings/verdict.h"

namespace wt::recordings {

// The largest accepted deviations, relative to the largest element of a tensor.
inline constexpr double loss_limit = 1e-5;
inline constexpr double weight_limit = 1e-4;
inline constexpr double prediction_limit = 1e-5;

// How far a number may deviate: relative to the largest element of its tensor, relative to itself, and absolutely. The
// three are added.
struct Limit {
  double of_largest = 0;
  double relative = 0;
  double absolute = 0;
};

class Comparison {
 public:
  // Until this call a problem of the input is a refusal on purpose. After it, it is a failure: what is not offered has
  // to be refused before anything is computed.
  void starts_to_compute();
  bool computes() const { return computes_; }

  void near(const std::string& what, double ours, double theirs, double limit = loss_limit);
  // NaN and infinities have to be at the same elements. Integers and booleans have to be equal.
  void near(const std::string& what, const Tensor& ours, const Tensor& theirs, double limit);
  void near(const std::string& what, const Tensor& ours, const Tensor& theirs, const Limit& limit);
  void same(const std::string& what, std::string_view ours, std::string_view theirs);
  void fail(std::string difference);

  Judgement judgement() const;

 private:
  bool computes_ = false;
  std::int64_t compared_ = 0;
  std::string difference_{};  // the first one
  std::int64_t differences_ = 0;
};

// A number of a recording, in which NaN and infinities are strings.
double number_of(const json::Value& value);

}  // namespace wt::recordings
