#pragma once
// Forecasts of one scenario on many machines. Each is made once and kept, also across processes: what one
// process knows can be given to another as a line of text.

#include <map>
#include <string>
#include <vector>

#include "recommend/ladder.h"
#include "scenario/scenario.h"
#include "session/known_plans.h"

namespace wt::recommend {

// An assumption that is varied: how often faster devices or links are than described, or another value of a key.
struct Change {
  double compute = 1;
  double links = 1;
  std::vector<std::string> overrides{};
};

// What is known about a step of the scenario on a machine. Plain data, which a line of JSON can carry.
struct Timed {
  std::string reason{};           // why there is no time; empty: there is one
  bool is_out_of_memory = false;  // the reason
  double samples_per_second = 0;
  double alone = 0;  // samples per second of one replica without any other
  double step = 0;   // seconds, and so are the parts of it
  double compute = 0;
  double exposed = 0;
  double input = 0;
  double software = 0;
  double waiting = 0;
  double epoch = 0;                // 0: rows have no end
  std::int64_t rows_of_epoch = 0;  // that steps of an epoch have room for
  std::int64_t global_batch = 0;
  std::int64_t devices = 0;
  std::int64_t memory = 0;  // bytes, of the fullest device
  std::string strategy{};   // that the rule "auto" chose
  std::string precision{};
  std::string reduction{};   // empty: one replica
  std::string basis{};       // of the times of kernels
  std::string transport{};   // as timing::Simulated has it
  double cost_per_hour = 0;  // of the machine; 0: the platform has no price
  double cost_per_million_samples = 0;
  std::string currency{};
  std::string price{};  // the facts behind the cost

  bool has_price() const { return !currency.empty(); }
  bool has_time() const { return reason.empty(); }
  std::string limit() const;  // the part that takes the most of the step: "compute"
};

class Trials {
 public:
  // `scale` has factors on the times of kernels by device type, from measurements.
  Trials(std::string file, std::vector<std::string> overrides, std::map<std::string, double> scale);

  // The scenario as its file has it, but for what depends on one machine.
  const scenario::Scenario& base() const { return base_; }
  // The keys of the file that this class removes, because they say something about one machine.
  const std::vector<std::string>& left_out() const { return left_out_; }
  double scale_of(const std::string& device) const;
  double scale_of(const Ladder& ladder) const;

  // With the fastest of the size's strategies.
  const Timed& time(const Ladder& ladder, const Size& size, std::int64_t rows, const Change& change = {});
  std::int64_t made() const { return made_; }  // forecasts, here and in other processes

  std::string known() const;             // all of it, as one line of JSON
  void learn(const std::string& known);  // what another process knows

 private:
  const Timed& time_with(const std::string& strategy, const Ladder& ladder, const Size& size,
                         std::int64_t rows, const Change& change);
  Timed forecast(const Ladder& ladder, const std::vector<std::string>& overrides, const Change& change);

  std::string file_;
  std::vector<std::string> overrides_;
  std::map<std::string, double> scale_;
  scenario::Scenario base_;
  std::vector<std::string> left_out_{};
  std::map<std::string, Timed> known_{};
  session::Shared shared_{};
  std::int64_t made_ = 0;
};

}  // namespace wt::recommend
