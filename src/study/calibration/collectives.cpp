#include "study/calibration/collectives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "communication/calibrated.h"
#include "communication/timing.h"

namespace wt::study {

namespace {

using platform::CallFactors;
using Calls = std::vector<const MeasuredCall*>;

Seconds predicted(const MeasuredCall& measured, const CallFactors& factors) {
  communication::Call call = measured.call;
  communication::correct(call, factors);
  return communication::time_of(call, *measured.group, measured.type).time;
}

// The time of a call near some factors: latencies x factor + bytes / rate + start. It is linear only nearby, since
// messages of a pipeline overlap.
struct Line {
  double fixed = 0;    // seconds that neither factor changes
  double latency = 0;  // seconds that the factor on latencies multiplies
  double bytes = 0;    // seconds that the factor on rates divides
  double measured = 0;
};

constexpr double step = 1.02;  // to another factor, for the slope

Line line_near(const MeasuredCall& measured, const CallFactors& factors) {
  const Seconds here = predicted(measured, factors);
  CallFactors slower = factors;
  slower.rate /= step;
  const double bytes = (predicted(measured, slower) - here).count() / (step - 1);
  const double rest = here.count() - bytes;
  const bool has_latency = !measured.call.protocol.empty();
  return {.fixed = has_latency ? 0 : rest - factors.start.count(),
          .latency = has_latency ? rest / factors.latency : 0,
          .bytes = bytes * factors.rate,
          .measured = measured.time.count()};
}

// Factors that the calls leave open stay at 1, because departing from it costs something.
constexpr double price_of_departing = 0.1;
constexpr double largest_factor = 8;

double misfit(const std::vector<Line>& lines, const CallFactors& factors) {
  double sum = price_of_departing * (std::abs(std::log(factors.latency)) + std::abs(std::log(factors.rate)));
  for (const Line& line : lines) {
    const double time =
        line.fixed + line.latency * factors.latency + line.bytes / factors.rate + factors.start.count();
    sum += std::abs(std::log(std::max(time, 1e-9) / line.measured));
  }
  return sum;
}

// What calls without a known library wait for before their first message: the least that any took longer.
Seconds start_at(const std::vector<Line>& lines, double rate) {
  std::vector<double> missing;
  for (const Line& line : lines)
    missing.push_back(std::max(0.0, line.measured - line.fixed - line.bytes / rate));
  return Seconds(std::ranges::min(missing));
}

// Absolute deviations are not smooth, and there are two factors only, so all pairs of a grid are tried.
CallFactors best_on(const std::vector<Line>& lines, bool has_latency) {
  constexpr int cells = 240;
  const auto factor = [](int cell) { return std::pow(largest_factor, 2.0 * cell / cells - 1); };
  CallFactors best;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= cells; ++i) {
    CallFactors factors{.rate = factor(i)};
    if (!has_latency) factors.start = start_at(lines, factors.rate);
    for (int j = 0; j <= (has_latency ? cells : 0); ++j) {
      if (has_latency) factors.latency = factor(j);
      const double found = misfit(lines, factors);
      if (found < least) least = found, best = factors;
    }
  }
  return best;
}

CallFactors fitted(const Calls& calls) {
  CallFactors factors;
  const bool has_latency = !calls.front()->call.protocol.empty();
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<Line> lines;
    for (const MeasuredCall* call : calls) lines.push_back(line_near(*call, factors));
    const CallFactors found = best_on(lines, has_latency);
    if (found == factors) break;
    factors = found;
  }
  return factors;
}

double mean_error(const Calls& calls, const CallFactors& factors) {
  double sum = 0;
  for (const MeasuredCall* call : calls) sum += std::abs(predicted(*call, factors) / call->time - 1);
  return sum / static_cast<double>(calls.size());
}

// Every other size, in turn, is predicted with the factors of the remaining ones.
double held_out_error(const Calls& calls) {
  constexpr std::size_t fewest = 4;
  if (calls.size() < fewest) return 0;
  Calls even, odd;
  for (std::size_t i = 0; i < calls.size(); ++i) (i % 2 == 0 ? even : odd).push_back(calls[i]);
  return (mean_error(odd, fitted(even)) + mean_error(even, fitted(odd))) / 2;
}

}  // namespace

CollectiveFit fit_collectives(const std::vector<MeasuredCall>& calls) {
  std::map<std::pair<bool, std::string_view>, Calls> classes;
  for (const MeasuredCall& call : calls)
    classes[{communication::is_between_machines(*call.group), communication::library_part(call.call)}]
        .push_back(&call);
  CollectiveFit fit;
  for (auto& [key, of_class] : classes) {
    const auto& [is_between, library] = key;
    std::ranges::stable_sort(of_class, {}, [](const MeasuredCall* call) { return call->time; });
    FittedCalls& row = fit.calls.emplace_back(FittedCalls{.is_between = is_between,
                                                          .library = std::string(library),
                                                          .factors = fitted(of_class),
                                                          .rows = of_class.size()});
    row.before = mean_error(of_class, {});
    row.after = mean_error(of_class, row.factors);
    row.held_out = held_out_error(of_class);
    auto& place = is_between ? fit.factors.between : fit.factors.inside;
    if (!place) place.emplace();
    communication::factors_for(of_class.front()->call, *place) = row.factors;
  }
  return fit;
}

}  // namespace wt::study
