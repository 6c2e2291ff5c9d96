#pragma once
// Writes event files, which TensorBoard draws: a TFRecord file of tf.Event messages (tensorflow/core/util/event.proto),
// of which each has one scalar here. TensorBoard opens a file whose name contains "tfevents".

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace wt::data {

// A record as TFRecord files frame it: its length, its bytes, and a checksum of each.
std::string framed_record(std::string_view bytes);

// The messages of tf.Event: the one with which every file begins, and one that holds a scalar as tf.summary.scalar
// writes it. `wall_time` is in seconds.
std::string first_event(double wall_time);
std::string scalar_event(std::string_view tag, std::int64_t step, float value, double wall_time);

class EventFile {
 public:
  // Throws InputError if the file can't be written, as write_scalar does.
  explicit EventFile(std::filesystem::path path);
  void write_scalar(std::string_view tag, std::int64_t step, float value, double wall_time);

 private:
  void append(std::string_view event);

  std::filesystem::path path_;
  std::ofstream out_{};
};

}  // namespace wt::data
