// Claims: what a strategy makes of a dataset, of options and of calls behind the distribution is what the recorded program
// data_distribute_refusals got from TensorFlow: elements, or the same refusal. A key is compared, or listed with a reason.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "data/text_lines.h"
#include "distribute/strategy.h"
#include "recordings/packed_recordings.h"
#include "study/recordings/datasets.h"

namespace wt::recordings {
namespace {

using data::Dataset;
using data::Element;
using data::InputOptions;

distribute::Strategy made(const std::string& kind) {
  const std::string two = R"({"virtual": {"devices": 2}})";
  if (kind == "mirrored2") return distribute::mirrored({.platform = two});
  if (kind == "one1") return distribute::one_device({.platform = two, .device = "GPU:1"});
  if (kind == "central2") return distribute::central_storage({.platform = two});
  return distribute::default_strategy(two);
}

class Refusals : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  Refusals()
      : recording_(packed().named(std::get<0>(GetParam()), "data_distribute_refusals")),
        kind_(std::get<1>(GetParam())),
        strategy_(made(kind_)) {}

  static const PackedRecordings& packed() {
    static const PackedRecordings all({"data.tar.gz"});
    return all;
  }

  void same(const std::string& name, const std::function<std::string()>& call) {
    const std::string key = kind_ + "/" + name;
    done_.insert(key);
    Comparison comparison;
    compare_call(recording_, comparison, key, call);
    EXPECT_EQ(comparison.judgement().verdict, Verdict::passed) << key << ": " << comparison.judgement().why;
  }

  // The elements of a distributed dataset, at most 4 of each epoch, or the refusal to make it.
  void distributed(const std::string& name, std::uint64_t epochs,
                   const std::function<data::DistributedDataset()>& make, const ComponentNames& names = {}) {
    if (recording_.error(kind_ + "/" + name) != nullptr) {
      same(name, [&] { return make(), std::string(); });
      return;
    }
    done_.insert(kind_ + "/" + name);
    same(name + "/replicas", [&] { return text_of(make(), {.count = epochs, .limit = 4}, names); });
  }

  void not_here(const std::string& name, const char* reason) {
    EXPECT_STRNE(reason, "");
    for (const std::string& key : keys_of(recording_))
      if (key == kind_ + "/" + name || key.starts_with(kind_ + "/" + name + "/")) done_.insert(key);
  }

  const Recording& recording_;
  std::string kind_;
  distribute::Strategy strategy_;
  std::set<std::string> done_{};
};

Dataset doubled(const Dataset& dataset) {
  return dataset.map([](Element element) {
    Tensor product = element[0].copy();
    for (std::int64_t& value : product.values<std::int64_t>()) value *= 2;
    return Element{product};
  });
}

std::int64_t sum_of(const std::vector<Element>& replicas) {
  std::int64_t sum = 0;
  for (const Element& element : replicas)
    for (const std::int64_t value : element[0].values<std::int64_t>()) sum += value;
  return sum;
}

TEST_P(Refusals, AP5_OfDatasetsOptionsAndCallsAreTensorFlows) {
  const std::vector<std::string> letters{"a", "b", "c"};
  const Dataset three = Dataset::from_tensor_slices({Tensor::of<float>({3}, {1, 2, 3})});
  const std::map<std::string, Dataset> datasets{
      {"scalars", Dataset::range(4)},
      {"unbatched rows",
       Dataset::from_tensor_slices({Tensor::of<float>({4, 3}, std::vector<float>(12, 1.F))})},
      {"strings", Dataset::from_tensor_slices({data::text_tensor(letters)}).batch(2)},
      {"endless", Dataset::range(3).repeat().batch(2)},
      {"batch then map", doubled(Dataset::range(6).batch(4))},
      {"batch then filter", Dataset::range(6).batch(4).filter(
                                [](const Element& batch) { return batch[0].values<std::int64_t>()[0] < 3; })},
      {"unequal batch dims", Dataset::zip({Dataset::range(4).batch(2), Dataset::range(6).batch(3)})},
      {"shuffled", Dataset::range(8).shuffle(8, data::shuffle_seed(1)).batch(4)},
  };
  for (const auto& each : datasets)
    distributed(each.first, 2, [&] { return strategy_.experimental_distribute_dataset(each.second); });
  distributed("nested", 2, [&] { return strategy_.experimental_distribute_dataset(three.batch(3)); }, {"a"});
  for (const char* name : {"list", "tensor", "none", "iterator", "distributed", "index", "map", "take",
                           "next without iter", "len"})
    not_here(name,
             "C++ doesn't compile: what is distributed is a Dataset, and the result has no such member");
  not_here("ragged", "a tensor has rows of one length");

  const Dataset batches = Dataset::range(6).batch(2);
  const auto per_replica = data::InputReplication::per_replica;
  const std::map<std::string, InputOptions> options{
      {"fetch", {.fetch_to_device = true}},
      {"no fetch", {.fetch_to_device = false}},
      {"per replica", {.replication_mode = per_replica}},
      {"buffer 2", {.per_replica_buffer_size = 2}},
      {"place", {.place_dataset_on_device = true}},
      {"place per replica",
       {.fetch_to_device = false, .replication_mode = per_replica, .place_dataset_on_device = true}},
  };
  for (const auto& each : options) {
    distributed("options " + each.first, 1,
                [&] { return strategy_.experimental_distribute_dataset(batches, each.second); });
    if (kind_ == "central2" && each.first == "place per replica") continue;
    distributed("function options " + each.first, 1, [&] {
      return strategy_.distribute_datasets_from_function(
          [](const data::InputContext&) { return Dataset::range(6).batch(2); }, each.second);
    });
  }
  if (kind_ == "central2")
    not_here("function options place per replica",
             "TensorFlow gives the first replica every element, and no other one");

  const data::DistributedDataset dataset = strategy_.experimental_distribute_dataset(batches);
  data::DistributedIterator iterator = dataset.iterate();
  if (kind_ == "default")
    not_here("next in replica", "the default strategy has no replicas, and a dataset stays what it is");
  else
    same("next in replica", [&] {
      strategy_.run([&] { iterator.next(); });
      return std::string();
    });
  not_here("enumerate in function", "a compiled step has no loop over a dataset in it");
  not_here("loop in function", "a compiled step has no loop over a dataset in it");
  std::int64_t numbers = 0, steps = 0, sum = 0;
  data::DistributedIterator loop = dataset.iterate();
  while (const auto replicas = loop.next()) {
    numbers += steps++;
    sum += sum_of(*replicas);
  }
  const auto recorded = [&](const char* key) {
    done_.insert(kind_ + "/" + key);
    return recording_.value(kind_ + "/" + key)->find("value")->integer();
  };
  EXPECT_EQ(numbers, recorded("enumerate eager"));
  EXPECT_EQ(sum, recorded("loop eager"));
  for (const std::string& key : keys_of(recording_))
    EXPECT_TRUE(!key.starts_with(kind_ + "/") || done_.contains(key))
        << key << " is neither compared nor listed";
}
INSTANTIATE_TEST_SUITE_P(Recordings, Refusals,
                         testing::Combine(testing::Values("keras2", "keras3"),
                                          testing::Values("mirrored2", "central2", "one1", "default")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace wt::recordings
