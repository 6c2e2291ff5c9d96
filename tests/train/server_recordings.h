// Recordings of TensorFlow's parameter servers (tests/train/servers), and how tests compare with them. A
// refusal is compared by the type of the exception and by TensorFlow's own sentence.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "program/placement.h"
#include "tensor/difference.h"
#include "tensor/safetensors.h"
#include "train/coordinator.h"
#include "train/machine.h"

namespace wt::train {

namespace fs = std::filesystem;
using model::Building;
using Symbols = std::vector<Symbol>;

inline const fs::path recorded_servers = fs::path(WT_TEST_DATA) / "train" / "servers";

inline std::vector<std::string> cases_of(const std::string& family) {
  std::vector<std::string> names;
  for (const char* version : {"keras2", "keras3"})
    for (const fs::directory_entry& entry : fs::directory_iterator(recorded_servers / version))
      if (entry.path().filename().string().starts_with("servers_" + family))
        names.push_back(std::string(version) + "/" + entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

inline const json::Value& at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  if (found == nullptr) throw InputError(fmt::format("the recording has no {}", key));
  return *found;
}

inline Shape shape_of(const json::Value& extents) {
  Shape shape;
  for (const json::Value& extent : extents.elements()) shape.append(extent.integer());
  return shape;
}

// What a call threw: the name by which a Python program would catch it, and the sentence. Empty: nothing.
struct Thrown {
  std::string type{};
  std::string sentence{};
  friend bool operator==(const Thrown&, const Thrown&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Thrown& thrown) {
    return out << thrown.type << ": " << thrown.sentence;
  }
};

inline std::string python_type(const std::exception& error) {
  const auto is = [&]<class T>(const T*) { return dynamic_cast<const T*>(&error) != nullptr; };
  if (const auto* operation = dynamic_cast<const OpError*>(&error)) return std::string(operation->type());
  if (is(static_cast<const ClosureInputError*>(nullptr))) return "ClosureInputError";
  if (is(static_cast<const NotImplementedError*>(nullptr))) return "NotImplementedError";
  if (is(static_cast<const device::RuntimeError*>(nullptr))) return "RuntimeError";
  return "ValueError";
}

template <class Call>
Thrown thrown_by(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return {python_type(error), error.problems().front().fact};
  } catch (const std::exception& error) {
    return {python_type(error), error.what()};
  }
  return {};
}

class Recording {
 public:
  explicit Recording(const std::string& name)
      : folder_(recorded_servers / name), case_(json::parse_file(folder_ / "case.json")) {}

  const json::Value& all() const { return case_; }
  const json::Value& value(std::string_view key) const { return at(at(case_, "values"), key); }
  const json::Value& config(std::string_view key) const { return at(value("config"), key); }
  bool has(std::string_view key) const { return at(case_, "values").find(key) != nullptr; }
  bool has_call(std::string_view key) const { return at(case_, "errors").find(key) != nullptr; }
  const json::Value& call(std::string_view key) const { return at(at(case_, "errors"), key); }
  std::map<std::string, Tensor> tensors() const {
    return read_safetensors(folder_ / "data.safetensors").tensors;
  }
  std::string returned(std::string_view key) const { return std::string(at(call(key), "returned").string()); }
  Thrown thrown(std::string_view key) const {
    const json::Value& type = at(call(key), "type");
    if (type.kind() == json::Kind::null) return {};
    return {std::string(type.string()), std::string(at(call(key), "sentence").string())};
  }

 private:
  fs::path folder_;
  json::Value case_;
};

// The test's parameter is "keras2/servers_coordinator".
class Case : public testing::TestWithParam<std::string> {
 protected:
  const Recording theirs_{GetParam()};
  bool is_keras3() const { return GetParam().starts_with("keras3"); }
  model::Semantics semantics() const {
    return is_keras3() ? model::Semantics::keras3 : model::Semantics::keras2;
  }
  template <class Call>
  void expect_as_recorded(std::string_view key, Call&& call) const {
    Thrown theirs = theirs_.thrown(key), ours = thrown_by(call);
    // Python prints the objects that it found; recordings cut long texts, so their sentence is missing.
    const std::size_t objects = theirs.sentence.find("[<");
    if (objects != std::string::npos) {
      theirs.sentence.resize(objects);
      ours.sentence.resize(std::min(objects, ours.sentence.size()));
    }
    if (theirs.sentence.starts_with("Graph execution error")) theirs.sentence = ours.sentence;
    EXPECT_EQ(ours, theirs) << key;
  }
};

// "keras2/servers_train_sgd_0" as the name of a test
inline std::string name_of_case(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::ranges::replace(text, '/', '_');
  return text;
}

#define WT_FAMILY(name, family) \
  class name : public Case {};  \
  INSTANTIATE_TEST_SUITE_P(Servers, name, testing::ValuesIn(cases_of(family)), name_of_case)

inline std::optional<model::Partitioner> partitioner_of(std::string_view name, const json::Value& arguments) {
  const auto number = [&](std::string_view key, std::int64_t otherwise) {
    const json::Value* found = arguments.find(key);
    return found == nullptr ? otherwise : found->integer();
  };
  if (name == "FixedShardsPartitioner") return model::FixedShardsPartitioner{number("num_shards", 1)};
  if (name == "MinSizePartitioner")
    return model::MinSizePartitioner{number("min_shard_bytes", 256 << 10), number("max_shards", 1),
                                     number("bytes_per_string", 16)};
  model::MaxSizePartitioner max{.max_shard_bytes = number("max_shard_bytes", 0),
                                .bytes_per_string = number("bytes_per_string", 16)};
  if (const json::Value* found = arguments.find("max_shards");
      found != nullptr && found->kind() != json::Kind::null)
    max.max_shards = found->integer();
  return max;
}

// Null in the recording is no partitioner.
inline model::Partition partition_of(const json::Value& spec) {
  if (spec.kind() == json::Kind::null) return {};
  return model::partition_by(*partitioner_of(spec.elements()[0].string(), spec.elements()[1]));
}

inline void expect_parts(const json::Value& theirs, std::span<const ServerVariable::Part> ours) {
  ASSERT_EQ(ours.size(), theirs.elements().size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto& part = theirs.elements()[i].elements();
    EXPECT_EQ(ours[i].name, part[0].string());
    EXPECT_EQ(ours[i].value.shape(), shape_of(part[1])) << ours[i].name;
    EXPECT_EQ(ours[i].device, part[2].string()) << ours[i].name;
  }
}

inline void expect_described(const json::Value& theirs, const ServerVariable& ours) {
  EXPECT_EQ(ours.is_sharded() ? "ShardedVariable" : "CachingVariable", at(theirs, "type").string());
  EXPECT_EQ(ours.spec().shape, shape_of(at(theirs, "shape")));
  expect_parts(at(theirs, "parts"), ours.parts());
}

inline void expect_same(const Tensor& ours, const Tensor& theirs, const std::string& name) {
  ASSERT_EQ(ours.spec().shape, theirs.spec().shape) << name;
  EXPECT_LE(relative_difference(ours, theirs), 1e-6) << name;
}

inline Tensor filled(float number, const Shape& shape) {
  return Tensor::of<float>(shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), number));
}

// tf.data.Dataset.range
inline data::Dataset counted(std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i <= end; ++i) numbers.push_back(i);
  return data::Dataset::from_tensor_slices({Tensor::of<std::int64_t>({end + 1}, numbers)}).take(end);
}

}  // namespace wt::train
