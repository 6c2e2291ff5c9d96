#include "session/this_host.h"

#include <fmt/format.h>

#include <vector>

#include "base/narrow.h"
#include "base/rough.h"
#include "base/suggest.h"
#include "device/cpu/workers.h"
#include "kernel/cpu/isa.h"
#include "scenario/keys.h"

namespace wt::session {

void pin_isa(const std::string& wanted) {
  if (wanted.empty()) return;
  std::vector<std::string_view> offered;
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512})
    if (isa <= cpu::best_isa()) offered.push_back(cpu::name(isa));
  const auto isa = cpu::isa_named(wanted);
  if (!isa)
    throw InputError(fmt::format("--isa {}: unknown instruction set", wanted), did_you_mean(wanted, offered));
  if (*isa > cpu::best_isa())
    throw InputError(fmt::format("--isa {}: this processor doesn't have it", wanted), list_known(offered));
  cpu::pin_isa(*isa);
}

std::string note_on_threads(int threads) {
  const int processors = device::hardware_threads();
  if (threads <= processors) return {};
  return fmt::format("note: {} on {} of this machine: more threads than processors compute no faster",
                     counted(threads, "thread"), counted(processors, "processor"));
}

int threads_of(std::optional<int> option, const scenario::Scenario& scenario) {
  if (option && *option < 1)
    throw InputError(fmt::format("--threads must be at least 1, and it is {}", *option), "");
  if (option && *option > scenario::most_threads)
    throw InputError(
        fmt::format("--threads must be at most {}, and it is {}", scenario::most_threads, *option),
        fmt::format("this machine has {}", device::hardware_threads()));
  if (option) return *option;
  return scenario.host.threads ? narrow<int>(*scenario.host.threads) : device::hardware_threads();
}

}  // namespace wt::session
