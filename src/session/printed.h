#pragma once
// What the program of a scenario prints itself: the lines of "print", and those of Keras' fit with "verbose": 2.

#include <functional>
#include <string>

#include "scenario/build.h"
#include "session/results.h"

namespace wt::session {

class Printed {
 public:
  using Sink = std::function<void(const std::string& line)>;

  // Requires: the scenario outlives this object. Without a sink nothing is printed.
  Printed(const scenario::Scenario& scenario, Sink sink) : scenario_(scenario), sink_(std::move(sink)) {}

  void begin(const Planned& planned) const;
  void step(const train::StepResult& step) const;
  // `time` is the simulated time of the epoch's steps; unset where there is none.
  void epoch(const Epoch& epoch, std::optional<Seconds> time) const;
  void end(const Results& results) const;

 private:
  const scenario::Scenario& scenario_;
  Sink sink_;
};

}  // namespace wt::session
