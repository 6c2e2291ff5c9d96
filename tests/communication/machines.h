#pragma once
// Described machines, and collectives among their first devices, for the tests of this folder.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "communication/timing.h"
#include "platform/load.h"

namespace wt::communication {

struct Machines {
  std::string name{};
  std::vector<std::string> set{};

  platform::Platform load() const {
    platform::Parameters parameters;
    for (const std::string& text : set) parameters.push_back(platform::parse_parameter(text));
    return platform::load(name, parameters).platform;
  }
};

// A request with the levels of the machine, if it has any, and with at least two lanes and rails.
inline collective::Request request_for(const Group& group, const collective::Algorithm& algorithm,
                                       std::int64_t elements) {
  collective::Request request{.ranks = group.size(), .elements = elements};
  add_natural_shape(request.options, group, algorithm);
  request.options.lanes = 2;
  if (algorithm.name == "multi_rail" && request.options.shape.empty() && group.size() % 2 == 0)
    request.options.shape = {2, group.size() / 2};
  return request;
}

// A call without a library: only latencies, bandwidths and the rate of the memory count.
inline Call wires_alone(const collective::Algorithm& algorithm, const collective::Request& request) {
  return {.algorithm = &algorithm, .request = request};
}

// Whether the algorithm is defined for the number of ranks, and the machine has the switches that it needs.
inline bool can_run(const Group& group, const Call& call) {
  if (!collective::allows(*call.algorithm, group.size()) && call.request.options.shape.empty()) return false;
  try {
    const collective::Schedule schedule = collective::make_schedule(*call.algorithm, call.request);
    endpoints(group, call.algorithm, schedule.contract);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

inline Timing time_of(const Call& call, const Group& group, Folding folding = Folding::automatic) {
  return time_of(call, group, Type::float32, folding);
}

}  // namespace wt::communication
