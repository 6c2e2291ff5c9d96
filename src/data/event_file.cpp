#include "data/event_file.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/error.h"
#include "data/crc32c.h"
#include "data/wire.h"

namespace wt::data {

namespace {

template <class Number>
void append_fixed(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void append_tag(std::string& bytes, std::uint64_t number, Wire wire) {
  append_varint(bytes, number << 3 | static_cast<std::uint64_t>(wire));
}

void append_number(std::string& bytes, std::uint64_t number, std::uint64_t value) {
  append_tag(bytes, number, Wire::varint);
  append_varint(bytes, value);
}

void append_bytes(std::string& bytes, std::uint64_t number, std::string_view value) {
  append_tag(bytes, number, Wire::delimited);
  append_varint(bytes, value.size());
  bytes += value;
}

std::string event_at(double wall_time) {
  std::string event;
  append_tag(event, 1, Wire::fixed64);
  append_fixed(event, std::bit_cast<std::uint64_t>(wall_time));
  return event;
}

// TensorProto: the type, an empty shape, and the bytes of the number.
std::string tensor_of(float value) {
  std::string numbers, tensor;
  append_fixed(numbers, std::bit_cast<std::uint32_t>(value));
  append_number(tensor, 1, 1);  // DT_FLOAT
  append_bytes(tensor, 2, "");
  append_bytes(tensor, 4, numbers);
  return tensor;
}

}  // namespace

std::string framed_record(std::string_view bytes) {
  std::string record;
  append_fixed(record, std::uint64_t{bytes.size()});
  append_fixed(record, masked_crc32c(record));
  record += bytes;
  append_fixed(record, masked_crc32c(bytes));
  return record;
}

std::string first_event(double wall_time) {
  std::string event = event_at(wall_time), source;
  append_bytes(event, 3, "brain.Event:2");
  append_bytes(source, 1, "tensorflow.core.util.events_writer");
  append_bytes(event, 10, source);
  return event;
}

std::string scalar_event(std::string_view tag, std::int64_t step, float value, double wall_time) {
  std::string plugin, metadata, scalar, summary, event = event_at(wall_time);
  append_bytes(plugin, 1, "scalars");
  append_bytes(metadata, 1, plugin);
  append_bytes(scalar, 1, tag);
  append_bytes(scalar, 8, tensor_of(value));
  append_bytes(scalar, 9, metadata);
  append_bytes(summary, 1, scalar);
  if (step != 0) append_number(event, 2, static_cast<std::uint64_t>(step));
  append_bytes(event, 5, summary);
  return event;
}

EventFile::EventFile(std::filesystem::path path) : path_(std::move(path)), out_(path_, std::ios::binary) {
  append(first_event(0));
}

void EventFile::write_scalar(std::string_view tag, std::int64_t step, float value, double wall_time) {
  append(scalar_event(tag, step, value, wall_time));
}

void EventFile::append(std::string_view event) {
  out_ << framed_record(event);
  out_.flush();
  if (!out_)
    throw InputError(fmt::format("{} cannot be written", path_.string()),
                     "make room on its disk, or write elsewhere with --out");
}

}  // namespace wt::data
