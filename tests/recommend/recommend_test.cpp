// Claims: the answer is the smallest size that measuring all of them finds; where hosts' input bounds every step, it
// is the one that a division gives; what can't be had is said with the most that was reached; own rows correct
// the answer by what they say; and the answer doesn't depend on the number of processes.

#include "recommend/recommend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "recommend/write.h"
#include "study/forecast.h"
#include "support/folder.h"

namespace wt::recommend {
namespace {

constexpr const char* base = R"({
  "name": "base", "model": "mlp", "dataset": {"type": "synthetic", "rows": 1048576},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 64},
  "numerics": "none"
})";

// Machines of one device each, whose host decodes 10,000 rows a second: n machines train 10,000 n rows.
constexpr const char* machines = R"({
  "description": "one GPU in each machine",
  "machine": {"devices": {"type": "a100_sxm_40"}, "hosts": {"type": "epyc_7742"},
              "pcie": {"bandwidth": "25 GB/s", "latency": "1 us"},
              "nics": {"bandwidth": "800 Gb/s", "latency": "1 us"}},
  "network": {"type": "switch"}
})";

class Folder : public test::TestFolder {
 public:
  Folder() {
    write_text(*this / "base.json", base);
    write_text(*this / "one_each.json", machines);
    write_text(*this / "alone.json", std::string(machines).replace(
                                         std::string(machines).find(",\n  \"network\""),
                                         std::string(",\n  \"network\": {\"type\": \"switch\"}").size(), ""));
  }
  Question question(std::vector<std::string> platforms) const {
    return {.file = (*this / "base.json").string(),
            .target = {.samples_per_second = 1e6},
            .platforms = std::move(platforms),
            .most_global_batch = 4096,
            .most_devices = 64};
  }
  std::string platform(const std::string& name) const { return (*this / name).string(); }
};

// Devices of a switch, one by one, by forecasts that this layer doesn't make.
double samples_per_second(const Question& question, const std::string& platform, std::int64_t ranks) {
  const std::int64_t rows = std::min<std::int64_t>(64, *question.most_global_batch / ranks);
  const session::Forecast found = study::forecast(
      question.file, {},
      {R"(platform={"file": ")" + platform + R"(", "set": {"ranks": )" + std::to_string(ranks) + "}}",
       "strategy={\"type\": \"auto\"}", "training.per_replica_batch=" + std::to_string(rows)});
  return found.simulated->samples_per_second;
}

TEST(AnAnswer, IsTheSmallestOfAllSizes) {
  const Folder folder;
  Question question = folder.question({"ideal_switch"});
  question.most_devices = 24;
  question.most_global_batch = 512;  // beyond 8 devices each has fewer rows, and more aren't always faster
  std::vector<double> all;
  for (std::int64_t ranks = 1; ranks <= 24; ++ranks)
    all.push_back(samples_per_second(question, "ideal_switch", ranks));
  const double most = *std::ranges::max_element(all);
  for (const double share : {0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0}) {
    question.target.samples_per_second = share * most;
    const auto first = std::ranges::find_if(all, [&](double speed) { return speed >= share * most; });
    const Answer answer = recommend(question);
    ASSERT_EQ(answer.choices.size(), 1U) << share;
    EXPECT_EQ(answer.choices[0].found.smallest->size.count, first - all.begin() + 1) << share;
  }
}

TEST(AnAnswer, SaysTheMostWhereTheTargetIsOutOfReach) {
  const Folder folder;
  Question question = folder.question({"ideal_switch"});
  question.target.samples_per_second = 1e12;
  question.most_global_batch = 512;
  const Answer answer = recommend(question);
  EXPECT_TRUE(answer.choices.empty());
  ASSERT_EQ(answer.too_slow.size(), 1U);
  EXPECT_GT(answer.too_slow[0].found.fastest->timed.samples_per_second, 0);
  EXPECT_LE(answer.too_slow[0].found.fastest->timed.global_batch, 512);
  EXPECT_NE(text(answer).find("no machine reaches the target"), std::string::npos);
}

TEST(AnAnswer, IsADivisionWhereInputBoundsEveryStep) {
  const Folder folder;
  Question question = folder.question({folder.platform("one_each.json")});
  question.overrides = {R"(input={"decode": "1000 samples/s"})"};
  for (const double target : {900.0, 4'500.0, 12'900.0}) {
    question.target.samples_per_second = target;
    const Answer answer = recommend(question);
    ASSERT_EQ(answer.choices.size(), 1U) << target;
    const Choice& choice = answer.choices[0];
    EXPECT_EQ(choice.found.smallest->size.machines, std::ceil(target / 1000)) << target;
    EXPECT_EQ(choice.found.smallest->timed.limit(), "input");
    EXPECT_TRUE(choice.found.is_proven);
  }
}

TEST(AnAnswer, OfAnEpochIsThatOfItsRows) {
  const Folder folder;
  Question question = folder.question({folder.platform("one_each.json")});
  question.overrides = {R"(input={"decode": "1000 samples/s"})", "dataset.rows=65536"};
  question.target = {.epoch = Seconds(65.536 / 4.5)};  // 4,500 rows a second
  const Answer answer = recommend(question);
  ASSERT_EQ(answer.choices.size(), 1U);
  EXPECT_EQ(answer.choices[0].found.smallest->size.machines, 5);
}

TEST(AnAnswer, HasAPlatformThatEndsAtOneMachineWithItsReason) {
  const Folder folder;
  Question question = folder.question({folder.platform("alone.json"), folder.platform("one_each.json")});
  question.overrides = {R"(input={"decode": "1000 samples/s"})"};
  question.target.samples_per_second = 1500;
  const Answer answer = recommend(question);
  ASSERT_EQ(answer.choices.size(), 1U);
  ASSERT_EQ(answer.too_slow.size(), 1U);
  EXPECT_NE(answer.too_slow[0].found.why_not.find("no network that joins"), std::string::npos)
      << answer.too_slow[0].found.why_not;
}

TEST(AnAnswer, CountsEqualMachinesAsATie) {
  const Folder folder;
  write_text(folder / "same.json", machines);
  Question question = folder.question({folder.platform("one_each.json"), folder.platform("same.json")});
  question.overrides = {R"(input={"decode": "1000 samples/s"})"};
  question.target.samples_per_second = 3500;
  const Answer answer = recommend(question);
  ASSERT_EQ(answer.choices.size(), 2U);
  EXPECT_TRUE(answer.choices[1].is_tie);
  for (const Assumption& each : answer.assumptions)
    if (each.name == "rate of decoding") {
      EXPECT_EQ(each.with_less, "5 machines");
      EXPECT_EQ(each.with_more, "3 machines");
      EXPECT_EQ(each.changes_first, false);
      return;
    }
  FAIL() << "the rate of decoding is no assumption";
}

TEST(AnAnswer, IsTheSameForAnyNumberOfProcesses) {
  const Folder folder;
  Question question = folder.question({folder.platform("one_each.json"), "ideal_switch", "dgx_a100"});
  question.most_devices = 16;
  const std::string one = json(recommend(question));
  question.processes = 3;
  EXPECT_EQ(json(recommend(question)), one);
}

constexpr const char* header =
    "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
    "value,unit\n";

std::string own_row(const std::string& platform, int devices, double value) {
  return "mine," + platform + "," + std::to_string(devices) + ",1,1,auto,mlp,64/GPU,tf32,throughput," +
         std::to_string(value) + ",samples/s\n";
}

TEST(OwnRows, CorrectTheTimesOfKernels) {
  const Folder folder;
  Question question = folder.question({"ideal_switch"});
  question.most_devices = 1;
  question.target.samples_per_second = 1;
  question.overrides = {"time.software=false"};  // so small a network would be bound by its host
  const double before = recommend(question).choices.at(0).found.smallest->timed.samples_per_second;
  write_text(folder / "mine.csv", header + own_row("ideal_switch", 1, before / 2));
  question.measured = (folder / "mine.csv").string();
  const Answer answer = recommend(question);
  const Choice& choice = answer.choices.at(0);
  EXPECT_EQ(choice.known, Known::measured_here);
  ASSERT_EQ(answer.back_tests.size(), 1U);
  EXPECT_NEAR(answer.back_tests[0].before, before, 1e-6 * before);
  // Gaps between kernels and copies are scaled with them or not, so twice the time is not exactly reached.
  EXPECT_NEAR(answer.back_tests[0].after, before / 2, 0.05 * before);
  EXPECT_NEAR(choice.found.smallest->timed.samples_per_second, answer.back_tests[0].after, 1e-6 * before);
}

// So small a network waits for its host. A row that shows half of the predicted rate doubles the required one, and leaves
// the times of kernels as they are.
TEST(OwnRows, OfAStepThatWaitsForItsHostCorrectTheAnswerAndNoKernel) {
  const Folder folder;
  Question question = folder.question({"ideal_switch"});
  question.most_devices = 1;
  question.target.samples_per_second = 1;
  const Timed plain = recommend(question).choices.at(0).found.smallest->timed;
  ASSERT_GT(plain.software, 0.05 * plain.step);
  write_text(folder / "mine.csv", header + own_row("ideal_switch", 1, plain.samples_per_second / 2));
  question.measured = (folder / "mine.csv").string();
  const auto answer = [&](double target) {
    question.target.samples_per_second = target;
    return recommend(question);
  };
  const Answer enough = answer(0.3 * plain.samples_per_second);
  ASSERT_TRUE(enough.choices.at(0).found.smallest);
  EXPECT_NE(enough.choices[0].known, Known::measured_here);
  EXPECT_NEAR(enough.choices[0].found.smallest->timed.samples_per_second, plain.samples_per_second,
              1e-9 * plain.samples_per_second);
  const Answer none = answer(0.9 * plain.samples_per_second);
  EXPECT_TRUE(none.choices.empty() || !none.choices[0].found.smallest);
}

TEST(OwnRows, OfSeveralDevicesMoveTheAnswer) {
  const Folder folder;
  const std::string platform = folder.platform("one_each.json");
  Question question = folder.question({platform});
  question.overrides = {R"(input={"decode": "1000 samples/s"})"};
  question.target.samples_per_second = 3400;
  // Four machines were predicted at 4,000 samples/s. They reach 2,000, so it takes seven for 3,400.
  write_text(folder / "mine.csv", header + own_row(platform, 4, 2000));
  question.measured = (folder / "mine.csv").string();
  const Answer answer = recommend(question);
  ASSERT_EQ(answer.choices.size(), 1U);
  EXPECT_EQ(answer.choices[0].found.smallest->size.machines, 7);
}

TEST(OwnRows, AreRefusedWithTheirPlace) {
  const Folder folder;
  Question question = folder.question({"ideal_switch"});
  question.measured = (folder / "mine.csv").string();
  const auto refused = [&](const std::string& rows, const std::string& part) {
    write_text(folder / "mine.csv", header + rows);
    const std::string said = folder.error_of<InputError>([&] { recommend(question); });
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  refused(own_row("ideal_swich", 1, 5), "mine.csv:2");
  refused(own_row("ideal_swich", 1, 5), "did you mean \"ideal_switch\"");
  refused("", "no row of");
  refused(own_row("ideal_switch", 1, 0), "above 0");
  refused("too,short\n", "the line has 2 cells");
}

}  // namespace
}  // namespace wt::recommend
