#pragma once
// TensorFlow's names of devices. Grammar: /job:<j>/replica:<r>/task:<t>/device:<TYPE>:<i>, every part
// optional; short "/GPU:0", "GPU:0", "/gpu:0", "/device:GPU:0". What is absent is open: a scope of one name
// inside another, and the canonical form, are the same operation, `merged`.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wt::device {

// TensorFlow's device types. A device of type CPU is there in every process.
enum class Kind : std::uint8_t { cpu, gpu, tpu };
std::string_view name(Kind kind);                       // "CPU"
std::optional<Kind> kind_named(std::string_view name);  // any case

struct Name {
  std::optional<std::string> job{};
  std::optional<int> replica{};
  std::optional<int> task{};
  std::optional<Kind> kind{};
  std::optional<int> index{};
  friend bool operator==(const Name&, const Name&) = default;
};

// A part "*" is open, as if it were absent. Throws InputError for what is no name, and says where.
Name parse_name(std::string_view text);

// The parts of `inner`, and where it leaves one open, those of `outer`.
Name merged(const Name& inner, const Name& outer);

// Nothing open: the parts of the task, then replica 0, task 0, CPU, 0.
Name canonical(const Name& name, const Name& task = {.job = "localhost", .replica = 0, .task = 0});

// The device that feeds it: CPU 0 of its job, replica and task.
Name host_of(const Name& device);

// "/job:localhost/replica:0/task:0/device:GPU:1". Open parts are left out; an open index is "*", as in
// "/device:GPU:*", and parse_name reads back what was printed.
std::string print(const Name& name);

}  // namespace wt::device
