#include "execute/shortage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "plan/memory_report.h"
#include "plan/order.h"

namespace wt::execute {

std::string shortage(const plan::Plan& plan, plan::DeviceId device, Bytes available) {
  plan::Plan limited = plan;
  plan::Device& small = limited.devices[index(device)];
  device::MemoryOptions options = small.memory.value_or(device::MemoryOptions{.allocator = "cpu"});
  // A driver may refuse memory that it has reported as available. Below this bound no layout fits.
  options.limit = std::min(available, plan::live_bytes_bound(plan, device) - Bytes(1));
  options.growth = false;
  options.obtainable.reset();
  small.memory = std::move(options);
  plan::plan_memory(limited, plan::order_accesses(limited));
  const plan::MemoryReport report = plan::report_memory(limited);
  WT_EXPECT(report.shortage.has_value(), "plan {} fits into memory that is below its bound", plan.name);
  return report.shortage->message;
}

std::string shortage_on_host(const plan::Device& parked) {
  return fmt::format(
      "{} waits for its turn in {} of page-locked memory of this machine, which has no room for it; use "
      "smaller batches or fewer replicas",
      parked.name, rough(parked.arena));
}

}  // namespace wt::execute
