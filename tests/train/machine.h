// This machine's CPU with the default strategy.
#pragma once

#include <string>

#include "strategy/default.h"
#include "support/folder.h"
#include "train/model.h"

namespace wt::test {

class Machine {
 public:
  explicit Machine(int threads = 1, std::string device = "cpu:0")
      : workers_(threads),
        machine_{[device](const Step& step) { return strategy::lower_default(step, {device}); }, queue_} {}
  operator train::Machine&() { return machine_; }

 private:
  device::Workers workers_;
  device::CpuQueue queue_{workers_};
  train::Machine machine_;
};

}  // namespace wt::test
