#pragma once
// The rows of the metrics' table, one function for each file, and what these files share.

#include "model/arguments.h"
#include "model/constants.h"
#include "model/metric.h"
#include "model/operands.h"

namespace wt::model {

std::span<const MetricClass> accuracy_metrics();  // shares of predictions that are right
std::span<const MetricClass> error_metrics();     // means of errors, and correlations
std::span<const MetricClass> sum_metrics();       // of values that are passed to them
std::span<const MetricClass> loss_metrics();      // means of losses
std::span<const MetricClass> count_metrics();     // true and false positives and negatives, at thresholds
std::span<const MetricClass> area_metrics();      // the area below a curve of such counts
std::span<const MetricClass> score_metrics();     // F-beta and R2
std::span<const MetricClass> overlap_metrics();   // intersection over union

// ---- Operands

// Labels and predictions as numbers of one type whose ranks are equal: where one of them has a last axis of extent 1 too
// many, Keras 2 drops it, and Keras 3 adds one to a vector.
Pair same_rank(const MetricCall& call);
// The same; throws InputError unless both have one shape.
Pair same_shape(const MetricCall& call);

// Throws InputError with the class, both shapes, and the remedy.
[[noreturn]] void refuse(const MetricCall& call, std::string remedy);

void read_axis(MetricOptions& options, Arguments& arguments);

// ---- Means

Growths mean_of(const ValuesCall& call);
Growths mean_of(const MetricCall& call, Symbol values);
Tensor mean_result(const MetricRead& read);
inline constexpr std::array<std::string_view, 5> total_and_count{"total", "count"};

// ---- Results

float ratio_or_zero(float a, float b);
inline constexpr auto added_to_ratios =
    static_cast<float>(epsilon);  // where Switch::ratios_add_epsilon is on
Tensor scalar(float value);
std::span<const float> floats(const MetricRead& read, std::size_t state);

}  // namespace wt::model
