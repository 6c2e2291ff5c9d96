// Claims: the transformations of datasets give the elements, specs and cardinalities that TensorFlow was recorded to give,
// and refuse what it refuses. Each program is one recording, and each of its keys is compared, or listed with the reason
// why C++ has nothing like it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/operation_seed.h"
#include "base/tensorflow_error.h"
#include "data/text_lines.h"
#include "recordings/packed_recordings.h"
#include "study/recordings/datasets.h"

namespace wt::recordings {
namespace {

using data::Dataset;
using data::Element;
using Make = std::function<Dataset()>;

const PackedRecordings& packed() {
  static const PackedRecordings all({"data.tar.gz"});
  return all;
}

constexpr const char* versions[] = {"keras2", "keras3"};

// A recorded program, and which of its keys were compared.
class Program {
 public:
  Program(const std::string& version, const std::string& id)
      : version_(version), recording_(packed().named(version, "data_" + id)) {}
  Program(const Program&) = delete;
  ~Program() {
    for (const std::string& key : keys_of(recording_))
      EXPECT_TRUE(done_.contains(key)) << recording_.id << ": " << key << " is neither compared nor listed";
  }

  // Some calls leave a value under a key, or an error.
  void same(const std::string& key, const std::function<std::string()>& call) {
    Comparison comparison;
    compare_call(recording_, comparison, key, call);
    const Judgement judgement = comparison.judgement();
    EXPECT_EQ(judgement.verdict, Verdict::passed)
        << version_ << " " << recording_.id << ": " << judgement.why;
    done_.insert(key);
  }

  // A pipeline of a table: two epochs of its elements, its spec, cardinality and length; or the error.
  void pipeline(const std::string& name, const Make& make,
                const std::function<std::string(const Element&)>& text = {}) {
    std::optional<Dataset> dataset;
    try {
      dataset = make();
    } catch (const InputError&) {
      same(name, [&] { return make(), std::string(); });
      return;
    }
    ASSERT_EQ(recording_.error(name), nullptr) << name << " should be refused";
    same(name + "/elements", [&] { return elements(*dataset, text); });
    same(name + "/cardinality", [&] { return fmt::format("{}", dataset->cardinality()); });
    same_length(name + "/len", dataset->cardinality());
    const json::Value* spec = recording_.text(name + "/spec");
    ASSERT_NE(spec, nullptr) << name;
    EXPECT_EQ(components_of(recorded_spec(data::element_spec(dataset->specs()))),
              components_of(spec->string()))
        << name;
  }

  void not_here(const std::string& beginning, const char* reason) {
    for (const std::string& key : keys_of(recording_))
      if (key.starts_with(beginning)) done_.insert(key);
    EXPECT_STRNE(reason, "");
  }

  const Recording& recording() const { return recording_; }

 private:
  static std::string elements(const Dataset& dataset,
                              const std::function<std::string(const Element&)>& text) {
    if (!text) return text_of(dataset, {.count = 2, .limit = 40});
    std::string epochs;
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      std::string all;
      data::Iterator iterator = dataset.iterate(epoch);
      while (const auto element = iterator.next()) all += (all.empty() ? "" : ", ") + text(*element);
      epochs += (epochs.empty() ? "[" : ", [") + all + "]";
    }
    return "[" + epochs + "]";
  }

  // Python's len() of an unknown number is a TypeError.
  void same_length(const std::string& key, std::int64_t cardinality) {
    done_.insert(key);
    const json::Value* length = recording_.value(key);
    if (length != nullptr)
      EXPECT_EQ(length->integer(), cardinality) << key;
    else
      EXPECT_LT(cardinality, 0) << key;
  }

  // Structures are lists of components here.
  static std::vector<std::string> components_of(const std::string& spec) {
    static const std::regex component(R"(TensorSpec\(shape=\([^)]*\)[^)]*\))");
    std::vector<std::string> all;
    for (std::sregex_iterator at(spec.begin(), spec.end(), component), end; at != end; ++at)
      all.push_back(at->str());
    return all;
  }

  std::string version_;
  const Recording& recording_;
  std::set<std::string> done_{};
};

Tensor scalar(std::int64_t value) { return Tensor::of<std::int64_t>({}, {value}); }
std::int64_t number_in(const Element& element) { return element[0].values<std::int64_t>()[0]; }

// range(start, stop), each number as many times as it says.
Dataset filled(std::int64_t start, std::int64_t stop) {
  return Dataset::range(start, stop).map({{Type::int64, {data::unknown_extent}}}, [](const Element& number) {
    const std::vector<std::int64_t> copies(static_cast<std::size_t>(number_in(number)), number_in(number));
    return Element{Tensor::of<std::int64_t>({number_in(number)}, copies)};
  });
}

Dataset times(const Dataset& dataset, std::int64_t factor) {
  return dataset.map([factor](Element element) {
    Tensor product = element[0].copy();
    for (std::int64_t& value : product.values<std::int64_t>()) value *= factor;
    return Element{product};
  });
}

TEST(P11, BatchesAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_batch");
    for (const std::int64_t rows : {1, 3, 5, 10, 12})
      for (const bool drop : {false, true})
        program.pipeline(fmt::format("{}{}", drop ? "drop " : "", rows),
                         [&] { return Dataset::range(10).batch(rows, drop); });
  }
}

Dataset nested() {
  return Dataset::from_tensor_slices({Tensor::of<float>({3}, {1, 2, 3}),
                                      Tensor::of<std::int32_t>({3}, {1, 2, 3}),
                                      Tensor::of<std::int32_t>({3, 1}, {4, 5, 6})})
      .batch(2);
}

std::string nested_text(const Element& element) {
  return fmt::format("{{a: {}, b: [{}, {}]}}", text_of(Element{element[0]}), text_of(Element{element[1]}),
                     text_of(Element{element[2]}));
}

Dataset growing() {
  return Dataset::range(1, 4).map({{Type::float32, {data::unknown_extent}}}, [](const Element& number) {
    const std::vector<float> ones(static_cast<std::size_t>(number_in(number)), 1.F);
    return Element{Tensor::of<float>({number_in(number)}, ones)};
  });
}

TEST(P11, OddBatchesAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_batch_odd");
    const Dataset three = Dataset::range(3), ten = Dataset::range(10);
    program.pipeline("zero", [&] { return three.batch(0); });
    program.pipeline("negative", [&] { return three.batch(-1); });
    program.pipeline("of batches", [&] { return ten.batch(2).batch(2); });
    program.pipeline("unbatch", [&] { return Dataset::range(6).batch(4).unbatch().batch(5); });
    program.pipeline("rebatch", [&] { return ten.batch(4).rebatch({3}); });
    program.pipeline("rebatch list", [&] { return ten.batch(4).rebatch({2, 1}); });
    program.pipeline("nest", nested, nested_text);
    program.pipeline("shapes differ", [] { return growing().batch(2); });
    program.pipeline("empty", [] { return Dataset::range(0).batch(2); });
    program.not_here("ragged", "a tensor has rows of one length");
  }
}

TEST(P12, OtherTransformationsAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_others");
    const Dataset six = Dataset::range(6);
    program.pipeline("zip", [] { return Dataset::zip({Dataset::range(3), times(Dataset::range(5), 10)}); });
    program.pipeline("concatenate", [] { return Dataset::range(2).concatenate(Dataset::range(5, 7)); });
    program.pipeline("concatenate kinds", [] {
      const std::vector<std::string> texts{"a"};
      return Dataset::range(2).concatenate(Dataset::from_tensor_slices({data::text_tensor(texts)}));
    });
    program.pipeline("filter",
                     [&] { return six.filter([](const Element& x) { return number_in(x) % 2 == 0; }); });
    program.pipeline("enumerate", [] { return Dataset::range(4, 6).enumerate(); });
    program.pipeline("scan", [] {
      return Dataset::range(4).scan({scalar(0)}, {{Type::int64, {}}},
                                    [](const Element& sum, const Element& x) {
                                      return std::pair(Element{scalar(number_in(sum) + number_in(x))}, sum);
                                    });
    });
    program.pipeline("take_while",
                     [&] { return six.take_while([](const Element& x) { return number_in(x) < 3; }); });
    program.pipeline("unique", [] {
      return Dataset::from_tensor_slices({Tensor::of<std::int32_t>({5}, {1, 2, 1, 3, 2})}).unique();
    });
    program.pipeline("range", [] { return Dataset::range(10, 2, -3); });
    program.pipeline("slices uneven", [] {
      return Dataset::from_tensor_slices(
          {Tensor::of<std::int32_t>({2}, {1, 2}), Tensor::of<std::int32_t>({3}, {1, 2, 3})});
    });
    program.pipeline("slices scalar",
                     [] { return Dataset::from_tensor_slices({Tensor::of<std::int32_t>({}, {3})}); });
    program.pipeline("generator", [] {
      return Dataset::from_generator({{Type::int32, {}}}, [] {
        return [next = 0]() mutable -> std::optional<Element> {
          if (next == 3) return std::nullopt;
          return Element{Tensor::of<std::int32_t>({}, {++next})};
        };
      });
    });
    program.pipeline("prefetch", [] { return Dataset::range(3); });  // changes no element
    program.pipeline("choose", [] {
      return Dataset::choose_from_datasets(
          {Dataset::range(3), Dataset::range(10, 13)},
          Dataset::from_tensor_slices({Tensor::of<std::int64_t>({4}, {0, 1, 1, 0})}));
    });
    program.not_here("sample", "which dataset comes next is drawn by tf.random's stateless_multinomial");
    program.not_here("stateless random",
                     "random numbers are no data here; synthetic rows are seeded by a scenario");
  }
}

TEST(P12, PaddedBatchesAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_padded_batch");
    const Dataset five = filled(1, 6);
    program.pipeline("default", [&] { return five.padded_batch(2); });
    program.pipeline("value", [&] { return five.padded_batch(2, {.values = {scalar(-1)}}); });
    program.pipeline("shape", [&] { return five.padded_batch(2, {.shapes = {{6}}}); });
    program.pipeline("too small", [&] { return five.padded_batch(2, {.shapes = {{2}}}); });
    program.pipeline("drop", [&] { return five.padded_batch(2, {.drop_remainder = true}); });
    program.pipeline("pair", [] {
      return Dataset::zip({filled(1, 4), Dataset::range(1, 4)})
          .padded_batch(2, {.shapes = {{data::unknown_extent}, {}}, .values = {scalar(9), scalar(0)}});
    });
    program.pipeline("wrong type", [] {
      return filled(1, 4).padded_batch(2, {.values = {Tensor::of<float>({}, {1.5F})}});
    });
  }
}

TEST(P12, ShardsAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_shard");
    const Dataset seven = Dataset::range(7);
    for (const std::int64_t shards : {1, 2, 3, 9})
      for (std::int64_t index = 0; index < std::min<std::int64_t>(shards, 3); ++index)
        program.pipeline(fmt::format("{} of {}", index, shards), [&] { return seven.shard(shards, index); });
    program.pipeline("index too big", [&] { return seven.shard(2, 2); });
    program.pipeline("negative", [&] { return seven.shard(2, -1); });
    program.pipeline("none", [&] { return seven.shard(0, 0); });
    program.pipeline("after batch", [&] { return seven.batch(2).shard(2, 1); });
    program.pipeline("before batch", [&] { return seven.shard(2, 1).batch(2); });
  }
}

TEST(P12, WhatIsTakenAndSkippedIsTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "pipeline_take_skip");
    for (const std::int64_t count : {0, 2, 5, 9, -1}) {
      program.pipeline(fmt::format("take {}", count), [&] { return Dataset::range(5).take(count); });
      program.pipeline(fmt::format("skip {}", count), [&] { return Dataset::range(5).skip(count); });
    }
    program.pipeline("skip take", [] { return Dataset::range(9).skip(2).take(3); });
    program.pipeline("take skip", [] { return Dataset::range(9).take(3).skip(2); });
  }
}

struct WindowCase {
  data::Windows windows{};
  std::string name() const {
    const std::string shift = windows.shift ? fmt::format("{}", *windows.shift) : "None";
    return fmt::format("size {} shift {} stride {} drop {}", windows.size, shift, windows.stride,
                       windows.drop_remainder ? "True" : "False");
  }
};

TEST(P12, WindowsAreTensorFlows) {
  const WindowCase cases[] = {{{3, {}, 1, false}}, {{3, {}, 1, true}}, {{3, 1, 1, false}}, {{3, 1, 1, true}},
                              {{2, 2, 3, false}},  {{2, 1, 3, true}},  {{3, 5, 1, false}}};
  for (const char* version : versions) {
    Program program(version, "pipeline_window");
    for (const WindowCase& each : cases)
      program.pipeline(each.name(), [&] { return Dataset::range(7).window(each.windows); });
    program.pipeline("zero", [] { return Dataset::range(3).window({.size = 0}); });
  }
}

Dataset shuffled(std::int64_t rows, std::int64_t buffer, std::int64_t seed) {
  return Dataset::range(rows).shuffle(buffer, data::shuffle_seed(seed));
}

constexpr std::int64_t global_seed = 11;  // from the middle of the program on

std::string two_iterators() {
  const Dataset six = Dataset::range(6).shuffle(6, data::shuffle_seed(4, global_seed));
  data::Iterator first = six.iterate(0), second = six.iterate(1);
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < 6; ++i) {
    numbers.push_back(number_in(*first.next()));
    numbers.push_back(number_in(*second.next()));
  }
  return text_of(Element{Tensor::of<std::int64_t>({6, 2}, numbers)});
}

TEST(P12, SeveralShufflesAreTensorFlows) {
  for (const char* version : versions) {
    Program program(version, "shuffle_two");
    const auto same = [&](const char* key, const Dataset& dataset) {
      program.same(key, [&] { return text_of(dataset, {.count = 2}); });
    };
    same("two shuffles", shuffled(12, 5, 1).shuffle(4, data::shuffle_seed(2)));
    same("shuffle batch shuffle", shuffled(12, 12, 1).batch(4).shuffle(3, data::shuffle_seed(2)));
    same("repeat shuffle", Dataset::range(5).repeat(3).shuffle(6, data::shuffle_seed(1)));
    same("map between", times(shuffled(6, 6, 3), 2));
    OperationSeeds seeds(global_seed);
    const Dataset a = Dataset::range(6).shuffle(6, data::shuffle_seed(seeds.next(), global_seed));
    const Dataset b = Dataset::range(6).shuffle(6, data::shuffle_seed(seeds.next(), global_seed));
    same("a", a);
    same("b", b);
    same("a again", a);
    program.same("two iterators", two_iterators);
    program.same("buffer 0", [] { return shuffled(3, 0, 1), std::string(); });
    program.same("buffer -1", [] { return shuffled(3, -1, 1), std::string(); });
  }
}

}  // namespace
}  // namespace wt::recordings
