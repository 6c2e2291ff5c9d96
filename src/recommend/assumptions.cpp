#include "recommend/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rough.h"
#include "model/semantics.h"
#include "platform/constants_version.h"
#include "platform/load.h"
#include "platform/summary.h"

namespace wt::recommend {

namespace {

constexpr double less = 0.8, more = 1.2;
constexpr std::size_t most_compared = 4;  // choices: the farther ones don't become the first by 20 %

// An assumption and how to ask with less and with more of it.
struct Variation {
  Assumption row{};
  bool is_shared = false;  // among all platforms
  Terms less{}, more{};
  Change change_less{}, change_more{};
};

class Varier {
 public:
  Varier(Contest& contest, const std::vector<const Contender*>& choices)
      : contest_(contest),
        choices_(choices.begin(),
                 choices.begin() + static_cast<std::ptrdiff_t>(std::min(choices.size(), most_compared))) {}

  std::vector<Assumption> run() {
    std::vector<Variation> varied;
    add_devices(varied);
    add_scenario(varied);
    add_terms(varied);
    std::vector<Assumption> rows(varied.size());
    contest_.share(static_cast<int>(varied.size()), [&](int number) {
      const auto i = static_cast<std::size_t>(number);
      rows[i] = judged(varied[i]);
    });
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].name.empty()) rows[i] = fixed_row(varied[i].row, "varying it crashed");
    add_fixed(rows);
    return rows;
  }

 private:
  const Contender& first() const { return *choices_.front(); }
  const Sized& size_of(const Contender& contender) const { return *contender.choice.found.smallest; }

  // ---- Judgement

  static constexpr double none = std::numeric_limits<double>::infinity();
  double rank(const Contender& contender, const std::optional<Sized>& sized) const {
    return sized ? contender.choice.rank(*sized) : none;
  }
  static std::string text(const std::optional<Sized>& sized) { return sized ? sized->size.text : "none"; }

  Assumption judged(const Variation& variation) {
    Assumption row = variation.row;
    const auto with_less = contest_.again(first(), variation.less, variation.change_less);
    const auto with_more = contest_.again(first(), variation.more, variation.change_more);
    row.with_less = text(with_less);
    row.with_more = text(with_more);
    bool changes = false;
    for (const Contender* other : choices_) {
      if (other == &first()) continue;
      const auto its_less = variation.is_shared
                                ? contest_.again(*other, variation.less, variation.change_less)
                                : std::optional(size_of(*other));
      const auto its_more = contest_.again(*other, variation.more, variation.change_more);
      const double mine = variation.is_shared ? rank(first(), with_more) : rank(first(), size_of(first()));
      changes |= rank(*other, its_less) < rank(first(), with_less) || rank(*other, its_more) < mine;
    }
    if (choices_.size() > 1) row.changes_first = changes;
    return row;
  }

  // ---- What is varied

  Variation variation(std::string name, std::string value, std::string source) const {
    return {.row = {.name = std::move(name), .value = std::move(value), .source = std::move(source)},
            .less = contest_.terms(),
            .more = contest_.terms()};
  }

  void add_devices(std::vector<Variation>& varied) const {
    const Sized& sized = size_of(first());
    Variation kernels = variation("speed of kernels", sized.timed.basis, kernels_source());
    kernels.change_less.compute = less;
    kernels.change_more.compute = more;
    varied.push_back(std::move(kernels));
    Variation links = variation("bandwidth of all links", "as described", file_of(first()));
    links.change_less.links = less;
    links.change_more.links = more;
    varied.push_back(std::move(links));
    if (sized.size.machines > 1 && first().ladder.unit == "machine") add_nics(varied);
  }

  std::string kernels_source() const {
    const device::DeviceType& device = first().ladder.device;
    for (const auto& [precision, efficiency] : device.efficiency)
      if (device::name(precision) == size_of(first()).timed.precision && !efficiency.source.empty())
        return efficiency.source;
    return "generic constants: no published row of this device in this precision";
  }

  static std::string file_of(const Contender& contender) {
    return contender.ladder.platform.ends_with(".json") ? contender.ladder.platform
                                                        : "platforms/" + contender.ladder.platform + ".json";
  }

  void add_nics(std::vector<Variation>& varied) const {
    const platform::Loaded loaded = platform::load(first().ladder.platform);
    std::vector<platform::Endpoint> devices;
    for (std::int32_t i = 0; i < loaded.platform.devices(); ++i) devices.push_back(loaded.platform.device(i));
    const platform::Summary summary = platform::summary_of(loaded.platform, devices);
    const double line = summary.nic.count() * summary.nics;
    if (!(line > 0)) return;
    const double efficiency = summary.network.count() / line;
    const auto setting = [&](double factor) {
      return fmt::format("machine.nics.efficiency={:.6g}", std::min(1.0, efficiency * factor));
    };
    try {
      platform::load(first().ladder.platform, {platform::parse_parameter(setting(less))});
    } catch (const InputError&) {
      return;  // The file takes its machine from another file, where the key is.
    }
    Variation nics = variation("efficiency of NICs", fmt::format("{:.2f}", efficiency), file_of(first()));
    nics.change_less.overrides = {"platform.set." + setting(less)};
    nics.change_more.overrides = {"platform.set." + setting(more)};
    if (efficiency * more > 1) nics.row.note = "at most 1";
    varied.push_back(std::move(nics));
  }

  void add_scenario(std::vector<Variation>& varied) const {
    const scenario::Scenario& base = contest_.trials().base();
    if (base.input && base.input->decode) add_decoding(varied, *base.input->decode);
    if (base.input && base.input->storage)
      add_key(varied, "rate of storage", "input.storage", print(*base.input->storage),
              print(*base.input->storage * less), print(*base.input->storage * more));
    const double jitter = base.time.jitter;
    if (jitter > 0)
      add_key(varied, "jitter", "time.jitter", fmt::format("{:.3g} %", 100 * jitter),
              fmt::format("{}", jitter * less), fmt::format("{}", std::min(1.0, jitter * more)));
  }

  void add_decoding(std::vector<Variation>& varied, const scenario::DecodeRate& decode) const {
    const auto text = [&](double factor) {
      if (const double* rows = std::get_if<double>(&decode.rate))
        return fmt::format("{} samples/s", *rows * factor);
      return print(std::get<BytesPerSecond>(decode.rate) * factor);
    };
    add_key(varied, "rate of decoding", "input.decode", text(1), text(less), text(more));
  }

  void add_key(std::vector<Variation>& varied, std::string name, const std::string& key, std::string value,
               const std::string& with_less, const std::string& with_more) const {
    Variation each = variation(std::move(name), std::move(value), "the scenario's " + key);
    each.is_shared = true;
    each.change_less.overrides = {fmt::format("{}={}", key, with_less)};
    each.change_more.overrides = {fmt::format("{}={}", key, with_more)};
    varied.push_back(std::move(each));
  }

  static std::int64_t scaled(std::int64_t count, double factor) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(count) * factor));
  }

  void add_terms(std::vector<Variation>& varied) const {
    const Terms& terms = contest_.terms();
    if (terms.target.fit) return;
    Variation rows =
        variation("rows of each device, at most", std::to_string(terms.rows_each), "the scenario");
    rows.less.rows_each = scaled(terms.rows_each, less);
    rows.more.rows_each = scaled(terms.rows_each, more);
    if (!contest_.trials().base().training.global_batch) varied.push_back(std::move(rows));
    if (terms.global_batch) {
      Variation batch =
          variation("global batch, at most", std::to_string(*terms.global_batch), batch_source());
      batch.less.global_batch = scaled(*terms.global_batch, less);
      batch.more.global_batch = scaled(*terms.global_batch, more);
      varied.push_back(std::move(batch));
    }
    Variation target = variation("target", "as asked", "the question");
    const auto scale = [](Target& of, double factor) {
      if (of.samples_per_second) *of.samples_per_second *= factor;
      if (of.epoch) *of.epoch = *of.epoch / factor;
    };
    scale(target.less.target, less);
    scale(target.more.target, more);
    varied.push_back(std::move(target));
    for (Variation& each : varied)
      if (each.row.source == "the scenario" || each.row.name == "target" ||
          each.row.name.starts_with("global"))
        each.is_shared = true;
  }

  std::string batch_source() const {
    return contest_.question().most_global_batch ? "--max-global-batch"
                                                 : "the scenario's training.global_batch";
  }

  // ---- What is no number, or is not there

  static Assumption fixed_row(Assumption row, std::string note) {
    row.note = std::move(note);
    return row;
  }

  void add_fixed(std::vector<Assumption>& rows) const {
    const scenario::Scenario& base = contest_.trials().base();
    const bool is_given = base.training.precision.has_value();
    rows.push_back(fixed_row({.name = "precision",
                              .value = size_of(first()).timed.precision,
                              .source = is_given ? "the scenario" : "TensorFlow's default on such a device"},
                             "no number; a choice for all: --set training.precision=float32"));
    if (!base.input)
      rows.push_back(fixed_row({.name = "input", .value = "rows take no time", .source = "none described"},
                               "describe it with the scenario's \"input\""));
    if (!(base.time.jitter > 0))
      rows.push_back(fixed_row({.name = "jitter", .value = "none", .source = "none described"},
                               "set time.jitter, as 0.05, to have steps wait for the slowest device"));
    rows.push_back(fixed_row({.name = "versions",
                              .value = fmt::format("constants {}, TensorFlow with {}",
                                                   platform::constants_version, model::name(base.semantics)),
                              .source = "this program, and the scenario's \"semantics\""},
                             "no number"));
    add_prices(rows);
  }

  // Twenty percent on a price is twenty percent on a rank, so no forecast is needed.
  void add_prices(std::vector<Assumption>& rows) const {
    const Timed& timed = size_of(first()).timed;
    if (!timed.has_price()) {
      rows.push_back(fixed_row({.name = "prices", .value = "none", .source = "none given"},
                               "machines are ranked by their number of devices, which is no cost"));
      return;
    }
    double nearest = none;
    for (const Contender* other : choices_)
      if (other != &first()) nearest = std::min(nearest, rank(*other, size_of(*other)));
    rows.push_back(
        {.name = "prices",
         .value = fmt::format("{:.2f} {}/h", timed.cost_per_hour, timed.currency),
         .source = timed.price,
         .with_less = size_of(first()).size.text,
         .with_more = size_of(first()).size.text,
         .changes_first = 1.2 * timed.cost_per_hour > nearest || timed.cost_per_hour > 0.8 * nearest});
  }

  Contest& contest_;
  const std::vector<const Contender*> choices_;
};

}  // namespace

std::vector<Assumption> assumptions(Contest& contest, const std::vector<const Contender*>& choices) {
  return choices.empty() ? std::vector<Assumption>{} : Varier(contest, choices).run();
}

}  // namespace wt::recommend
