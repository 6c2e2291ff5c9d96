// Claims: what TensorFlow's variables on parameter servers return in a caching scope, and what checkpoints of
// them hold, as recorded under TensorFlow 2.15 (keras2) and 2.21 (keras3) in tests/train/servers.

#include "support/folder.h"
#include "train/checkpoint.h"
#include "train/server_recordings.h"

namespace wt::train {
namespace {

// ---- Checkpoints

WT_FAMILY(Checkpoints, "checkpoint_");

TEST_P(Checkpoints, ST24_ShardsAreRestoredFromWholeVariablesAndBack) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  const Shape shape = shape_of(theirs_.config("shape"));
  ParameterServerStrategy strategy({1, 2}, partition_of(theirs_.config("partitioner")));
  const test::TestFolder folder;
  State plain(1);
  plain.add({{"v", {Type::float32, shape}, {}, {}, {}}});
  plain.write("v", theirs.at("saved"));
  const fs::path whole = Checkpoint(plain).save(folder.path() / "plain");

  ServerVariable v = strategy.create("v", filled(0, shape));
  const ServerVariable w = strategy.create("w", filled(1, shape));
  expect_described(theirs_.value("variable"), v);
  Checkpoint({{"v", v}}).restore(whole);
  expect_same(v.value(), theirs.at("restored"), "restored");

  const fs::path both = Checkpoint({{"v", v}, {"w", w}}).save(folder.path() / "both");
  std::vector<std::string> names;
  for (const auto& [name, tensor] : read_safetensors(both.string() + ".safetensors").tensors) {
    names.push_back(name + "/.ATTRIBUTES/VARIABLE_VALUE");
    EXPECT_EQ(tensor.shape(), shape) << name;
  }
  std::vector<std::string> saved;  // the first entry describes Python's objects
  for (const json::Value& row : theirs_.value("checkpoint").elements())
    saved.emplace_back(row.elements()[0].string());
  saved.erase(saved.begin());
  EXPECT_EQ(names, saved);

  State other(1);
  other.add({{"w", {Type::float32, shape}, {}, {}, {}}});
  Checkpoint(other).restore(both);
  expect_same(other.read("w"), theirs.at("restored_plain"), "restored_plain");
  v.assign(filled(0, shape));
  Checkpoint({{"v", v}}).restore(both);
  expect_same(v.value(), theirs.at("restored_again"), "restored_again");

  // Refused by both, with a text of our own here.
  const ServerVariable small = strategy.create("small", filled(0, {4, 3}));
  EXPECT_FALSE(theirs_.thrown("other_shape_sharded").type.empty());
  EXPECT_THROW(Checkpoint({{"v", small}}).restore(both), InputError);
  EXPECT_EQ(small.value().values<float>()[0], 0);
}

WT_FAMILY(Restore, "restore");

TEST_P(Restore, ST24_ShardsAreRestoredFromAWholeVariable) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  const test::TestFolder folder;
  State plain(1);
  plain.add({{"v", theirs.at("saved").spec(), {}, {}, {}}});
  plain.write("v", theirs.at("saved"));
  ParameterServerStrategy strategy({1, 2}, model::partition_by(model::FixedShardsPartitioner{4}));
  const ServerVariable v = strategy.create("", filled(0, theirs.at("saved").shape()));
  Checkpoint({{"v", v}}).restore(Checkpoint(plain).save(folder.path() / "plain"));
  expect_same(v.value(), theirs.at("restored"), "restored");
  expect_described(theirs_.value("variable"), v);
}

// ---- The caching scope

class Caching : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, Caching,
                         testing::Values("keras2/servers_caching", "keras3/servers_caching"), name_of_case);

TEST_P(Caching, ST20_AReadInTheScopeStaysWhatTheFirstOneWas) {
  ParameterServerStrategy strategy({1, 1});
  ClusterCoordinator coordinator(strategy);
  ServerVariable v = strategy.create("v", Tensor::of<float>({}, {1}));
  const auto number = [](const Tensor& tensor) { return tensor.values<float>()[0]; };
  const auto add_one = [&] { v.assign_add(Tensor::of<float>({}, {1})); };
  std::vector<float> read;
  const auto text = [&] { return fmt::format("[{:.1f}]", fmt::join(std::exchange(read, {}), ", ")); };
  coordinator.schedule([&](std::int64_t) {
    read.push_back(number(v.value()));
    add_one();
    for (int i = 0; i < 2; ++i) read.push_back(number(v.value()));
    return std::vector<Tensor>{};
  });
  EXPECT_EQ(text(), theirs_.returned("plain"));
  coordinator.schedule([&](std::int64_t) {
    {
      const auto scope = cache_variable_reads();
      read.push_back(number(v.value()));
      add_one();
      for (int i = 0; i < 2; ++i) read.push_back(number(v.value()));
    }
    read.push_back(number(v.value()));
    return std::vector<Tensor>{};
  });
  EXPECT_EQ(text(), theirs_.returned("cached"));
}

WT_FAMILY(CachedShards, "caching_");

TEST_P(CachedShards, ST20_ValuesAndSlicesAreCachedAndLookUpsAreNot) {
  const std::map<std::string, Tensor> theirs = theirs_.tensors();
  ParameterServerStrategy strategy({1, 2}, partition_of(theirs_.config("partitioner")));
  ServerVariable v = strategy.create("v", Tensor::of<float>({3, 2}, {0, 1, 2, 3, 4, 5}));
  const Tensor one = filled(1, {3, 2});
  std::vector<Tensor> read;
  const auto expect_read = [&](const std::string& name) {
    for (std::size_t i = 0; i < read.size(); ++i)
      expect_same(read[i], theirs.at(fmt::format("{}/{}", name, i)), fmt::format("{}/{}", name, i));
    EXPECT_FALSE(theirs.contains(fmt::format("{}/{}", name, read.size())));
    read.clear();
  };
  {
    const auto scope = cache_variable_reads();
    v.assign(filled(5, {3, 2}));
    read.push_back(v.value());
    v.assign_sub(one);
    read.push_back(v.value());
    read.push_back(v.look_up({2}));
    expect_as_recorded("nested", [] { const auto inner = cache_variable_reads(); });
  }
  read.push_back(v.value());
  expect_read("assigned");
  {
    const auto scope = cache_variable_reads();
    read.push_back(v.value());
    v.assign_add(one);
  }
  {
    const auto scope = cache_variable_reads();
    read.push_back(v.value());
    v.assign_add(one);
    read.push_back(v.value());
  }
  read.push_back(v.value());
  expect_read("twice");
  {
    const auto scope = cache_variable_reads();
    read.push_back(v.slice(0, 2));
    v.assign_add(one);
    read.push_back(v.slice(0, 2));
  }
  read.push_back(v.slice(0, 2));
  expect_read("sliced");
}

}  // namespace
}  // namespace wt::train
