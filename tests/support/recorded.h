// How the results of a C++ program are compared with what TensorFlow was recorded to do: values, shapes and types, the kind
// of each error and TensorFlow's own sentence. Each folder of tests has its own archive of recordings, packed by
// tests/recordings/pack.py.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <regex>
#include <set>
#include <string>

#include "device/error.h"
#include "recordings/packed_recordings.h"
#include "train/distributed/extended.h"
#include "train/distributed/variable.h"
#include "train/errors.h"
#include "train/strategy.h"
#include "train/tensor_operations.h"

namespace wt::test {

using recordings::Recording;
using train::DistributedValues;
using train::EagerTensor;
using train::IndexedSlices;
using train::Strategy;

// ---- Reading values

inline std::vector<device::LogicalDevice> cpus(int first, int count) {
  std::vector<device::LogicalDevice> devices;
  for (int i = 0; i < count; ++i)
    devices.push_back({.name = device::canonical({.kind = device::Kind::cpu, .index = first + i})});
  return devices;
}

inline void add_numbers(const json::Value& value, std::vector<double>& numbers) {
  switch (value.kind()) {
    case json::Kind::array:
      for (const json::Value& element : value.elements()) add_numbers(element, numbers);
      return;
    case json::Kind::integer:
      return numbers.push_back(static_cast<double>(value.integer()));
    case json::Kind::boolean:
      return numbers.push_back(value.boolean() ? 1 : 0);
    case json::Kind::string:
      return numbers.push_back(std::stod(value.string()));
    default:
      return numbers.push_back(value.real());
  }
}

template <class T>
Tensor tensor(const Shape& shape, const std::vector<double>& numbers) {
  std::vector<T> values;
  for (const double number : numbers) values.push_back(static_cast<T>(number));
  return Tensor::of<T>(shape, values);
}

// Addresses and Python's paths of classes don't count.
inline std::string without_addresses(const std::string& sentence) {
  static const std::regex object("<[a-z_0-9.]*\\.([A-Za-z_0-9]+) object at 0x[^>]*>");
  return std::regex_replace(sentence, object, "$1");
}

// "mirrored3", "central2", "one1", "default", on the CPUs of a host that are logical devices, as in the recordings.
inline std::shared_ptr<const Strategy> strategy_named(const std::string& kind) {
  using train::Gathering, train::VariablePlacement;
  const int count = std::isdigit(kind.back()) != 0 ? kind.back() - '0' : 1;
  if (kind.starts_with("mirrored"))
    return std::make_shared<const Strategy>(
        Strategy::Traits{.name = "MirroredStrategy",
                         .devices = cpus(0, count),
                         .cross_device_ops = strategy::CrossDeviceOps::collective_ring});
  if (kind.starts_with("central"))
    return std::make_shared<const Strategy>(
        Strategy::Traits{.name = "CentralStorageStrategy",
                         .devices = cpus(0, count),
                         .variables = VariablePlacement::on_parameter_device,
                         .parameter_device = cpus(0, 1)[0].name,
                         .gathering = Gathering::by_concatenation});
  if (kind.starts_with("one"))
    return std::make_shared<const Strategy>(Strategy::Traits{.name = "OneDeviceStrategy",
                                                             .devices = cpus(count, 1),
                                                             .variables = VariablePlacement::on_its_device});
  return {std::shared_ptr<void>(), &train::get_strategy()};  // which nobody owns
}

inline Tensor tensor_of(Type type, const Shape& shape, const json::Value& value) {
  std::vector<double> numbers;
  add_numbers(value, numbers);
  switch (type) {
    case Type::float64:
      return tensor<double>(shape, numbers);
    case Type::int32:
      return tensor<std::int32_t>(shape, numbers);
    case Type::int64:
      return tensor<std::int64_t>(shape, numbers);
    default:
      return train::cast({tensor<float>(shape, numbers)}, type).numbers;
  }
}

inline Shape shape_of(const json::Value& extents) {
  std::vector<std::int64_t> sizes;
  for (const json::Value& extent : extents.elements()) sizes.push_back(extent.integer());
  return Shape(sizes);
}

inline const json::Value::Elements& items(const json::Value& value) {
  return value.kind() == json::Kind::array ? value.elements() : value.find("items")->elements();
}

// ---- What the recorded programs compute with, in a replica

inline train::ReplicaContext context() { return train::get_replica_context().value(); }
inline double factor() { return static_cast<double>(context().replica_id_in_sync_group() + 1); }
inline EagerTensor replica_id() {
  return train::constant(static_cast<std::int32_t>(context().replica_id_in_sync_group()));
}

// ---- Comparing. A failure names the recording and the key.

// What a replica should have. TensorFlow puts the containers outside, and what is the same object on all replicas has no
// part of its own.
struct Wanted {
  const json::Value& value;
  std::size_t replica = 0;

  const json::Value& own() const {
    const json::Value* kind = value.kind() == json::Kind::object ? value.find("kind") : nullptr;
    const bool is_distributed = kind != nullptr && kind->kind() == json::Kind::string &&
                                (kind->string() == "PerReplica" || kind->string() == "Mirrored");
    return is_distributed ? value.find("items")->elements().at(replica) : value;
  }
  const json::Value::Elements& elements() const { return items(own()); }
};

// The largest difference, relative to the largest element.
inline double relative_difference(const Tensor& a, const Tensor& b) {
  const Tensor x = train::cast({a}, Type::float64).numbers, y = train::cast({b}, Type::float64).numbers;
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < x.values<double>().size(); ++i) {
    largest = std::max(largest, std::abs(y.values<double>()[i]));
    difference = std::max(difference, std::abs(x.values<double>()[i] - y.values<double>()[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

inline void expect_value(const std::string& at, const Wanted& wanted, const EagerTensor& found) {
  const Tensor& numbers = found.numbers;
  const bool is_traced = at.find("function") != at.npos;  // whose results have the device of the caller
  const json::Value* given = &wanted.own();
  if (given->kind() == json::Kind::object) {
    const json::Value& own = *given;
    ASSERT_NE(own.find("value"), nullptr) << at;
    EXPECT_EQ(name(numbers.type()), own.find("dtype")->string()) << at;
    if (own.find("shape") != nullptr) {
      EXPECT_EQ(numbers.shape(), shape_of(*own.find("shape"))) << at;
    }
    if (own.find("device") != nullptr && !is_traced) {
      EXPECT_EQ(device::print(found.device), own.find("device")->string()) << at;
    }
    given = own.find("value");
  }
  std::vector<double> values;
  add_numbers(*given, values);
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), numbers.shape().elements()) << at;
  const Tensor same = tensor_of(numbers.type(), numbers.shape(), *given);
  // Functions add in the order of their collectives, which shows in the last digit.
  const bool is_exact = !is_traced && at.find("accumulate") == at.npos;
  const bool is_same = is_exact || !is_floating(numbers.type())
                           ? std::ranges::equal(numbers.bytes(), same.bytes())
                           : relative_difference(numbers, same) < 1e-6;
  EXPECT_TRUE(is_same) << at << ": " << print(found) << ", and not " << print(EagerTensor{same});
}

inline void expect_value(const std::string& at, const Wanted& wanted, const IndexedSlices& found) {
  expect_value(at + " values", Wanted{*wanted.own().find("values"), wanted.replica}, found.values);
  expect_value(at + " indices", Wanted{*wanted.own().find("indices"), wanted.replica}, found.indices);
}

inline void expect_value(const std::string& at, const Wanted& wanted, const std::string& found) {
  ASSERT_EQ(wanted.own().kind(), json::Kind::string) << at;
  EXPECT_EQ(wanted.own().string(), found) << at;
}

template <class T>
requires std::is_arithmetic_v<T>
void expect_value(const std::string& at, const Wanted& wanted, T found) {
  const json::Value& own = wanted.own();
  std::vector<double> numbers;
  add_numbers(own.kind() == json::Kind::object ? *own.find("value") : own, numbers);  // of a scalar tensor
  EXPECT_EQ(numbers, std::vector{static_cast<double>(found)}) << at;
}

inline void expect_value(const std::string& at, const Wanted& wanted, const train::Variable& found) {
  if (wanted.own().find("items") == nullptr) return expect_value(at, wanted, found.copies().front().value());
  const auto copies = found.copies();
  ASSERT_EQ(wanted.elements().size(), copies.size()) << at;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const std::string copy = fmt::format("{} copy {}", at, i);
    expect_value(copy, Wanted{wanted.elements()[i]}, copies[i].value());
    expect_value(copy, Wanted{*wanted.elements()[i].find("name")}, copies[i].name());
  }
}

inline void expect_value(const std::string& at, const Wanted& wanted, std::monostate) {
  EXPECT_EQ(wanted.own().kind(), json::Kind::null) << at;
}

template <class T>
void expect_value(const std::string& at, const Wanted& wanted, const std::vector<T>& found);
template <class T>
void expect_value(const std::string& at, const Wanted& wanted, const std::map<std::string, T>& found);
template <class A, class B>
void expect_value(const std::string& at, const Wanted& wanted, const std::pair<A, B>& found);
template <class... T>
void expect_value(const std::string& at, const Wanted& wanted, const std::variant<T...>& found) {
  std::visit([&](const auto& each) { expect_value(at, wanted, each); }, found);
}

template <class T>
void expect_value(const std::string& at, const Wanted& wanted, const std::vector<T>& found) {
  ASSERT_EQ(wanted.elements().size(), found.size()) << at;
  for (std::size_t i = 0; i < found.size(); ++i)
    expect_value(fmt::format("{} [{}]", at, i), Wanted{wanted.elements()[i], wanted.replica}, found[i]);
}

template <class T>
void expect_value(const std::string& at, const Wanted& wanted, const std::map<std::string, T>& found) {
  for (const auto& [key, value] : found) {
    ASSERT_NE(wanted.own().find(key), nullptr) << at << " " << key;
    expect_value(at + " " + key, Wanted{*wanted.own().find(key), wanted.replica}, value);
  }
}

template <class A, class B>
void expect_value(const std::string& at, const Wanted& wanted, const std::pair<A, B>& found) {
  ASSERT_EQ(wanted.elements().size(), 2u) << at;
  expect_value(at, Wanted{wanted.elements()[0], wanted.replica}, found.first);
  expect_value(at, Wanted{wanted.elements()[1], wanted.replica}, found.second);
}

template <class... T>
void expect_value(const std::string& at, const Wanted& wanted, const std::tuple<T...>& found) {
  ASSERT_EQ(wanted.elements().size(), sizeof...(T)) << at;
  std::size_t i = 0;
  std::apply(
      [&](const T&... each) {
        (expect_value(at, Wanted{wanted.elements()[i++], wanted.replica}, each), ...);
      },
      found);
}

template <class T>
void expect_value(const std::string& at, const Wanted& wanted, const DistributedValues<T>& found) {
  for (std::size_t i = 0; i < found.size(); ++i)
    expect_value(fmt::format("{} on replica {}", at, i), Wanted{wanted.value, i}, T(found[i]));
}

// Where an error that was thrown is compared with what was recorded. What Python itself says has no sentence of
// TensorFlow's: any refusal will do.
inline void expect_error(const Recording& recording, const std::string& key, const std::string& type,
                         const std::string& sentence) {
  const std::string at = recording.version + " " + recording.id + " " + key;
  const json::Value* error = recording.error(key);
  ASSERT_NE(error, nullptr) << at << ": " << sentence;
  const json::Value* is_python = error->find("python");
  if (is_python != nullptr && is_python->kind() == json::Kind::boolean && is_python->boolean()) return;
  EXPECT_EQ(error->find("type")->string(), type) << at << ": " << sentence;
  const std::string trimmed = sentence.substr(0, sentence.find_last_not_of(' ') + 1);
  // The attributes of a kernel that is missing stand in another order each time.
  const auto without_attributes = [](const std::string& text) {
    return text.substr(0, text.find(" with these attrs"));
  };
  EXPECT_EQ(without_attributes(without_addresses(error->find("sentence")->string())),
            without_attributes(trimmed))
      << at;
}

// The keys of a recording that were compared, and the tests that did.
struct Compared {
  std::set<std::string> keys{}, tests{};

  void insert(const std::string& key) {
    keys.insert(key);
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    if (test != nullptr) tests.insert(fmt::format("{}.{}", test->test_suite_name(), test->name()));
  }
};

inline std::map<const Recording*, Compared>& compared() {
  static std::map<const Recording*, Compared> all;
  return all;
}

// What was recorded of a call under this key: a value, nothing, or an error.
template <class Call>
void expect_recorded(const Recording& recording, const std::string& key, const Call& call) {
  const std::string at = recording.version + " " + recording.id + " " + key;
  const json::Value* wanted = recording.value(key);
  const json::Value* error = recording.error(key);
  ASSERT_TRUE(wanted != nullptr || error != nullptr) << at << " was not recorded";
  // Where no error was raised, the program may have recorded just that.
  const bool is_refused = wanted == nullptr && error->find("type")->kind() != json::Kind::null;
  const std::string sentence = is_refused ? error->find("sentence")->string() : "";
  compared()[&recording].insert(key);
  const auto refused = [&](const std::string& type, const std::string& text) {
    ASSERT_TRUE(is_refused) << at << ": " << text;
    expect_error(recording, key, type, text);
  };
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      ASSERT_FALSE(is_refused) << at << " should be refused: " << sentence;
    } else {
      const auto found = call();
      ASSERT_FALSE(is_refused) << at << " should be refused: " << sentence;
      if (wanted != nullptr) expect_value(at, Wanted{*wanted}, found);
    }
  } catch (const device::ValueError& error_thrown) {
    refused("ValueError", error_thrown.what());
  } catch (const train::NotImplementedError& error_thrown) {
    refused("NotImplementedError", error_thrown.what());
  } catch (const device::RuntimeError& error_thrown) {
    refused("RuntimeError", error_thrown.what());
  } catch (const InvalidArgumentError& error_thrown) {
    refused("InvalidArgumentError", error_thrown.what());
  } catch (const InputError& error_thrown) {
    refused("InputError", error_thrown.what());
  }
}

}  // namespace wt::test
