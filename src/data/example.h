#pragma once
// Reads a serialized tf.train.Example, the map from names to lists of values that TFRecord files usually
// hold. The messages (tensorflow/core/example/example.proto, feature.proto) are few, so this is a reader of
// their wire format (protobuf.dev/programming-guides/encoding) and needs no generated code:
//
//   Example {1: Features {1: {1: name, 2: Feature {1: {1: bytes...} | 2: {1: floats...} | 3: {1: int64s...}}}...}}

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace wt::data {

enum class ListKind : std::uint8_t { none, bytes, floats, int64s };
std::string_view name(ListKind kind);  // "int64_list"

// Exactly one of the lists is used.
struct Feature {
  ListKind kind = ListKind::none;
  std::vector<std::string_view> bytes{};
  std::vector<float> floats{};
  std::vector<std::int64_t> int64s{};
};

// By name. Texts are views of the message.
using Example = std::map<std::string_view, Feature>;

// Returns nothing if the bytes are no such message. Fields that the messages don't have are passed over. Of
// two features of the same name, the later one counts, as in every protobuf map.
std::optional<Example> parse_example(std::string_view message);

}  // namespace wt::data
