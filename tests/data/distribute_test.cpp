// Claim: in every step of a distributed dataset, each replica gets the rows that it gets in TensorFlow.

#include "data/distribute.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/numbers.h"

namespace wt::data {
namespace {

using Numbers = std::vector<std::int64_t>;
using Step = std::vector<Numbers>;  // the rows of each replica
using Steps = std::vector<Step>;

Dataset range(std::int64_t count) { return Dataset::from_tensor_slices({test::range(count)}); }

Steps steps_of(const DistributedDataset& dataset, std::uint64_t epoch = 0, std::size_t most = 1000) {
  Steps steps;
  DistributedIterator iterator = dataset.iterate(epoch);
  while (steps.size() < most) {
    const auto elements = iterator.next();
    if (!elements) break;
    steps.emplace_back();
    for (const Element& element : *elements) steps.back().push_back(test::numbers_of(element.front()));
  }
  return steps;
}

// The number of rows of each replica in each step.
std::vector<Numbers> sizes_of(const DistributedDataset& dataset) {
  std::vector<Numbers> sizes;
  for (const Step& step : steps_of(dataset)) {
    sizes.emplace_back();
    for (const Numbers& piece : step) sizes.back().push_back(std::ssize(piece));
  }
  return sizes;
}

DistributedDataset over(std::int64_t replicas, const Dataset& dataset,
                        AutoShardPolicy policy = AutoShardPolicy::automatic) {
  return {dataset, {.replicas = replicas, .policy = policy}};
}

// Two workers with one replica each.
DistributedDataset over_two_workers(const Dataset& dataset, AutoShardPolicy policy) {
  return {dataset, {.replicas = 2, .workers = 2, .policy = policy}};
}

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

constexpr AutoShardPolicy off = AutoShardPolicy::off;
constexpr AutoShardPolicy data_policy = AutoShardPolicy::data;

TEST(F1, RowsInMemoryAreSplitByTheLegacyRule) {
  EXPECT_EQ(sizes_of(over(3, range(10).batch(10))), (std::vector<Numbers>{{4, 4, 2}}));
  EXPECT_EQ(sizes_of(over(3, range(8).batch(4))), (std::vector<Numbers>{{2, 2, 0}, {2, 2, 0}}));
  EXPECT_EQ(steps_of(over(2, range(6).batch(4))), (Steps{{{0, 1}, {2, 3}}, {{4}, {5}}}));
  EXPECT_EQ(sizes_of(over(5, range(4).batch(4))), (std::vector<Numbers>{{1, 1, 1, 1, 0}}));
  EXPECT_EQ(sizes_of(over(4, range(100).batch(10))).back(), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(sizes_of(over(2, range(9).batch(4))).back(), (Numbers{1, 0}));
  EXPECT_EQ(sizes_of(over(8, range(1000).batch(64))).back(), (Numbers{5, 5, 5, 5, 5, 5, 5, 5}));
}

TEST(F1, PolicyOffSplitsByTheEvenRule) {
  EXPECT_EQ(sizes_of(over(3, range(10).batch(10), off)), (std::vector<Numbers>{{4, 3, 3}}));
  EXPECT_EQ(sizes_of(over(3, range(8).batch(4), off)), (std::vector<Numbers>{{2, 1, 1}, {2, 1, 1}}));
  EXPECT_EQ(steps_of(over(2, range(6).batch(4), off)), (Steps{{{0, 1}, {2, 3}}, {{4, 5}, {}}}));
  EXPECT_EQ(sizes_of(over(5, range(4).batch(4), off)), (std::vector<Numbers>{{1, 1, 1, 1, 0}}));
  EXPECT_EQ(sizes_of(over(4, range(100).batch(10), off)).back(), (Numbers{3, 3, 2, 2}));
  EXPECT_EQ(sizes_of(over(2, range(9).batch(4), off)).back(), (Numbers{1, 0}));
  EXPECT_EQ(sizes_of(over(8, range(1000).batch(64), off)).back(), (Numbers{8, 8, 8, 8, 8, 0, 0, 0}));
}

TEST(F1, FilesAreSplitByTheEvenRuleUnlessPolicyDataIsAskedFor) {
  const Dataset files = Dataset::from_files({numbered_rows(10)}).batch(10);
  const auto sizes = [&](AutoShardPolicy policy) {
    return sizes_of(DistributedDataset(files, {.replicas = 3, .policy = policy})).front();
  };
  EXPECT_EQ(sizes(AutoShardPolicy::automatic), (Numbers{4, 3, 3}));
  EXPECT_EQ(sizes(AutoShardPolicy::file), (Numbers{4, 3, 3}));
  EXPECT_EQ(sizes(data_policy), (Numbers{4, 4, 2}));
  EXPECT_EQ(sizes(off), (Numbers{4, 3, 3}));
}

TEST(F1, OneReplicaGetsTheBatchesAsTheyAre) {
  const DistributedDataset dataset = over(1, range(5).batch(2));
  EXPECT_EQ(dataset.rebatch(), Rebatch::none);
  EXPECT_EQ(steps_of(dataset), (Steps{{{0, 1}}, {{2, 3}}, {{4}}}));
}

TEST(F1, ABatchWhoseSizeCannotBeInferredIsSplitByTheLegacyRuleWhateverThePolicy) {
  const Dataset ten = Dataset::from_generator({{Type::int64, {unknown_extent}}}, [] {
    return [done = false]() mutable -> std::optional<Element> {
      if (std::exchange(done, true)) return std::nullopt;
      return Element{test::range(10)};
    };
  });
  EXPECT_EQ(ten.batch_size(), std::nullopt);
  EXPECT_EQ(sizes_of(over(3, ten, off)), (std::vector<Numbers>{{4, 4, 2}}));
}

// The cases of TensorFlow's own tests with two workers.
TEST(G15, EveryWorkerHasAPipelineThatFeedsItsReplicas) {
  EXPECT_EQ(steps_of(over_two_workers(range(8).batch(3), data_policy)),
            (Steps{{{0, 1}, {2}}, {{3, 4}, {5}}, {{6}, {7}}}));
  EXPECT_EQ(steps_of(over_two_workers(range(9).batch(2), data_policy)),
            (Steps{{{0}, {1}}, {{2}, {3}}, {{4}, {5}}, {{6}, {7}}, {{8}, {}}}));
  EXPECT_EQ(
      steps_of(over_two_workers(range(12).batch(8), off)),
      (Steps{{{0, 1, 2, 3}, {0, 1, 2, 3}}, {{4, 5, 6, 7}, {4, 5, 6, 7}}, {{8, 9, 10, 11}, {8, 9, 10, 11}}}));
}

TEST(G15, UnknownBatchesWithPolicyOffAreCutByTheLegacyRuleOnEveryWorker) {
  const std::vector<ComponentSpec> unknown{{Type::int64, {unknown_extent}}};
  const Dataset batches = Dataset::from_generator(unknown, [] {
    return [begin = std::int64_t{0}]() mutable -> std::optional<Element> {
      if (begin >= 12) return std::nullopt;
      const std::int64_t from = std::exchange(begin, begin + 8);
      return Element{test::range(12).rows(from, std::min<std::int64_t>(from + 8, 12))};
    };
  });
  EXPECT_EQ(steps_of(over_two_workers(batches, off)), (Steps{{{0, 1, 2, 3}, {0, 1, 2, 3}},
                                                             {{4, 5, 6, 7}, {4, 5, 6, 7}},
                                                             {{8, 9}, {8, 9}},
                                                             {{10, 11}, {10, 11}}}));
}

// Consecutive pieces go to different workers, so the second replica of the first worker has the third piece.
TEST(G15, ShardedPiecesGoToTheWorkersInTurn) {
  const DistributedDataset dataset(range(8).batch(8), {.replicas = 4, .workers = 2});
  EXPECT_EQ(steps_of(dataset), (Steps{{{0, 1}, {4, 5}, {2, 3}, {6, 7}}}));
}

// Two files of 6 rows. Each worker reads its own file, and its last step has the remaining rows.
TEST(G15, FilesAreDealtOutToTheWorkers) {
  const Dataset files = Dataset::from_files({numbered_rows(6), numbered_rows(6, 6)}).batch(4);
  EXPECT_EQ(steps_of(DistributedDataset(files, {.replicas = 2, .workers = 2})),
            (Steps{{{0, 1}, {6, 7}}, {{2, 3}, {8, 9}}, {{4, 5}, {10, 11}}}));
}

TEST(G15, RefusesWhatTensorFlowRefuses) {
  EXPECT_EQ(error_of([] { DistributedDataset(range(4).batch(2), {.replicas = 3, .workers = 2}); }),
            "tf.distribute expects every worker to have the same number of replicas. However, encountered "
            "`num_replicas_in_sync` (3) that cannot be divided by `num_workers` (2)\n"
            "give every worker the same number of devices");
  EXPECT_EQ(
      error_of([] { over(2, range(4)); }),
      "Invalid `input_dataset`. Expected a dataset whose elements have rank >= 1 but found a dataset whose "
      "elements are scalars\nFix the issue by adding the `batch` transformation to the dataset.");
  EXPECT_EQ(
      error_of([] { over_two_workers(range(4).batch(2), AutoShardPolicy::file); }),
      "Found an unshardable source dataset: the policy FILE shards files, and these elements are in memory "
      "or generated. Choose AUTO, DATA or OFF");
  const Dataset one = Dataset::from_files({numbered_rows(4)}).batch(2);
  EXPECT_EQ(
      error_of([&] { DistributedDataset(one, {.replicas = 2, .workers = 2}); }),
      "Could not apply FILE based sharding: the dataset only has 1 file(s), which is not enough for the "
      "required 2 shards/workers\nuse at least as many files as workers, or the policy DATA or OFF");
}

// tf_distribute.md 2.6.4: if the remainder is dropped, all shapes are known, and no replica gets an empty
// element.
TEST(F1, DropRemainderEndsWithTheLastWholeBatch) {
  EXPECT_EQ(sizes_of(over(2, range(9).batch(4, true))), (std::vector<Numbers>{{2, 2}, {2, 2}}));
  // 7 rows over 2 replicas are still uneven.
  EXPECT_EQ(sizes_of(over(2, range(9).batch(7, true))), (std::vector<Numbers>{{4, 3}}));
}

// Under central storage, the iteration ends with the first replica that has no piece. A piece with 0 rows is
// a piece.
TEST(F1, WithoutEmptyReplicasTheFirstThatHasNoPieceEndsTheIteration) {
  const auto central = [](AutoShardPolicy policy) {
    return sizes_of(
        {range(9).batch(4), {.replicas = 2, .policy = policy, .goes_on_with_empty_replicas = false}});
  };
  EXPECT_EQ(central(data_policy), (std::vector<Numbers>{{2, 2}, {2, 2}, {1, 0}}));
  EXPECT_EQ(central(off), (std::vector<Numbers>{{2, 2}, {2, 2}}));
}

TEST(F1, EmptyReplicasKeepTypeAndShapeOfTheRows) {
  const Tensor images = Tensor::zeros({Type::float32, {3, 28, 28}});
  const Dataset dataset = Dataset::from_tensor_slices({images, Tensor::zeros({Type::int32, {3}})}).batch(2);
  for (const AutoShardPolicy policy : {off, data_policy}) {
    DistributedIterator iterator = over(2, dataset, policy).iterate();
    iterator.next();
    const auto last = iterator.next();
    ASSERT_TRUE(last);
    EXPECT_EQ(print(last->at(0)[0].spec()), "float32[1,28,28]");
    EXPECT_EQ(print(last->at(1)[0].spec()), "float32[0,28,28]");
    EXPECT_EQ(print(last->at(1)[1].spec()), "int32[0]");
    EXPECT_FALSE(iterator.next());
  }
}

TEST(F1, EpochsAreThoseOfTheDataset) {
  const Dataset shuffled = range(16).shuffle(16, shuffle_seed(3)).batch(8);
  EXPECT_EQ(steps_of(over(2, shuffled), 1), steps_of(over(2, shuffled), 1));
  EXPECT_NE(steps_of(over(2, shuffled), 1), steps_of(over(2, shuffled), 0));
}

TEST(F1, RepeatedForeverADatasetNeverEnds) {
  EXPECT_EQ(steps_of(over(2, range(3).batch(3).repeat()), 0, 7).size(), 7u);
}

TEST(AP5, DatasetFunctionsGiveEveryPipelineItsOwnBatches) {
  std::vector<std::int64_t> asked;
  const auto function = [&](const InputContext& context) {
    asked.push_back(context.input_pipeline);
    return range(8).batch(context.per_replica_batch_size(8));
  };
  const Distribution two_by_two{.replicas = 4, .workers = 2};
  EXPECT_EQ(steps_of(DistributedDataset::from_function(function, two_by_two)),
            (Steps{{{0, 1}, {2, 3}, {0, 1}, {2, 3}}, {{4, 5}, {6, 7}, {4, 5}, {6, 7}}}));
  EXPECT_EQ(asked, (Numbers{0, 1}));
  asked.clear();
  const auto each = DistributedDataset::from_function(function, two_by_two, InputReplication::per_replica);
  EXPECT_EQ(steps_of(each).size(), 4u);
  EXPECT_EQ(asked, (Numbers{0, 1, 2, 3}));
}

TEST(AP5, AGlobalBatchThatTheReplicasDontDivideIsRefused) {
  EXPECT_EQ(error_of([] {
              return InputContext{1, 0, 3}.per_replica_batch_size(10);
            }),
            "The `global_batch_size` 10 is not divisible by `num_replicas_in_sync` 3");
}

TEST(P13, EachBatchOfTenOnesIsSplitEvenly) {
  const Tensor ones = Tensor::zeros({Type::int64, {100, 1}});
  const Dataset dataset = Dataset::from_tensor_slices({ones, ones}).batch(10);
  const auto sizes = sizes_of(over(2, dataset, data_policy));
  EXPECT_EQ(sizes, std::vector<Numbers>(10, {5, 5}));
}

TEST(P14, ABatchOfTenOnTwoReplicasIsFiveEach) {
  EXPECT_EQ(steps_of(over(2, range(10).batch(10))), (Steps{{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}}));
}

TEST(P18, SixtyFourRowsPerReplicaMakeTheGlobalBatch) {
  for (const std::int64_t replicas : {2, 4, 8})
    EXPECT_EQ(sizes_of(over(replicas, range(1024).batch(64 * replicas))).front(),
              Numbers(static_cast<std::size_t>(replicas), 64));
}

// ---- Datasets of files

// Rows numbered from 0 over all files.
Dataset numbered_files(const std::vector<std::int64_t>& rows_of_files) {
  std::vector<std::shared_ptr<const Rows>> files;
  float next = 0;
  for (const std::int64_t count : rows_of_files) {
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(next++);
    files.push_back(rows_of({Tensor::of<float>({count}, numbers)}));
  }
  return Dataset::from_files(std::move(files));
}

std::vector<float> numbers_of(DistributedIterator iterator, std::size_t replica) {
  std::vector<float> numbers;
  while (const auto step = iterator.next())
    for (const float number : (*step)[replica][0].values<float>()) numbers.push_back(number);
  return numbers;
}

TEST(DistributedFiles, AreShardedWholeWithAllTransformationsAfterThem) {
  const Dataset batches = numbered_files({4, 3, 2}).skip(1).repeat(2).batch(4);
  const DistributedDataset distributed(batches, {.replicas = 2, .workers = 2});
  EXPECT_EQ(distributed.rebatch(), Rebatch::even);
  EXPECT_EQ(numbers_of(distributed.iterate(), 0), (std::vector<float>{1, 2, 3, 7, 8, 1, 2, 3, 7, 8}));
  EXPECT_EQ(numbers_of(distributed.iterate(), 1), (std::vector<float>{5, 6, 5, 6}));
  const DistributedDataset sharded(batches, {.replicas = 2, .workers = 2, .policy = AutoShardPolicy::data});
  EXPECT_EQ(sharded.rebatch(), Rebatch::legacy);
  EXPECT_EQ(numbers_of(sharded.iterate(), 1).size(), 8u);
}

TEST(DistributedFiles, GatherShuffledRowsOfAllFiles) {
  const Element batch = *numbered_files({3, 2, 4}).shuffle(9, {1, 2}).batch(9).iterate().next();
  std::vector<float> numbers(batch[0].values<float>().begin(), batch[0].values<float>().end());
  EXPECT_FALSE(std::ranges::is_sorted(numbers));
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(DistributedFiles, PassStepsOver) {
  const Dataset batches = numbered_files({7, 9, 4}).batch(4);
  for (const auto policy : {AutoShardPolicy::automatic, AutoShardPolicy::data, AutoShardPolicy::off}) {
    const DistributedDataset distributed(batches, {.replicas = 2, .workers = 2, .policy = policy});
    DistributedIterator all = distributed.iterate(), rest = distributed.iterate(0, 2);
    for (int step = 0; step < 2; ++step) all.next();
    for (std::size_t replica = 0; replica < 2; ++replica)
      EXPECT_EQ(numbers_of(distributed.iterate(0, 2), replica).size() + 4,
                numbers_of(distributed.iterate(), replica).size());
    EXPECT_EQ((*all.next())[1][0].values<float>()[0], (*rest.next())[1][0].values<float>()[0]);
  }
}

// The steps that are counted are those that come.
TEST(DistributedDataset, CountsItsSteps) {
  using enum AutoShardPolicy;
  for (const std::int64_t batch : {1, 3, 4, 8})
    for (const bool drop : {false, true})
      for (const auto& [replicas, workers] :
           {std::pair(1, 1), {2, 1}, {3, 1}, {2, 2}, {4, 2}, {3, 3}, {8, 2}})
        for (const AutoShardPolicy policy : {automatic, data, off})
          for (const bool goes_on : {true, false})
            for (const Dataset& rows :
                 {numbered_files({5, 9, 1}), numbered_files({16, 0, 2}).repeat(3),
                  Dataset::from_tensor_slices({Tensor::zeros({Type::float32, {13}})})}) {
              const DistributedDataset distributed(rows.batch(batch, drop),
                                                   {replicas, workers, policy, goes_on});
              std::int64_t steps = 0;
              for (DistributedIterator iterator = distributed.iterate(); iterator.next();) ++steps;
              EXPECT_EQ(distributed.steps(), steps) << batch << " " << drop << " " << replicas << " "
                                                    << workers << " " << name(policy) << " " << goes_on;
            }
  EXPECT_EQ(
      DistributedDataset(numbered_files({2, 2}).repeat().batch(2), {.replicas = 2, .workers = 2}).steps(),
      infinite_cardinality);
}

}  // namespace
}  // namespace wt::data
