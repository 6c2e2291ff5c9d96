#include "recommend/recommend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/rough.h"
#include "recommend/assumptions.h"
#include "recommend/contest.h"
#include "study/model_name.h"

namespace wt::recommend {

namespace {

using evidence::Asked, evidence::Cause, evidence::Expected, evidence::PublishedRow, evidence::Sample,
    evidence::Samples;

class Recommender {
 public:
  explicit Recommender(const Question& question)
      : contest_(question),
        rows_(rows_of(evidence::known_records().rows)),
        model_(study::model_name(contest_.trials().base())) {}

  Answer run() {
    answer_.name = contest_.trials().base().name;
    answer_.terms = contest_.terms();
    answer_.quantile = contest_.question().quantile;
    answer_.target = target_text();
    answer_.fixed = fixed();
    answer_.back_tests = contest_.own().back_tests;
    answer_.unused_rows = contest_.own().unused;
    size_all();
    const std::vector<const Contender*> ranked = rank_all();
    answer_.assumptions = assumptions(contest_, ranked);
    for (const Contender* each : ranked) answer_.choices.push_back(each->choice);
    answer_.best_measurement = best_measurement(ranked);
    answer_.forecasts = contest_.trials().made();
    return std::move(answer_);
  }

 private:
  bool is_fit() const { return contest_.terms().target.fit; }

  // ---- The question

  std::string target_text() const {
    const Target& target = contest_.terms().target;
    if (target.samples_per_second) return fmt::format("{} samples/s", *target.samples_per_second);
    if (target.epoch) return fmt::format("an epoch in {}", rough(*target.epoch));
    return "a step that fits into memory";
  }

  std::vector<std::string> fixed() const {
    const Terms& terms = contest_.terms();
    const scenario::Scenario& base = contest_.trials().base();
    std::vector<std::string> lines;
    lines.push_back(terms.global_batch ? fmt::format("a global batch of at most {}", *terms.global_batch)
                                       : "any global batch, whether the model still learns with it or not");
    lines.push_back(
        fmt::format("at most {} for each device in a step; half as many, or a quarter and so on, where "
                    "they don't fit into memory",
                    counted(terms.rows_each, "row")));
    if (is_fit()) lines.back() = fmt::format("{} for each device in a step", counted(terms.rows_each, "row"));
    lines.push_back(base.training.precision
                        ? "the scenario's precision, where a device has it"
                        : "the precision that TensorFlow takes on each device by default, "
                          "which differs between devices");
    lines.push_back(base.input ? "the input that the scenario describes, for each host"
                               : "no input: reading and decoding rows take no time");
    lines.push_back(
        "synchronous strategies alone, by the rule \"auto\"; asynchronous ones are not ranked with them");
    for (const std::string& key : contest_.trials().left_out())
      lines.push_back(
          fmt::format("\"{}\" of the scenario is left out, since it belongs to one machine", key));
    return lines;
  }

  // ---- Sizes

  void size_all() {
    std::vector<Contender>& all = contest_.contenders();
    std::vector<bool> is_sized(all.size(), false);
    contest_.share(static_cast<int>(all.size()), [&](int number) {
      const auto i = static_cast<std::size_t>(number);
      size(all[i]);
      is_sized[i] = true;
    });
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_sized[i]) all[i].choice.found.why_not = "the process that planned the step ended early";
  }

  void size(Contender& contender) {
    Choice& choice = contender.choice;
    const double factor = is_fit() ? 1 : contest_.factor(contender);
    choice.found = smallest(contest_.trials(), contender.ladder, contest_.terms(), factor);
    const auto& sized = choice.found.smallest ? choice.found.smallest : choice.found.fastest;
    if (!sized) return;
    judge(contender, *sized, factor);
    choice.limit = limit_of(choice, *sized);
  }

  Asked asked(const Contender& contender, const Sized& sized) const {
    const device::DeviceType& device = contender.ladder.device;
    return {.device = device.id,
            .generation = device.generation,
            .is_tpu = device.kind == device::Kind::tpu,
            .precision = sized.timed.precision,
            .network = model_,
            .batch = sized.rows,
            .devices = contender.ladder.unit == "chip" ? sized.size.count : sized.size.replicas,
            .is_calibrated = contender.ladder.calibrated.has_value(),
            .transport = sized.timed.transport};
  }

  Expected expected_of(const Contender& contender, const Asked& what) const {
    Expected found = expected(rows_, what);
    const OwnRows& own = contest_.own();
    if (const auto kernels = own.kernels.find(contender.ladder.device.id); kernels != own.kernels.end()) {
      found.known = Known::measured_here;
      found.kernels = {kernels->second, count_text(kernels->second.size(), "of your file, of one device")};
    }
    if (const auto several = own.communication.find(contender.ladder.platform);
        several != own.communication.end())
      found.communication = with_own(several->second, found.communication);
    return found;
  }

  // A few rows of the user's have a median and no spread to speak of, which then is that of published rows.
  static Cause with_own(const Samples& own, const Cause& published) {
    constexpr std::size_t enough = 5;
    std::string basis = count_text(own.size(), "of your file, of whole steps");
    if (own.size() >= enough || published.samples.empty()) return {own, std::move(basis)};
    const double shift = quantile(own, 0.5) - quantile(published.samples, 0.5);
    Samples shifted = published.samples;
    for (Sample& sample : shifted) sample.error += shift;
    return {std::move(shifted), basis + ", with the spread of " + published.basis};
  }

  static std::string count_text(std::size_t count, std::string_view of) {
    return fmt::format("{} {}", counted(static_cast<std::int64_t>(count), "row"), of);
  }

  // How far the answer may be off. That a step fits into memory has no published rows to judge it by.
  void judge(Contender& contender, const Sized& sized, double factor) {
    if (is_fit() || !sized.timed.has_time()) return;
    Choice& choice = contender.choice;
    const Asked what = asked(contender, sized);
    const Expected errors = expected_of(contender, what);
    choice.known = errors.known;
    choice.band = band(errors, contest_.question().quantile);
    choice.kernels_basis = errors.kernels.basis;
    choice.communication_basis = errors.communication.basis;
    choice.extrapolation = extrapolation(rows_, what);
    if (const PublishedRow* row = nearest(rows_, what)) choice.nearest = as_nearest(*row);
    const auto with = [&](double times) {
      return smallest(contest_.trials(), contender.ladder, contest_.terms(), times).smallest;
    };
    choice.at_least = with(std::min(factor, choice.band.low));
    choice.at_most = with(std::max(factor, choice.band.high));
  }

  std::string limit_of(const Choice& choice, const Sized& sized) const {
    if (is_fit()) return "memory";
    const Terms& terms = contest_.terms();
    const bool is_capped = terms.global_batch && sized.rows < terms.rows_each &&
                           sized.rows * sized.size.replicas + sized.size.replicas > *terms.global_batch;
    std::string limit = sized.timed.limit();
    if (is_capped)
      limit += ", the global batch";
    else if (sized.rows < terms.rows_each)
      limit += ", memory";
    return choice.found.smallest ? limit : choice.found.why_not;
  }

  // ---- Ranks

  std::vector<const Contender*> rank_all() {
    std::vector<const Contender*> ranked;
    answer_.impossible = contest_.refused();
    for (const Contender& each : contest_.contenders()) {
      const Sizing& found = each.choice.found;
      if (found.smallest)
        ranked.push_back(&each);
      else
        (found.fastest ? answer_.too_slow : answer_.impossible).push_back(each.choice);
    }
    require_one_currency(ranked);
    const auto rank = [](const Contender* each) {
      const Sized& sized = *each->choice.found.smallest;
      return std::pair(each->choice.rank(sized), -sized.timed.samples_per_second);
    };
    std::ranges::stable_sort(ranked, {}, rank);
    std::ranges::stable_sort(answer_.too_slow, std::greater<>(),
                             [](const Choice& each) { return each.found.fastest->timed.samples_per_second; });
    mark_ties(ranked);
    return ranked;
  }

  static void require_one_currency(const std::vector<const Contender*>& choices) {
    std::set<std::string> currencies;
    for (const Contender* each : choices)
      if (const Timed& timed = each->choice.found.smallest->timed; timed.has_price())
        currencies.insert(timed.currency);
    if (currencies.size() > 1)
      throw InputError(fmt::format("prices in {} are never compared", fmt::join(currencies, " and ")),
                       "give all prices in one currency");
  }

  // Two choices are a tie if one of them may be as small as the other one is.
  void mark_ties(const std::vector<const Contender*>& ranked) {
    if (ranked.empty() || is_fit()) return;
    const Choice& first = ranked.front()->choice;
    for (Contender& each : contest_.contenders()) {
      Choice& choice = each.choice;
      if (&choice == &first || !choice.found.smallest) continue;
      const bool first_may_be_larger =
          !first.at_most || first.rank(*first.at_most) >= choice.rank(*choice.found.smallest);
      const bool other_may_be_smaller =
          choice.at_least && choice.rank(*choice.at_least) <= first.rank(*first.found.smallest);
      choice.is_tie = first_may_be_larger || other_may_be_smaller;
    }
  }

  // ---- What to measure

  // The measurement without whose error the interval of the first choice, or of one that is a tie with it, gets
  // narrower by most.
  std::string best_measurement(const std::vector<const Contender*>& ranked) const {
    double most = 0.01;  // less is not worth a measurement
    std::string best;
    for (const Contender* each : ranked) {
      if (each != ranked.front() && !each->choice.is_tie) continue;
      const Sized& sized = *each->choice.found.smallest;
      if (is_fit() || !sized.timed.has_time()) continue;
      const Expected errors = expected_of(*each, asked(*each, sized));
      const auto width = [&](bool has_kernels, bool has_communication) {
        const Band without =
            evidence::band({.kernels = has_kernels ? errors.kernels : Cause{},
                            .communication = has_communication ? errors.communication : Cause{}},
                           contest_.question().quantile);
        return std::log(without.high / without.low);
      };
      const double now = width(true, true);
      const auto consider = [&](double left, std::string text) {
        if (now - left <= most) return;
        most = now - left;
        best = fmt::format("{}; the ends of its interval would be {:.0f} % instead of {:.0f} % apart", text,
                           100 * std::expm1(left), 100 * std::expm1(now));
      };
      consider(width(false, true), fmt::format("a step of {} with {} on one device of {}", model_,
                                               counted(sized.rows, "row"), each->choice.platform));
      if (sized.size.replicas > 1)
        consider(width(true, false),
                 fmt::format("the throughput of {} with {} each on {} of {}, beside one device", model_,
                             counted(sized.rows, "row"), sized.size.text, each->choice.platform));
    }
    return best;
  }

  Contest contest_;
  const std::vector<PublishedRow> rows_;
  const std::string model_;
  Answer answer_{};
};

}  // namespace

double Choice::rank(const Sized& sized) const {
  constexpr double behind_all_prices = 1e18;
  if (sized.timed.has_price()) return sized.timed.cost_per_hour;
  return behind_all_prices +
         static_cast<double>(unit == "chip" ? sized.size.count : sized.size.replicas) * 1e6;
}

Answer recommend(const Question& question) { return Recommender(question).run(); }

}  // namespace wt::recommend
