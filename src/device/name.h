#pragma once
// TensorFlow's device names. The full form is /job:<j>/replica:<r>/task:<t>/device:<TYPE>:<i>, for example
// /job:worker/replica:0/task:1/device:GPU:0. Every part is optional, and short forms such as "/GPU:0",
// "GPU:0", "/gpu:0" and "/device:GPU:0" are legal. A part that is absent is called open. Nested device scopes
// fill the open parts of the inner name with those of the outer one (`merged`), and the same operation with
// default values gives the full name (`canonical`).

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wt::device {

// TensorFlow's device types. Every process has a CPU device.
enum class Kind : std::uint8_t { cpu, gpu, tpu };
std::string_view name(Kind kind);                       // "CPU"
std::optional<Kind> kind_named(std::string_view name);  // upper or lower case

// A device name. Parts without a value are open.
struct Name {
  std::optional<std::string> job{};
  std::optional<int> replica{};
  std::optional<int> task{};
  std::optional<Kind> kind{};
  std::optional<int> index{};
  friend bool operator==(const Name&, const Name&) = default;
};

// Parses a device name. A part "*" is open, as if it were absent. Throws InputError that points at the wrong
// part of the name.
Name parse_name(std::string_view text);

// The parts of `inner`, with its open parts filled from `outer`.
Name merged(const Name& inner, const Name& outer);

// The full name: open parts are filled from the task, and then by job localhost, replica 0, task 0 and CPU 0.
Name canonical(const Name& name, const Name& task = {.job = "localhost", .replica = 0, .task = 0});

// The CPU that feeds a device: CPU 0 of the same job, replica and task.
Name host_of(const Name& device);

// Prints a name such as "/job:localhost/replica:0/task:0/device:GPU:1". Open parts are left out, except that
// an open index is printed as "*", as in "/device:GPU:*". parse_name reads the text back to the same name.
std::string print(const Name& name);

}  // namespace wt::device
