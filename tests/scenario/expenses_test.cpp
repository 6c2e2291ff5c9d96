// Claims: prices are found by every name of their platform; what contradicts itself is refused at its place with
// a remedy; a job occupies whole machines and whole slices, with spares, servers and evaluators.

#include "scenario/expenses.h"

#include <gtest/gtest.h>

#include "scenario/build.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"

namespace wt::scenario {
namespace {

const std::string frame = R"({
  "name": "paid", "model": "linear", "dataset": {"type": "synthetic", "rows": 64},
  "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 16},
  "platform": "aws_p5", "strategy": {"type": "mirrored"}, "numerics": "none"
})";

Scenario with(std::vector<std::string> overrides) { return parse(frame, "paid.json", overrides); }

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    const Scenario scenario = with(overrides);
    build(scenario);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

cost::Rented rented(std::vector<std::string> overrides) {
  const Scenario scenario = with(std::move(overrides));
  return rented_by(scenario, build_machine(scenario));
}

TEST(Prices, AreFoundByEveryNameOfTheirPlatform) {
  for (const char* name : {"aws_p5", "aws_p5_48xlarge", "p5.48xlarge"}) {
    const Scenario scenario =
        with({fmt::format(R"(cost.prices."{}"=98.32 USD/h, spot, 2026-11-01, here)", name)});
    const cost::Price* price = price_of(scenario, "aws_p5_48xlarge");
    ASSERT_NE(price, nullptr) << name;
    EXPECT_EQ(price->rent->money, Money(98.32, "USD"));
    EXPECT_EQ(price->source, "here");
    EXPECT_EQ(price_of(scenario, "dgx_a100"), nullptr);
  }
}

TEST(Prices, AreFoundByTheBeginningOfANameWhereItMeansOnePlatform) {
  EXPECT_NE(price_of(with({R"(cost.prices.aws_p6=1 USD/h)"}), "aws_p6_b200_48xlarge"), nullptr);
  EXPECT_NE(refusal({R"(cost.prices.gce_a=1 USD/h)"}).find("several platforms begin with \"gce_a\""),
            std::string::npos);
}

TEST(Prices, OfUnknownPlatformsAreRefusedWithASuggestion) {
  const std::string text = refusal({R"(cost.prices.aws_p55=1 USD/h)"});
  EXPECT_NE(text.find("unknown platform \"aws_p55\""), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean \"aws_p5\"?"), std::string::npos) << text;
}

TEST(Prices, OfFilesAndObjectsHaveTheNameOfTheirPlatform) {
  EXPECT_NE(price_of(with({R"(cost.prices."machines/mine.json"=1 USD/h)"}), "mine"), nullptr);
  EXPECT_NE(price_of(with({R"(cost.prices.platform=1 USD/h)"}), "platform"), nullptr);
}

TEST(Prices, ThatContradictThemselvesAreRefused) {
  const auto expect = [](const std::string& price, std::string_view fact) {
    const std::string text = refusal({"cost.prices.aws_p5=" + price});
    EXPECT_NE(text.find(fact), std::string::npos) << price << "\n" << text;
    EXPECT_NE(text.find("--set:1:"), std::string::npos) << text;
  };
  expect("98.32", "found a number");
  expect("98.32 USD", "not an amount for each of something");
  expect("98.32 USD/hr", "did you mean \"h");
  expect(R"({"rent": "1 USD/h", "lifetime": "4 years"})", "\"lifetime\" belongs to a \"purchase\"");
  expect(R"({"rent": "1 USD/h", "purchase": "1 USD"})", "exclude each other");
  expect(R"({"date": "2026-11-01"})", "neither \"rent\" nor \"purchase\"");
  expect(R"({"purchase": "1 USD"})", "has none");
  expect(R"({"purchase": "1 USD", "lifetime": "4 years", "terms": "spot"})", "belong to a \"rent\"");
  expect(R"({"purchase": "1 USD", "lifetime": "4 years", "utilization": 0})", "never used");
  expect(R"({"purchase": "1 USD", "lifetime": "4 years", "electricity": "1 EUR/kWh"})",
         "USD and EUR are never added");
  expect(R"({"rent": "1 USD/h", "date": "yesterday"})", "not a date");
  expect("1 USD/slice-hour", "the platform has no slices");
  EXPECT_NE(refusal({"cost.prices.aws_p5=1 USD/h", R"(cost.prices."p5.48xlarge"=2 USD/h)"})
                .find("prices of the same platform"),
            std::string::npos);
  EXPECT_NE(refusal({"cost.prices.aws_p5=1 USD/h", R"(cost.hosts={"count": 2, "price": "1 EUR/h"})"})
                .find("USD and EUR are never added"),
            std::string::npos);
}

TEST(Prices, WantAPowerWhereElectricityCountsAndNoneIsPublished) {
  const std::string bought = R"({"purchase": "1 USD", "lifetime": "4 years", "electricity": "0.1 USD/kWh"})";
  EXPECT_EQ(refusal({"platform=dgx_a100", "cost.prices.dgx_a100=" + bought}), "");
  const std::string text = refusal({"platform=dgx_h100", "cost.prices.dgx_h100=" + bought});
  EXPECT_NE(text.find("8480C"), std::string::npos) << text;
  EXPECT_NE(text.find("add \"power\""), std::string::npos) << text;
}

TEST(Rented, IsTheWholeMachineAndTheChipsInUse) {
  for (const int replicas : {1, 2, 3, 8}) {
    std::string devices;
    for (int i = 0; i < replicas; ++i) devices += fmt::format("{}\"GPU:{}\"", i == 0 ? "" : ", ", i);
    const cost::Rented some = rented({fmt::format("strategy.devices=[{}]", devices)});
    EXPECT_EQ(some.machines, 1) << replicas;
    EXPECT_EQ(some.chips, replicas);
    EXPECT_EQ(some.slices, 0);
  }
}

// 8 A100 of 400 W and 2 EPYC of 225 W in each of two machines.
TEST(Rented, CountsMachinesSparesAndHosts) {
  const std::vector<std::string> two{R"(platform={"file": "dgx_a100", "set": {"machines": 2}})",
                                     R"(strategy={"type": "multi_worker_mirrored"})"};
  const cost::Rented plain = rented(two);
  EXPECT_EQ(plain.machines, 2);
  EXPECT_EQ(plain.chips, 16);
  ASSERT_TRUE(plain.power);
  EXPECT_EQ(*plain.power, Watts(2 * (8 * 400 + 2 * 225)));
  std::vector<std::string> more = two;
  more.push_back(R"(cost={"spares": 1, "hosts": {"count": 3, "price": "0.80 USD/h"}})");
  const cost::Rented all = rented(more);
  EXPECT_EQ(all.machines, 3);
  EXPECT_EQ(all.chips, 24);
  EXPECT_EQ(all.spares, 1);
  EXPECT_EQ(all.hosts, 3);
}

TEST(Rented, CountsTasksThatDoNotTrain) {
  const cost::Rented all =
      rented({R"(platform={"file": "dgx_a100", "set": {"machines": 3}})",
              R"(strategy={"type": "multi_worker_mirrored"})",
              R"(cluster={"cluster": {"worker": ["a:1", "b:1"], "evaluator": ["c:1"]}})"});
  EXPECT_EQ(all.machines, 3);
  EXPECT_EQ(all.services, 1);
}

// A v3-8 has 4 chips of two cores on one host; a v3-32 has 16 chips on 4 hosts.
TEST(Rented, IsAWholeSlice) {
  const auto of = [](const std::string& slice, const std::string& cost) {
    return rented({fmt::format(R"(platform={{"file": "tpu_v3", "set": {{"slice": "{}"}}}})", slice),
                   R"(strategy={"type": "tpu"})", "cost=" + cost});
  };
  EXPECT_EQ(of("v3-8", "{}").chips, 4);
  EXPECT_EQ(of("v3-8", "{}").machines, 1);
  EXPECT_EQ(of("v3-32", "{}").chips, 16);
  EXPECT_EQ(of("v3-32", "{}").machines, 4);
  EXPECT_EQ(of("v3-32", "{}").slices, 1);
  const cost::Rented with_spare = of("v3-32", R"({"spares": 1})");
  EXPECT_EQ(with_spare.chips, 32);
  EXPECT_EQ(with_spare.machines, 8);
  EXPECT_EQ(with_spare.slices, 2);
}

TEST(Job, IsRefusedWithoutAPlatform) {
  const auto refused = [](const std::string& override) {
    Scenario scenario = parse(frame, "paid.json", {override});
    scenario.platform = {};
    scenario.strategy = {};
    try {
      build(scenario);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  for (const char* override : {"job={}", R"(cost={"spares": 1})"})
    EXPECT_NE(refused(override).find("without a platform nothing is timed"), std::string::npos) << override;
}

TEST(Expenses, ArePartOfTheResolvedScenario) {
  const std::vector<std::string> overrides{
      R"(job={"start": "40 s", "time_between_failures": "5000 h"})",
      R"(cost.prices."p5.48xlarge"=98.32 USD/h, committed, 2026-11-01, here)",
      R"(cost.prices.dgx_a100={"purchase": "250000 USD", "lifetime": "4 years", "utilization": 0.7, "pue": 1.3,
         "electricity": "0.12 USD/kWh", "power": "6.5 kW"})",
      "cost.spares=2", R"(cost.hosts={"count": 1, "price": "0.8 USD/h"})"};
  const std::string resolved_once = resolved(with(overrides), ".");
  const Scenario again = parse(resolved_once, "again.json", {});
  EXPECT_EQ(resolved(again, "."), resolved_once);
  EXPECT_EQ(again.job->start, Seconds(40));
  EXPECT_EQ(again.job->time_between_failures, Seconds(5000 * 3600.0));
  const cost::Price& bought = again.cost->prices.at("dgx_a100");
  EXPECT_EQ(bought.purchase, Money(250'000, "USD"));
  EXPECT_EQ(bought.utilization, 0.7);
  EXPECT_EQ(bought.power, Watts(6500));
  EXPECT_EQ(again.cost->prices.at("p5.48xlarge").terms, cost::Terms::committed);
  EXPECT_EQ(again.cost->spares, 2);
  EXPECT_EQ(again.cost->hosts->price.money, Money(0.8, "USD"));
}

}  // namespace
}  // namespace wt::scenario
