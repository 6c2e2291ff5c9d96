#include "device/environment.h"

#include <charconv>
#include <limits>

namespace wt::device {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

void refuse(Problems& problems, std::string_view variable, std::string_view text, std::string_view remedy) {
  problems.add({}, fmt::format("{} is \"{}\"", variable, text), std::string(remedy));
}

void read_switch(Environment& environment, std::string_view variable, const std::string& text,
                 Problems& problems) {
  if (text != "true" && text != "false") {
    return refuse(problems, variable, text, "it must be \"true\" or \"false\"");
  }
  const bool on = text == "true";
  if (variable == "TF_FORCE_GPU_ALLOW_GROWTH") environment.force_gpu_allow_growth = on;
  if (variable == "TF_ENABLE_GPU_GARBAGE_COLLECTION") environment.gpu_garbage_collection = on;
}

void read_reserve(Environment& environment, std::string_view variable, const std::string& text,
                  Problems& problems) {
  if (text.empty()) return;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || count < 0 || count > std::numeric_limits<std::int64_t>::max() / mebibyte) {
    return refuse(problems, variable, text, "it must be a count of MiB, as in \"500\"");
  }
  environment.min_system_memory = Bytes(mebibyte) * count;
}

// The pool of cuda_malloc_async is in NVIDIA's driver, whose rules are not public, so it can't be simulated.
void read_allocator(Environment&, std::string_view variable, const std::string& text, Problems& problems) {
  if (text == "cuda_malloc_async" || text == "cuda_malloc") {
    refuse(problems, variable, text, "leave it unset: only TensorFlow's BFC allocator is supported");
  }
}

void read_visible(Environment& environment, std::string_view, const std::string& text, Problems&) {
  environment.cuda_visible_devices = text;
}

struct Variable {
  std::string_view name{};
  void (*read)(Environment&, std::string_view, const std::string&, Problems&) = nullptr;
};

constexpr Variable known[] = {{"CUDA_VISIBLE_DEVICES", read_visible},
                              {"TF_DEVICE_MIN_SYS_MEMORY_IN_MB", read_reserve},
                              {"TF_ENABLE_GPU_GARBAGE_COLLECTION", read_switch},
                              {"TF_FORCE_GPU_ALLOW_GROWTH", read_switch},
                              {"TF_GPU_ALLOCATOR", read_allocator}};

}  // namespace

Environment read_environment(const std::map<std::string, std::string>& variables) {
  Environment environment;
  Problems problems;
  for (const Variable& variable : known) {
    const auto found = variables.find(std::string(variable.name));
    if (found != variables.end()) variable.read(environment, variable.name, found->second, problems);
  }
  problems.throw_if_any();
  return environment;
}

}  // namespace wt::device
