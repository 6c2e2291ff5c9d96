#pragma once
// The answer to a planner's question, as plain data. recommend/write.h prints it.

#include <optional>
#include <string>
#include <vector>

#include "recommend/sizing.h"
#include "study/evidence/expected_error.h"

namespace wt::recommend {

using evidence::Band, evidence::Known, evidence::Nearest;

struct Choice {
  std::string platform{};
  std::string device{};  // the product's name
  std::string unit{};    // in which sizes are counted: "machine"
  Sizing found{};        // as predicted
  Known known = Known::data_sheet_alone;
  Band band{};
  std::string kernels_basis{};
  std::string communication_basis{};
  // The smallest sizes if predictions are as far off as the ends of the band say. Unset: no such size.
  std::optional<Sized> at_least{};
  std::optional<Sized> at_most{};
  std::optional<Nearest> nearest{};
  std::string extrapolation{};  // empty: evidence goes as far as the answer
  std::string limit{};          // what limits the size that was found
  bool is_tie = false;          // with the first of the choices: the difference is inside the error

  // By which choices are ranked: the price of an hour. Without a price it is the number of devices, of TPUs
  // chips, and the choice stands behind all that have one.
  double rank(const Sized& sized) const;
};

// An assumption, and what depends on it.
struct Assumption {
  std::string name{};
  std::string value{};
  std::string source{};
  std::string
      with_less{};  // the smallest machine of the first choice with 20 % less of it; empty: not varied
  std::string with_more{};
  std::optional<bool> changes_first{};  // whether another platform is first then; unset: not varied
  std::string note{};                   // why it was not varied
};

// A row of the user's own, predicted before and after the rows were taken into account.
struct BackTest {
  std::string row{};
  double measured = 0;
  double before = 0;
  double after = 0;
};

struct Answer {
  std::string name{};    // the scenario's
  std::string target{};  // "20,000 samples/s"
  Terms terms{};
  std::vector<std::string> fixed{};  // what is held fixed, a sentence each
  double quantile = 0.1;
  std::vector<Choice> choices{};     // those that meet the target, the best one first
  std::vector<Choice> too_slow{};    // those that run the scenario and don't meet it
  std::vector<Choice> impossible{};  // those that can't run it
  std::vector<Assumption> assumptions{};
  std::string best_measurement{};  // that would narrow the answer most; empty: none would
  std::vector<BackTest> back_tests{};
  std::vector<std::string> unused_rows{};  // of the user's file, "3 rows: another model"
  std::int64_t forecasts = 0;
};

}  // namespace wt::recommend
