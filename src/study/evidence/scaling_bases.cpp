#include "study/evidence/scaling_bases.h"

#include <algorithm>

#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

namespace {

// One device trains alike under every strategy.
bool is_like(const Measurement& a, const Measurement& b) {
  return is_throughput(a) && setup_of(a) == setup_of(b) && a.model == b.model &&
         own_batch(a) == own_batch(b) &&
         (a.strategy == b.strategy || (a.devices == 1 && a.source == b.source));
}

}  // namespace

std::string_view reason_to_leave_out(const Measurement& row) {
  if (!is_throughput(row)) return "not a training throughput";
  if (row.model.ends_with("(keras example)") && row.devices > 1)
    return "programs, which are predicted beside";
  if (!setup_of(row)) return "its source doesn't state a machine and a precision that the catalogue has";
  if (network_of(row) == nullptr) return "its source doesn't state a model that the zoo has";
  if (row.devices == 1) return "one device, which `verify measurements` predicts";
  const auto fits_row = [&](const Arrangement& each) { return fits(row, each); };
  if (std::ranges::none_of(arrangements(), fits_row))
    return "a way of training on several devices without an arrangement";
  return {};
}

std::int64_t own_batch(const Measurement& row) { return batch_of(row, parts_of(row, *setup_of(row))); }

PlayedRow play(const Measurement& row, const Arrangement& arrangement, std::optional<Seconds> alone,
               const Synchronization& synchronization) {
  const std::string text = scenario_text(row, arrangement, alone);
  const scenario::Scenario scenario = scenario::parse(text, row.place.file);
  scenario::Job job = scenario::build(scenario);
  if (synchronization)
    job.machine.platform = job.machine.platform->with_calibration({.synchronization = synchronization});
  session::Training training(scenario, std::move(job), {});
  const timing::Simulated& summary = training.clock().step().summary;
  return {summary.step, training.clock().baseline().step,
          own_batch(row) * static_cast<std::int64_t>(training.machine().replicas.size())};
}

const Measurement* Bases::base_of(const Measurement& row) const {
  const Measurement* base = nullptr;
  for (const Measurement& each : rows_) {
    if (!is_like(each, row) || each.devices >= row.devices) continue;
    const auto rank = [&](const Measurement& one) {
      return std::pair(one.devices, one.strategy != row.strategy);
    };
    if (base == nullptr || rank(each) < rank(*base)) base = &each;
  }
  return base;
}

// The step time of one device: the base's published step, less the simulated communication between the
// base's devices.
Seconds Bases::alone(const Measurement& base, const Arrangement& arrangement) {
  const auto [place, is_new] = known_.try_emplace({&base, &arrangement});
  if (!is_new) return place->second;
  place->second =
      Seconds(static_cast<double>(own_batch(base) * parts_of(base, *setup_of(base))) / base.value);
  if (base.devices > 1) {
    const PlayedRow played = play(base, arrangement, {}, synchronization_);
    place->second -= played.step - played.alone;
  }
  return place->second;
}

PlayedRow Bases::scaled(const Measurement& row, const Arrangement& arrangement) {
  return play(row, arrangement, alone(*base_of(row), arrangement), synchronization_);
}

}  // namespace wt::evidence
