#include "study/evidence/scaling_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/median.h"
#include "communication/constants.h"
#include "study/evidence/scaling_bases.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

namespace {

// Bounded, because rows that are far off have another cause than meeting: mixed precision on NVSwitches loses three
// times what all other rows lose.
double weight_of(double error) {
  constexpr double usual = 0.02;
  return error / (error + usual);
}

double median_size(const std::vector<double>& errors) {
  std::vector<double> sizes;
  for (const double error : errors) sizes.push_back(std::abs(std::exp(error) - 1));
  return median(std::move(sizes));
}

// ---- What meeting costs

// A row, and the logarithm of predicted over published throughput as a function of what meeting costs.
struct MeetingRow {
  const Measurement* row = nullptr;
  const Arrangement* arrangement = nullptr;
  double error = 0;       // without any cost
  double by_spread = 0;   // change of the error for a spread of 1
  double by_process = 0;  // and for a second in each process

  double with(const platform::MeasuredSynchronization& cost) const {
    return error + by_spread * cost.spread + by_process * cost.process.count();
  }
};

std::vector<MeetingRow> meeting_rows(const std::vector<Measurement>& rows) {
  std::vector<MeetingRow> found;
  const Bases bases(rows);
  for (const Arrangement& arrangement : arrangements())
    for (const Measurement& row : rows)
      if (arrangement.regime == Regime::overlapped && !arrangement.is_only_judged && fits(row, arrangement) &&
          reason_to_leave_out(row).empty() && bases.base_of(row) != nullptr)
        found.push_back({&row, &arrangement});
  return found;
}

std::vector<double> errors_with(const std::vector<MeetingRow>& meeting, const std::vector<Measurement>& rows,
                                const Synchronization& cost) {
  Bases bases(rows, cost);
  std::vector<double> errors;
  for (const MeetingRow& each : meeting)
    errors.push_back(std::log(bases.scaled(*each.row, *each.arrangement).throughput() / each.row->value));
  return errors;
}

// Costs are small, so that errors change with them in proportion.
void linearize(std::vector<MeetingRow>& meeting, const std::vector<Measurement>& rows) {
  constexpr platform::MeasuredSynchronization spread{0.01, Seconds(0)}, process{0, Seconds(1e-3)};
  const auto none = errors_with(meeting, rows, platform::MeasuredSynchronization{});
  const auto with_spread = errors_with(meeting, rows, spread);
  const auto with_process = errors_with(meeting, rows, process);
  for (std::size_t i = 0; i < meeting.size(); ++i) {
    meeting[i].error = none[i];
    meeting[i].by_spread = (with_spread[i] - none[i]) / spread.spread;
    meeting[i].by_process = (with_process[i] - none[i]) / process.process.count();
  }
}

platform::MeasuredSynchronization least(const std::vector<MeetingRow>& meeting) {
  platform::MeasuredSynchronization best;
  double smallest = std::numeric_limits<double>::infinity();
  for (int spread = 0; spread <= 50; ++spread)         // thousandths
    for (int process = 0; process <= 40; ++process) {  // twentieths of a millisecond
      const platform::MeasuredSynchronization cost{1e-3 * spread, Seconds(0.05e-3 * process)};
      double sum = 0;
      for (const MeetingRow& each : meeting) sum += weight_of(std::abs(each.with(cost)));
      if (sum < smallest) smallest = sum, best = cost;
    }
  return best;
}

}  // namespace

SynchronizationFit fit_synchronization(const std::vector<Measurement>& rows) {
  std::vector<MeetingRow> meeting = meeting_rows(rows);
  if (meeting.empty())
    throw InputError(
        "the measurements have no training throughput of overlapped gradients on several devices",
        "name a folder with such rows, as tests/measurements has them");
  linearize(meeting, rows);
  SynchronizationFit fit{.found = least(meeting), .rows = meeting.size()};
  fit.before = median_size(errors_with(meeting, rows, {}));
  fit.after = median_size(errors_with(meeting, rows, fit.found));
  return fit;
}

// ---- What a collective of workers costs

namespace {

// A row whose collectives follow each other, so that its step grows with the time of each in proportion.
struct ChainRow {
  const Measurement* row = nullptr;
  std::string network{};
  double rows = 0;
  Seconds without{};       // the step, if a collective began at once
  double collectives = 0;  // change of the step for a second before each of them

  double error(Seconds each) const {
    const Seconds step = without + each * collectives;
    return std::log(rows / step.count() / row->value);
  }
};

communication::Constants with_call(Seconds call) {
  communication::Constants other = communication::constants();
  other.launches.at("workers").call = call;
  return other;
}

std::vector<ChainRow> chain_rows(const std::vector<Measurement>& rows) {
  constexpr Seconds unit(1e-3);
  std::vector<ChainRow> found;
  for (const Arrangement& arrangement : arrangements())
    for (const Measurement& row : rows) {
      if (arrangement.regime != Regime::one_by_one || !fits(row, arrangement) ||
          !reason_to_leave_out(row).empty() || !waits_for_backward(row) ||
          Bases(rows).base_of(row) == nullptr)
        continue;
      const auto with = [&](Seconds call) {
        const communication::Constants constants = with_call(call);
        const communication::OtherConstants other(constants);
        return Bases(rows).scaled(row, arrangement);
      };
      const PlayedRow none = with(Seconds(0)), some = with(unit);
      found.push_back({.row = &row,
                       .network = std::string(network_of(row)->zoo),
                       .rows = static_cast<double>(none.rows),
                       .without = none.step,
                       .collectives = (some.step - none.step) / unit});
    }
  return found;
}

Seconds least(const std::vector<ChainRow>& chains, const std::function<bool(const ChainRow&)>& counts) {
  Seconds best;
  double smallest = std::numeric_limits<double>::infinity();
  for (int twentieths = 0; twentieths <= 60; ++twentieths) {  // of a millisecond
    const Seconds each(0.05e-3 * twentieths);
    double sum = 0;
    for (const ChainRow& chain : chains)
      if (counts(chain)) sum += weight_of(std::abs(chain.error(each)));
    if (sum < smallest) smallest = sum, best = each;
  }
  return best;
}

double median_size(const std::vector<ChainRow>& chains, Seconds each,
                   const std::function<bool(const ChainRow&)>& counts) {
  std::vector<double> errors;
  for (const ChainRow& chain : chains)
    if (counts(chain)) errors.push_back(chain.error(each));
  return median_size(errors);
}

}  // namespace

CollectiveFit fit_collective_of_workers(const std::vector<Measurement>& rows) {
  const std::vector<ChainRow> chains = chain_rows(rows);
  if (chains.empty())
    throw InputError("the measurements have no rows whose gradients are reduced one by one",
                     "name a folder with such rows, as tests/measurements has them");
  const auto all = [](const ChainRow&) { return true; };
  CollectiveFit fit{.found = least(chains, all), .rows = chains.size()};
  fit.before = median_size(chains, Seconds(0), all);
  fit.after = median_size(chains, fit.found, all);
  std::set<std::string> networks;
  for (const ChainRow& chain : chains) networks.insert(chain.network);
  for (const std::string& network : networks) {
    if (networks.size() < 2) break;
    const Seconds found = least(chains, [&](const ChainRow& chain) { return chain.network != network; });
    fit.left_out.push_back({network, found, median_size(chains, found, [&](const ChainRow& chain) {
                              return chain.network == network;
                            })});
  }
  return fit;
}

}  // namespace wt::evidence
