#include "recommend/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/narrow.h"
#include "base/rough.h"
#include "study/evidence/prediction.h"
#include "study/model_name.h"

namespace wt::recommend {

namespace {

using evidence::Measurement;

// A row with the machine that it was measured on.
struct Placed {
  const Measurement* row = nullptr;
  Ladder ladder{};
  Size size{};
  std::int64_t batch = 0;
  bool is_of_kernels = false;  // one device, which does not wait for TensorFlow's software on its host
};

Ladder ladder_at(const Measurement& row) {
  try {
    return ladder_of(row.system, row.devices);
  } catch (const InputError& error) {
    Problem problem = error.problems().front();
    problem.place = row.place;
    throw InputError(problem);
  }
}

// All devices of some machines, or the first ones of one machine.
Size size_at(const Measurement& row, const Ladder& ladder) {
  for (const Size& size : ladder.sizes)
    if (size.replicas == row.devices) return size;
  const Size& first = ladder.sizes.front();
  if (ladder.unit == "chip" || row.devices > first.replicas)
    throw InputError(
        Problem{row.place, fmt::format("{} can't be had with {} devices", ladder.platform, row.devices),
                fmt::format("write the devices of one machine, or a multiple of {}", first.replicas)});
  return {.text = counted(row.devices, "device"),
          .platform = fmt::format(R"({{"file": "{}", "set": {{"machines": 1, "devices": {}}}}})",
                                  ladder.platform, row.devices),
          .replicas = row.devices,
          .strategies = first.strategies};
}

std::string text_of(const Placed& placed) {
  return fmt::format("{} of {}, {} rows each", counted(placed.row->devices, "device"), placed.ladder.platform,
                     placed.batch);
}

const Timed& predicted(Trials& trials, const Placed& placed) {
  const Timed& timed = trials.time(placed.ladder, placed.size, placed.batch);
  if (!timed.has_time())
    throw InputError(Problem{
        placed.row->place, fmt::format("the row was measured, and the step can't be timed: {}", timed.reason),
        "correct the row, or the scenario"});
  return timed;
}

// The share of the step in which the device waits for its host, above which the row says nothing about kernels.
constexpr double noticeable_software = 0.05;

class Reader {
 public:
  explicit Reader(const Question& question)
      : question_(question),
        rows_(evidence::read_measurement_file(question.measured)),
        plain_(question.file, question.overrides, {}),
        model_(study::model_name(plain_.base())) {}

  OwnRows read() {
    place();
    for (Placed& placed : placed_) {
      const Timed& timed = predicted(plain_, placed);
      placed.is_of_kernels = placed.size.replicas == 1 && timed.software <= noticeable_software * timed.step;
    }
    const std::vector<double> before = predict(plain_);
    add_scales(before);
    Trials scaled(question_.file, question_.overrides, own_.scale);
    add_errors(before, predict(scaled));
    return std::move(own_);
  }

 private:
  void place() {
    std::map<std::string, std::int64_t> unused;
    for (const Measurement& row : rows_) {
      if (!evidence::is_throughput(row))
        ++unused["no training throughput"];
      else if (row.model != model_)
        ++unused[fmt::format("of another model than {}", model_)];
      else
        placed_.push_back(placed_at(row));
    }
    for (const auto& [reason, count] : unused) own_.unused.push_back(evidence::count_of_rows(count, reason));
    if (placed_.empty())
      throw InputError(
          fmt::format("no row of \"{}\" is a training throughput of {}", question_.measured, model_),
          fmt::format("write {} in the column model_or_op, and throughput as the metric", model_));
  }

  static Placed placed_at(const Measurement& row) {
    if (!(row.value > 0))
      throw InputError(Problem{row.place, "a throughput must be above 0, and it is 0", "leave the row out"});
    Ladder ladder = ladder_at(row);
    Size size = size_at(row, ladder);
    const std::int64_t batch = evidence::batch_of(row, narrow<int>(size.replicas));
    return {&row, std::move(ladder), std::move(size), batch};
  }

  std::vector<double> predict(Trials& trials) const {
    std::vector<double> all;
    for (const Placed& placed : placed_) all.push_back(predicted(trials, placed).samples_per_second);
    return all;
  }

  // The mean of the logarithms, so that a row that is twice too fast and one that is twice too slow cancel out.
  void add_scales(const std::vector<double>& before) {
    std::map<std::string, std::vector<double>> errors;
    for (std::size_t i = 0; i < placed_.size(); ++i)
      if (placed_[i].is_of_kernels)
        errors[placed_[i].ladder.device.id].push_back(std::log(before[i] / placed_[i].row->value));
    for (const auto& [device, of_device] : errors) {
      double sum = 0;
      for (const double error : of_device) sum += error;
      own_.scale[device] = std::exp(sum / static_cast<double>(of_device.size()));
    }
  }

  void add_errors(const std::vector<double>& before, const std::vector<double>& after) {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Placed& placed = placed_[i];
      const double error = std::log(after[i] / placed.row->value);
      if (placed.is_of_kernels)
        own_.kernels[placed.ladder.device.id].push_back({error, 1});
      else
        own_.communication[placed.ladder.platform].push_back({error, 1});
      own_.back_tests.push_back({text_of(placed), placed.row->value, before[i], after[i]});
    }
  }

  const Question& question_;
  const std::vector<Measurement> rows_;
  Trials plain_;
  const std::string model_;
  std::vector<Placed> placed_{};
  OwnRows own_{};
};

}  // namespace

OwnRows own_rows(const Question& question) {
  return question.measured.empty() ? OwnRows{} : Reader(question).read();
}

}  // namespace wt::recommend
