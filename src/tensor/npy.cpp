#include "tensor/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

namespace wt {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view beginning{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t of_numbers = 64;  // the alignment of the numbers

struct NpyDescriptor {
  Type type{};
  std::string_view text{};
};
constexpr std::array<NpyDescriptor, 7> npy_descriptors{{{Type::float32, "<f4"},
                                                        {Type::float64, "<f8"},
                                                        {Type::int32, "<i4"},
                                                        {Type::int64, "<i8"},
                                                        {Type::boolean, "|b1"},
                                                        {Type::uint8, "|u1"},
                                                        {Type::float16, "<f2"}}};

std::string npy_shape(const Shape& shape) {
  return shape.rank() == 1 ? fmt::format("{},", shape[0])
                           : fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", "));
}

}  // namespace

std::string to_npy(const Tensor& tensor) {
  const auto found = std::ranges::find(npy_descriptors, tensor.type(), &NpyDescriptor::type);
  WT_EXPECT(found != npy_descriptors.end(), "NumPy has no type {}", name(tensor.type()));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", found->text,
                                   npy_shape(tensor.shape()));
  const std::size_t before = beginning.size() + 2 + header.size() + 1;
  header.append((of_numbers - before % of_numbers) % of_numbers, ' ').push_back('\n');
  std::string bytes(beginning);
  bytes.push_back(static_cast<char>(header.size() & 0xff));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  bytes += header;
  const std::span<const std::byte> numbers = tensor.bytes();
  return bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size());
}

}  // namespace wt
