#pragma once
// The bucket of an integer, as TensorFlow hashes its decimal digits: by FarmHash's Fingerprint64 (Pike and Alakuijala, 2014;
// tf.strings.to_hash_bucket_fast), or with a salt by SipHash-2-4 (Aumasson and Bernstein, 2012; to_hash_bucket_strong).

#include <cstdint>

#include "base/host_device.h"

namespace wt::element {
namespace {

// The decimal digits of a number, with its sign.
struct Digits {
  static constexpr int most = 20;
  unsigned char text[most + 4] = {};
  int length = 0;

  WT_HOST_DEVICE explicit Digits(std::int64_t number) {
    unsigned char reversed[most] = {};
    const bool is_negative = number < 0;
    auto left = is_negative ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
    int count = 0;
    do {
      reversed[count++] = static_cast<unsigned char>('0' + left % 10);
      left /= 10;
    } while (left > 0);
    if (is_negative) reversed[count++] = '-';
    for (length = 0; length < count; ++length) text[length] = reversed[count - 1 - length];
  }

  // `count` bytes from `begin` on, the first of them the lowest.
  WT_HOST_DEVICE std::uint64_t bytes(int begin, int count) const {
    std::uint64_t all = 0;
    for (int i = 0; i < count; ++i) all |= std::uint64_t{text[begin + i]} << (8 * i);
    return all;
  }
};

WT_HOST_DEVICE inline std::uint64_t rotated_right(std::uint64_t x, int bits) {
  return (x >> bits) | (x << (64 - bits));
}
WT_HOST_DEVICE inline std::uint64_t rotated_left(std::uint64_t x, int bits) {
  return rotated_right(x, 64 - bits);
}

// Of at most 32 bytes.
struct FarmHash {
  static constexpr std::uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

  static WT_HOST_DEVICE std::uint64_t of(const Digits& digits) {
    const auto length = static_cast<std::uint64_t>(digits.length);
    const int end = digits.length;
    const std::uint64_t factor = k2 + length * 2;
    if (end > 16) {
      const std::uint64_t a = digits.bytes(0, 8) * k1, b = digits.bytes(8, 8),
                          c = digits.bytes(end - 8, 8) * factor, d = digits.bytes(end - 16, 8) * k2;
      return mixed(rotated_right(a + b, 43) + rotated_right(c, 30) + d, a + rotated_right(b + k2, 18) + c,
                   factor);
    }
    if (end >= 8) {
      const std::uint64_t a = digits.bytes(0, 8) + k2, b = digits.bytes(end - 8, 8);
      return mixed(rotated_right(b, 37) * factor + a, (rotated_right(a, 25) + b) * factor, factor);
    }
    if (end >= 4) return mixed(length + (digits.bytes(0, 4) << 3), digits.bytes(end - 4, 4), factor);
    const std::uint64_t y = digits.bytes(0, 1) + (digits.bytes(end >> 1, 1) << 8);
    const std::uint64_t z = length + (digits.bytes(end - 1, 1) << 2);
    const std::uint64_t x = (y * k2) ^ (z * k0);
    return (x ^ (x >> 47)) * k2;
  }

 private:
  static WT_HOST_DEVICE std::uint64_t mixed(std::uint64_t u, std::uint64_t v, std::uint64_t factor) {
    std::uint64_t a = (u ^ v) * factor;
    a ^= a >> 47;
    std::uint64_t b = (v ^ a) * factor;
    b ^= b >> 47;
    return b * factor;
  }
};

struct SipHash {
  std::uint64_t v0, v1, v2, v3;

  static WT_HOST_DEVICE std::uint64_t of(const Digits& digits, std::uint64_t key0, std::uint64_t key1) {
    SipHash state{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
                  key1 ^ 0x7465646279746573};
    int begin = 0;
    for (; begin + 8 <= digits.length; begin += 8) state.take(digits.bytes(begin, 8));
    state.take(digits.bytes(begin, digits.length - begin) |
               (static_cast<std::uint64_t>(digits.length) << 56));
    state.v2 ^= 0xff;
    for (int i = 0; i < 4; ++i) state.round();
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
  }

 private:
  WT_HOST_DEVICE void take(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  WT_HOST_DEVICE void round() {
    v0 += v1;
    v1 = rotated_left(v1, 13) ^ v0;
    v0 = rotated_left(v0, 32);
    v2 += v3;
    v3 = rotated_left(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotated_left(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotated_left(v1, 17) ^ v2;
    v2 = rotated_left(v2, 32);
  }
};

struct HashBucket {
  bool is_salted = false;
  std::uint64_t key0 = 0, key1 = 0, buckets = 1;

  WT_HOST_DEVICE std::int64_t operator()(std::int64_t number) const {
    const Digits digits(number);
    const std::uint64_t hash = is_salted ? SipHash::of(digits, key0, key1) : FarmHash::of(digits);
    return static_cast<std::int64_t>(hash % buckets);
  }
};

}  // namespace
}  // namespace wt::element
