#include "recommend/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "sweep/reason.h"

namespace wt::recommend {

namespace {

using sweep::first_line;
using sweep::reason_of;

// Keys that say something about one machine, and so nothing about another one.
constexpr std::array<std::string_view, 5> of_one_machine{"cluster", "devices", "faults", "time.measured_step",
                                                         "training.learning_rate_by_batch"};

scenario::Scenario parse_base(const std::string& file, const std::vector<std::string>& overrides) {
  scenario::Scenario base = scenario::parse_file(file, overrides);
  if (!base.time.compute.is_roofline())
    throw InputError(
        Problem{base.place("time.compute"),
                "machines that aren't at hand are compared by the roofline, and \"compute\" asks for "
                "measured kernels",
                "add --set time.compute=null; --measured FILE takes measured steps into account"});
  return base;
}

// One list of the members of Timed for writing and reading.
template <class Visit, class Some>
void visit_members(Visit& visit, Some& timed) {
  visit("reason", timed.reason);
  visit("is_out_of_memory", timed.is_out_of_memory);
  visit("samples_per_second", timed.samples_per_second);
  visit("alone", timed.alone);
  visit("step", timed.step);
  visit("compute", timed.compute);
  visit("exposed", timed.exposed);
  visit("input", timed.input);
  visit("software", timed.software);
  visit("waiting", timed.waiting);
  visit("epoch", timed.epoch);
  visit("rows_of_epoch", timed.rows_of_epoch);
  visit("global_batch", timed.global_batch);
  visit("devices", timed.devices);
  visit("memory", timed.memory);
  visit("strategy", timed.strategy);
  visit("precision", timed.precision);
  visit("reduction", timed.reduction);
  visit("basis", timed.basis);
  visit("transport", timed.transport);
  visit("cost_per_hour", timed.cost_per_hour);
  visit("cost_per_million_samples", timed.cost_per_million_samples);
  visit("currency", timed.currency);
  visit("price", timed.price);
}

struct Write {
  json::Writer& out;
  template <class T>
  void operator()(std::string_view key, const T& value) {
    out.member(key, value);
  }
};

struct Read {
  json::Reader& reader;
  template <class T>
  void operator()(std::string_view key, T& value) {
    value = reader.required<T>(key);
  }
};

void describe(const session::Planned& planned, Timed& timed) {
  timed.global_batch = planned.global_batch;
  timed.devices = planned.devices();
  timed.memory = session::peak_memory(planned).count();
  if (planned.reduction) timed.reduction = print(*planned.reduction);
}

void describe(const timing::Simulated& simulated, const session::Planned& planned, Timed& timed) {
  timed.samples_per_second = simulated.samples_per_second;
  timed.alone = simulated.baseline ? simulated.baseline->samples_per_second : simulated.samples_per_second;
  timed.step = simulated.step.count();
  timed.compute = simulated.compute.count();
  timed.exposed = simulated.exposed.count();
  timed.input = simulated.input.count();
  timed.software = simulated.software.count();
  timed.waiting = simulated.waiting.count();
  timed.precision = simulated.precision;
  timed.basis = simulated.basis;
  timed.transport = simulated.transport;
  if (!planned.steps_per_epoch) return;
  timed.epoch = (simulated.each_step() * *planned.steps_per_epoch).count();
  timed.rows_of_epoch = *planned.steps_per_epoch * planned.global_batch;
}

void describe(const cost::Cost& cost, Timed& timed) {
  timed.cost_per_hour = cost.hour.amount();
  timed.cost_per_million_samples = cost.million_samples.amount();
  timed.currency = cost.hour.currency();
  timed.price = basis(cost);
}

}  // namespace

std::string Timed::limit() const {
  const std::array<std::pair<double, const char*>, 5> parts{{{compute, "compute"},
                                                             {exposed, "communication"},
                                                             {input, "input"},
                                                             {software, "software"},
                                                             {waiting, "waiting"}}};
  return std::ranges::max(parts, {}, [](const auto& part) { return part.first; }).second;
}

Trials::Trials(std::string file, std::vector<std::string> overrides, std::map<std::string, double> scale)
    : file_(std::move(file)),
      overrides_(std::move(overrides)),
      scale_(std::move(scale)),
      base_(parse_base(file_, overrides_)) {
  for (const std::string_view key : of_one_machine)
    if (base_.places.contains(key)) left_out_.emplace_back(key);
}

double Trials::scale_of(const std::string& device) const {
  const auto found = scale_.find(device);
  return found == scale_.end() ? 1 : found->second;
}

// Rows of the user's own say how far predictions are off, which already have the platform's calibration in them.
double Trials::scale_of(const Ladder& ladder) const {
  return scale_of(ladder.device.id) * ladder.calibrated.value_or(1);
}

const Timed& Trials::time(const Ladder& ladder, const Size& size, std::int64_t rows, const Change& change) {
  const Timed* best = nullptr;
  for (const std::string& strategy : size.strategies) {
    const Timed& timed = time_with(strategy, ladder, size, rows, change);
    const bool is_better = best == nullptr || (timed.has_time() && !best->has_time()) ||
                           timed.samples_per_second > best->samples_per_second;
    if (is_better) best = &timed;
  }
  WT_EXPECT(best != nullptr, "{} has no strategy", size.text);
  return *best;
}

const Timed& Trials::time_with(const std::string& strategy, const Ladder& ladder, const Size& size,
                               std::int64_t rows, const Change& change) {
  std::vector<std::string> overrides = overrides_;
  for (const std::string_view key : of_one_machine) overrides.push_back(fmt::format("{}=null", key));
  overrides.push_back("platform=" + size.platform);
  overrides.push_back("strategy=" + strategy);
  overrides.push_back("training.global_batch=null");
  overrides.push_back(fmt::format("training.per_replica_batch={}", rows));
  overrides.insert(overrides.end(), change.overrides.begin(), change.overrides.end());
  const std::string key = fmt::format("{} {} {} {} {} {}", size.platform, strategy, rows, change.compute,
                                      change.links, fmt::join(change.overrides, " "));
  const auto [place, is_new] = known_.try_emplace(key);
  if (is_new) {
    ++made_;
    place->second = forecast(ladder, overrides, change);
  }
  return place->second;
}

// A machine on which the scenario can't run is no error: the reason is part of the answer.
Timed Trials::forecast(const Ladder& ladder, const std::vector<std::string>& overrides,
                       const Change& change) {
  Timed timed;
  try {
    scenario::Scenario scenario = scenario::parse_file(file_, overrides);
    scenario.numerics = scenario::Numerics::none;
    scenario::Job job = scenario::build(scenario);
    job.machine.platform = job.machine.platform->with_faster_links(change.links);
    session::Training training(scenario, std::move(job),
                               {.shared = &shared_,
                                .asks_nccl = false,
                                .simulation = {.scale = scale_of(ladder), .compute = change.compute}});
    const session::Forecast found = training.forecast();
    describe(found.planned, timed);
    timed.strategy = found.strategy;
    if (found.simulated) {
      describe(*found.simulated, found.planned, timed);
      if (found.cost) describe(*found.cost, timed);
    } else {
      timed.is_out_of_memory = true;
      timed.reason = first_line(found.out_of_memory.value_or("the step can't be timed"));
    }
  } catch (const InputError& error) {
    timed.reason = reason_of(error);
  } catch (const std::bad_alloc&) {
    timed.reason = "this machine has too little memory to plan the step";
  } catch (const std::exception& error) {
    timed.reason = first_line(error.what());
  }
  return timed;
}

std::string Trials::known() const {
  json::Writer out(json::Layout::compact);
  out.begin_array(json::Layout::compact);
  for (const auto& [key, timed] : known_) {
    out.begin_object(json::Layout::compact).member("key", key);
    Write write{out};
    visit_members(write, timed);
    out.end_object();
  }
  return out.end_array().text();
}

void Trials::learn(const std::string& known) {
  const json::Value tree = json::parse(known, "another process");
  Problems problems;
  for (const json::Value& element : tree.elements()) {
    json::Reader reader(element, problems);
    const auto key = reader.required<std::string>("key");
    Timed timed;
    Read read{reader};
    visit_members(read, timed);
    problems.throw_if_any();
    if (known_.try_emplace(key, std::move(timed)).second) ++made_;
  }
}

}  // namespace wt::recommend
