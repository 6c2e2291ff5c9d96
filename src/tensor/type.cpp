#include "tensor/type.h"

#include <array>

namespace wt {

namespace {

struct Row {
  Type type{};
  std::string_view name{};
  std::int64_t bytes{};
  bool is_floating{};
};

// One row per type, in the order of the enumerators, so that a type is the index of its row.
constexpr std::array<Row, 8> rows{{
    {Type::float32, "float32", 4, true},
    {Type::float64, "float64", 8, true},
    {Type::int32, "int32", 4, false},
    {Type::int64, "int64", 8, false},
    {Type::boolean, "bool", 1, false},
    {Type::uint8, "uint8", 1, false},
    {Type::float16, "float16", 2, true},
    {Type::bfloat16, "bfloat16", 2, true},
}};

const Row& row(Type type) { return rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name(Type type) { return row(type).name; }

std::optional<Type> type_named(std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::int64_t bytes_per_element(Type type) { return row(type).bytes; }

bool is_floating(Type type) { return row(type).is_floating; }

bool is_half(Type type) { return type == Type::float16 || type == Type::bfloat16; }

Type wide_type(Type type) { return is_half(type) ? Type::float32 : type; }

}  // namespace wt
