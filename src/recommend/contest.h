#pragma once
// All platforms of a question, with what any part of the answer needs to size them again.

#include <functional>
#include <string>
#include <vector>

#include "recommend/answer.h"
#include "recommend/measured.h"
#include "recommend/question.h"

namespace wt::recommend {

struct Contender {
  Ladder ladder{};
  Choice choice{};
};

class Contest {
 public:
  // Throws InputError with everything that is wrong with the question.
  explicit Contest(const Question& question);

  const Question& question() const { return question_; }
  const Terms& terms() const { return terms_; }
  const OwnRows& own() const { return own_; }
  Trials& trials() { return trials_; }
  const Trials& trials() const { return trials_; }
  std::vector<Contender>& contenders() { return contenders_; }
  const std::vector<Choice>& refused() const { return refused_; }  // platforms without sizes to try

  // What the smallest size has to reach over the target: the median of the user's own errors on the platform.
  double factor(const Contender& contender) const;
  // The smallest size under other terms, or with another value of an assumption. Unset: none meets the target.
  std::optional<Sized> again(const Contender& contender, const Terms& terms, const Change& change = {});

  // Calls `work` for the numbers from 0 to count - 1, in several processes if the question allows it, and then
  // here, where all forecasts are known by then. Numbers whose process ended early are left out.
  void share(int count, const std::function<void(int)>& work);

 private:
  void add_contenders(Problems& problems);

  Question question_;
  OwnRows own_;
  Trials trials_;
  Terms terms_{};
  std::vector<Contender> contenders_{};
  std::vector<Choice> refused_{};
};

}  // namespace wt::recommend
