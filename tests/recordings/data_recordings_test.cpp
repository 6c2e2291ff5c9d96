// Claims: recordings of datasets pass: shuffled orders, batches split over replicas, datasets of a function, what sharding
// leaves to each worker; a number that was changed is found; what a worker reads by itself is what all workers together are
// given.

#include <gtest/gtest.h>

#include <fstream>

#include "data/distribute.h"
#include "recordings/packed_recordings.h"
#include "study/recordings/datasets.h"
#include "study/recordings/judge.h"
#include "support/folder.h"

namespace wt::recordings {
namespace {

namespace fs = std::filesystem;

const PackedRecordings& packed() {
  static const PackedRecordings all({"data.tar.gz", "further_data.tar.gz"});
  return all;
}

// How many recordings of a family pass, of both versions.
std::size_t passed(const std::string& family) {
  std::size_t count = 0;
  for (const Recording& recording : packed().all()) {
    if (!recording.id.starts_with("data_" + family)) continue;
    const Judgement judgement = judge(recording);
    if (judgement.verdict == Verdict::empty) continue;  // a program with a test of its own
    EXPECT_EQ(judgement.verdict, Verdict::passed)
        << recording.version << " " << recording.id << ": " << judgement.why;
    ++count;
  }
  return count;
}

TEST(P12, ShuffledOrdersAreTensorFlows) { EXPECT_EQ(passed("shuffle_"), 38u); }
TEST(P13, BatchesAreSplitAsInTensorFlow) { EXPECT_EQ(passed("split_"), 50u); }
TEST(AP5, DatasetsOfAFunctionGiveWhatTensorFlowGives) { EXPECT_EQ(passed("from_function_"), 18u); }
TEST(G15, EachWorkersShardIsTensorFlows) { EXPECT_EQ(passed("autoshard_"), 56u); }

// One number of what was recorded, in a copy.
TEST(ARecordingOfData, FailsIfOneRowIsAnotherOne) {
  const test::TestFolder folder;
  const Recording& recording = packed().named("keras3", "data_split_mirrored2_range");
  const fs::path copy = folder / "keras3" / "data" / recording.id;
  fs::create_directories(copy);
  std::ifstream file(recording.folder / "case.json");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t key = text.find("9/4/False/replicas"), number = text.find('8', key);
  ASSERT_NE(number, std::string::npos);
  text[number] = '7';
  std::ofstream(copy / "case.json") << text;
  const std::vector<std::string> places{folder.path().string()};
  const Judgement judgement = judge(read_recordings(places, folder / "scratch").front());
  EXPECT_EQ(judgement.verdict, Verdict::failed);
  EXPECT_NE(judgement.why.find("9/4/False/replicas"), std::string::npos) << judgement.why;
}

// ---- Two ways to the same rows

using Rows = std::vector<std::string>;  // of each step, of one replica

// What each replica of a strategy with several workers gets.
std::vector<Rows> dealt(const data::Dataset& batches, const data::Distribution& distribution) {
  std::vector<Rows> replicas(static_cast<std::size_t>(distribution.replicas));
  data::DistributedIterator steps = data::DistributedDataset(batches, distribution).iterate();
  while (const auto step = steps.next())
    for (std::size_t i = 0; i < step->size(); ++i) replicas[i].push_back(text_of((*step)[i]));
  return replicas;
}

// What the replicas get if each worker rewrites its own dataset, as TensorFlow's workers do.
std::vector<Rows> read_by_each(const data::Dataset& batches, std::int64_t batch,
                               const data::Distribution& distribution) {
  std::vector<Rows> replicas;
  const std::int64_t each = distribution.replicas / distribution.workers;
  for (std::int64_t worker = 0; worker < distribution.workers; ++worker) {
    const data::Dataset pieces =
        batches.rebatch(data::worker_sizes(batch, distribution.replicas, distribution.workers, worker));
    data::Iterator own =
        auto_shard(pieces, {distribution.policy, distribution.workers, worker, distribution.replicas})
            .iterate();
    std::vector<Rows> of_worker(static_cast<std::size_t>(each));
    for (std::size_t i = 0; const auto piece = own.next(); ++i)
      of_worker[i % of_worker.size()].push_back(text_of(*piece));
    replicas.insert(replicas.end(), of_worker.begin(), of_worker.end());
  }
  return replicas;
}

// A replica has no element where its worker has come to the end, and an empty one where others go on.
std::vector<Rows> without_empty(std::vector<Rows> replicas) {
  for (Rows& rows : replicas)
    while (!rows.empty() && rows.back() == "[]") rows.pop_back();
  return replicas;
}

TEST(G15, WhatTheWorkersReadEachIsWhatTheyAreDealtTogether) {
  using enum data::AutoShardPolicy;
  for (const auto policy : {automatic, data, hint, off})
    for (const auto& [replicas, workers] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 1}, {2, 2}, {3, 3}, {8, 1}, {8, 2}, {8, 8}})
      for (const std::int64_t rows : {0, 1, 7, 24, 25})
        for (const std::int64_t batch : {1, 4, 8, 11}) {
          const data::Distribution distribution{.replicas = replicas, .workers = workers, .policy = policy};
          const data::Dataset hinted = data::Dataset::range(rows).shard(data::shard_hint, data::shard_hint);
          const data::Dataset source = policy == hint ? hinted : data::Dataset::range(rows);
          EXPECT_EQ(without_empty(dealt(source.batch(batch), distribution)),
                    without_empty(read_by_each(source.batch(batch), batch, distribution)))
              << name(policy) << ": " << rows << " rows in batches of " << batch << " over " << replicas
              << " replicas of " << workers << " workers";
        }
}

}  // namespace
}  // namespace wt::recordings
