#include "data/example.h"

#include <array>
#include <bit>
#include <cstring>

#include "data/wire.h"

namespace wt::data {
namespace {

using enum Wire;  // A message may hold other numbers, too.

// One field of a message: its number, and its value as a number or as bytes.
struct Field {
  std::uint64_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

// Reads fields one after the other. After an error there are no further fields.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  bool next(Field& field) {
    if (rest_.empty() || is_wrong_) return false;
    const std::uint64_t tag = read_varint();
    field = {.number = tag >> 3, .wire = static_cast<Wire>(tag & 7)};
    if (field.number == 0) is_wrong_ = true;
    switch (field.wire) {
      case varint:
        field.value = read_varint();
        break;
      case fixed64:
        field.bytes = take(8);
        break;
      case fixed32:
        field.bytes = take(4);
        break;
      case delimited:
        field.bytes = take(read_varint());
        break;
      default:  // groups, which no such message has
        is_wrong_ = true;
    }
    return !is_wrong_;
  }

  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    is_wrong_ = true;
    return 0;
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) is_wrong_ = true;
    const std::string_view taken = rest_.substr(0, is_wrong_ ? 0 : size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool is_empty() const { return rest_.empty(); }
  bool is_right() const { return !is_wrong_; }

 private:
  std::string_view rest_;
  bool is_wrong_ = false;
};

// Calls `read(field)` for all fields of this number and wire type.
template <class Read>
bool for_each(std::string_view bytes, std::uint64_t number, Read read) {
  Message message(bytes);
  for (Field field; message.next(field);)
    if (field.number == number && !read(field)) return false;
  return message.is_right();
}

// Numbers are packed into one field, or each has a field. Both are legal.
bool read_floats(std::string_view list, std::vector<float>& values) {
  return for_each(list, 1, [&](const Field& field) {
    const bool is_packed = field.wire == delimited;
    if ((!is_packed && field.wire != fixed32) || field.bytes.size() % sizeof(float) != 0) return false;
    const std::size_t before = values.size();
    values.resize(before + field.bytes.size() / sizeof(float));
    if (!field.bytes.empty()) std::memcpy(values.data() + before, field.bytes.data(), field.bytes.size());
    return true;
  });
}

bool read_int64s(std::string_view list, std::vector<std::int64_t>& values) {
  return for_each(list, 1, [&](const Field& field) {
    if (field.wire == varint) {
      values.push_back(static_cast<std::int64_t>(field.value));
      return true;
    }
    Message packed(field.bytes);
    while (field.wire == delimited && packed.is_right() && !packed.is_empty())
      values.push_back(static_cast<std::int64_t>(packed.read_varint()));
    return field.wire == delimited && packed.is_right();
  });
}

bool read_bytes(std::string_view list, std::vector<std::string_view>& values) {
  return for_each(list, 1, [&](const Field& field) {
    values.push_back(field.bytes);
    return field.wire == delimited;
  });
}

// A oneof: the list that comes last counts, and lists of the same kind are joined.
bool read_feature(std::string_view bytes, Feature& feature) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number < 1 || field.number > 3) continue;
    if (field.wire != delimited) return false;
    const auto kind = static_cast<ListKind>(field.number);
    if (kind != feature.kind) feature = {.kind = kind};
    const bool is_right = kind == ListKind::bytes    ? read_bytes(field.bytes, feature.bytes)
                          : kind == ListKind::floats ? read_floats(field.bytes, feature.floats)
                                                     : read_int64s(field.bytes, feature.int64s);
    if (!is_right) return false;
  }
  return message.is_right();
}

bool read_entry(std::string_view bytes, Example& example) {
  std::string_view name;
  Feature feature;
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number != 1 && field.number != 2) continue;
    if (field.wire != delimited) return false;
    if (field.number == 1) name = field.bytes;
    if (field.number == 2 && !read_feature(field.bytes, feature)) return false;
  }
  example[name] = std::move(feature);
  return message.is_right();
}

}  // namespace

std::string_view name(ListKind kind) {
  constexpr std::array<std::string_view, 4> names{"empty", "bytes_list", "float_list", "int64_list"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<Example> parse_example(std::string_view message) {
  Example example;
  const bool is_right = for_each(message, 1, [&](const Field& features) {
    return features.wire == delimited && for_each(features.bytes, 1, [&](const Field& entry) {
             return entry.wire == delimited && read_entry(entry.bytes, example);
           });
  });
  return is_right ? std::optional(std::move(example)) : std::nullopt;
}

}  // namespace wt::data
