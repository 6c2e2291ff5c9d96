// Claim: `run` does what a scenario says from the file to the folder of its results, the same bytes on any
// number of threads, and never leaves anything half-written.

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/command.h"
#include "device/cuda_device.h"
#include "scenario/schema_check.h"
#include "tensor/safetensors.h"

namespace wt {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::call;
using test::number_at;
using test::results_in;
using test::Said;
using test::scenario_file;
using test::TestFolder;
using test::write_bytes;

// A linear model on numbers, with momentum, shuffled, a short last batch: small, and every part of the state
// matters.
const std::string small = R"({
  "name": "small",
  "model": "linear",
  "dataset": { "type": "synthetic", "rows": 50, "shuffle": {} },
  "training": {
    "loop": "custom",
    "loss": "mse",
    "optimizer": { "class_name": "SGD", "config": { "learning_rate": 0.02, "momentum": 0.9 } },
    "metrics": ["mae"],
    "global_batch": 12,
    "epochs": 4,
    "checkpointing": { "every": 2 },
    "save_weights": "weights.safetensors"
  },
  "seed": 3
})";

class Run : public testing::Test {
 protected:
  Run() { write_bytes(base_ / "small.json", small); }

  std::string path(const std::string& name) const { return (base_ / name).string(); }

  // Into the folder `out`.
  Said run(const std::string& file, const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", file, "--out", path(out)});
    Said said = call(more);
    said.messages = base_.without_path(said.messages);
    said.results = base_.without_path(said.results);
    return said;
  }
  Said run_small(const std::string& out, const std::vector<std::string>& overrides = {}) const {
    std::vector<std::string> more;
    for (const std::string& each : overrides) more.insert(more.end(), {"--set", each});
    return run(path("small.json"), out, more);
  }

  TestFolder base_{};
};

TEST_F(Run, WritesResultsStepsAndTheResolvedScenario) {
  const Said said = run_small("out");
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(said.results.ends_with("\nresults: out\n")) << said.results;
  const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/results.json");
  const json::Value results = results_in(base_ / "out");
  EXPECT_TRUE(SchemaCheck(rules).accepts(results));
  EXPECT_EQ(results.find("steps")->elements().size(), 20u);
  EXPECT_EQ(number_at(results, {"planned", "steps"}), 20);
  EXPECT_EQ(number_at(results.find("steps")->elements()[4], {"rows"}), 2);
  EXPECT_TRUE(fs::exists(base_ / "out/checkpoints/ckpt-2.safetensors"));
  EXPECT_TRUE(fs::exists(base_ / "out/weights.safetensors"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_.path()), fs::directory_iterator()), 2);
}

TEST_F(Run, PrintsResultsForScripts) {
  const std::string json = run(path("small.json"), "out", {"--json"}).results;
  EXPECT_EQ(json, bytes_of(base_ / "out/results.json"));
  const std::string csv = run(path("small.json"), "out", {"--csv"}).results;
  EXPECT_EQ(csv, bytes_of(base_ / "out/steps.csv"));
}

TEST_F(Run, TheResolvedScenarioGivesTheSameResults) {
  run_small("out");
  ASSERT_EQ(run(path("out/scenario.resolved.json"), "again").exit, cli::Exit::done);
  EXPECT_EQ(bytes_of(base_ / "again/results.json"), bytes_of(base_ / "out/results.json"));
}

TEST_F(Run, GivesTheSameBytesOnOneTwoAndThreeThreads) {
  const std::vector<std::string> few{"--set", "dataset.rows=100", "--set", "training.epochs=1", "--threads"};
  const auto with = [&](const std::string& threads) {
    std::vector<std::string> more = few;
    more.push_back(threads);
    EXPECT_EQ(run(scenario_file("mirrored_small_batch"), threads, more).exit, cli::Exit::done);
    return bytes_of(base_ / (threads + "/results.json"));
  };
  const std::string one = with("1");
  EXPECT_GT(one.size(), 1000u);
  EXPECT_EQ(with("2"), one);
  EXPECT_EQ(with("3"), one);
}

TEST_F(Run, FashionCnnLearnsMadeUpPictures) {
  ASSERT_EQ(run(scenario_file("mirrored_small_batch"), "out").exit, cli::Exit::done);
  const json::Value results = results_in(base_ / "out");
  const auto& epochs = results.find("epochs")->elements();
  ASSERT_EQ(epochs.size(), 3u);
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    EXPECT_LT(number_at(epochs[i], {"loss"}), number_at(epochs[i - 1], {"loss"}));
    EXPECT_GT(number_at(epochs[i], {"metrics", "accuracy"}),
              number_at(epochs[i - 1], {"metrics", "accuracy"}));
  }
  // On pictures that it has not seen.
  EXPECT_GT(number_at(epochs[2], {"evaluation", "metrics", "accuracy"}), 0.9);
}

// total_loss / num_batches, though the last batch has 2 rows instead of 12; fit weighs by rows.
TEST(L15, AnEpochsLossIsTheSumOfTheStepsOverTheirNumber) {
  const TestFolder base;
  write_bytes(base / "small.json", small);
  const auto losses = [&](const std::string& loop) {
    const Said said = call({"run", (base / "small.json").string(), "--out", (base / loop).string(), "--set",
                            "training.epochs=1", "--set", "training.loop=" + loop});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value results = results_in(base / loop);
    double by_steps = 0, by_rows = 0;
    for (const json::Value& step : results.find("steps")->elements()) {
      by_steps += number_at(step, {"loss"}) / 5;
      by_rows += number_at(step, {"loss"}) * number_at(step, {"rows"}) / 50;
    }
    return std::vector<double>{number_at(results, {"final", "loss"}), by_steps, by_rows};
  };
  const std::vector<double> custom = losses("custom"), fit = losses("fit");
  EXPECT_NEAR(custom[0], custom[1], 1e-6);
  EXPECT_NEAR(fit[0], fit[2], 1e-6);
  EXPECT_GT(std::abs(fit[1] - fit[2]), 1e-4);
}

// Two replicas: on one piece both lie together, or one after the other, whoever adds their gradients.
TEST_F(Run, ReplicasThatAPieceCannotHoldTogetherTakeTurnsInIt) {
  const auto with = [&](const std::string& pieces) {
    return run(scenario_file("mirrored_small_batch"), "out",
               {"--set", "training.epochs=1", "--set", "dataset.rows=64", "--set",
                "host.logical_devices=" + pieces});
  };
  const auto of_bytes = [&](std::int64_t bytes) {
    return with(fmt::format(R"([{{"memory_limit": "{} B"}}])", bytes));
  };
  ASSERT_EQ(with(R"([{"memory_limit": "1 GiB"}, {"memory_limit": 512}])").exit, cli::Exit::done);
  const json::Value side_by_side = results_in(base_ / "out");
  EXPECT_EQ(side_by_side.find("turns"), nullptr);
  const auto [largest, all] = test::needed_here(side_by_side);
  EXPECT_EQ(of_bytes(all).exit, cli::Exit::done);
  EXPECT_EQ(results_in(base_ / "out").find("turns"), nullptr);
  for (const std::int64_t bytes : {all - 1, largest}) {
    const Said said = of_bytes(bytes);
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_NE(said.messages.find("replicas take turns in this machine's pieces: in each step "),
              std::string::npos);
    const json::Value in_turns = results_in(base_ / "out");
    EXPECT_GE(in_turns.find("turns")->find("swaps")->integer(), 2);
    const auto &steps = in_turns.find("steps")->elements(), &others = side_by_side.find("steps")->elements();
    ASSERT_EQ(steps.size(), others.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      EXPECT_EQ(steps[i].find("loss")->real(), others[i].find("loss")->real()) << i;
    EXPECT_EQ(in_turns.find("evaluation") == nullptr, side_by_side.find("evaluation") == nullptr);
  }
  const Said refused = of_bytes(largest - 1);
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_NE(
      refused.messages.find("the replicas don't fit into this machine's pieces, not even one at a time: "
                            "piece 0 with 2 replicas needs "),
      std::string::npos)
      << refused.messages;
  EXPECT_EQ(with("[]").exit, cli::Exit::input_wrong);
  EXPECT_EQ(with("[{}]").exit, cli::Exit::input_wrong);
}

// They don't wait for each other, so none could give its place to another.
TEST_F(Run, WorkersOfACoordinatorTakeNoTurns) {
  const Said refused =
      run(scenario_file("parameter_server_4_p100"), "out",
          {"--set", "training.steps=4", "--set", R"(host.logical_devices=[{"memory_limit": "9 MiB"}])"});
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_NE(refused.messages.find("the workers of a coordinator don't fit into this machine's memory"),
            std::string::npos)
      << refused.messages;
}

TEST_F(Run, WithoutNumbersItPlans) {
  const Said planned = run(scenario_file("mirrored_small_batch"), "out",
                           {"--set", "numerics=none", "--set", "model=resnet152"});
  ASSERT_EQ(planned.exit, cli::Exit::done) << planned.messages;
  EXPECT_TRUE(planned.results.starts_with("mirrored small batch: resnet152 with "));
  EXPECT_EQ(planned.messages,
            "INFO:tensorflow:Using MirroredStrategy with devices "
            "('/job:localhost/replica:0/task:0/device:GPU:0', "
            "'/job:localhost/replica:0/task:0/device:GPU:1')\n");
  const json::Value results = results_in(base_ / "out");
  EXPECT_EQ(results.find("steps"), nullptr);
  EXPECT_EQ(number_at(results, {"model", "trainable_parameters"}), 60192808);
  EXPECT_FALSE(fs::exists(base_ / "out/steps.csv"));
}

TEST_F(Run, PrintsThePlanAndTrainsNothing) {
  const Said said = run(path("small.json"), "out", {"--plan"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_TRUE(said.results.starts_with("plan train\n")) << said.results;
  EXPECT_FALSE(fs::exists(base_ / "out"));
}

TEST_F(Run, ATrainingThatDivergesIsToldAndWritten) {
  const Said said = run_small("out", {"training.optimizer.config.learning_rate=1e30"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NE(said.messages.find("the loss is no number any more; a smaller learning rate may help"),
            std::string::npos);
  const json::Value results = results_in(base_ / "out");
  EXPECT_EQ(results.find("final")->find("loss")->kind(), json::Kind::null);
}

// ---- Checkpoints and weights

TEST_F(Run, AnInterruptedTrainingGoesOnAsIfNothingHadHappened) {
  for (const std::string unit : {"epochs", "steps"}) {
    const auto train = [&](const std::string& out, const std::string& count,
                           const std::vector<std::string>& more) {
      std::string text = small;
      text.replace(text.find("\"epochs\": 4"), 11, "\"" + unit + "\": " + count);
      write_bytes(base_ / "small.json", text);
      const Said said = run_small(out, more);
      ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    };
    train("whole", "4", {});
    train("half", "2", {});
    train("rest", "4", {"training.checkpointing.restore=" + path("half/checkpoints")});
    EXPECT_EQ(bytes_of(base_ / "rest/weights.safetensors"), bytes_of(base_ / "whole/weights.safetensors"))
        << unit;
    const auto last_line = [&](const char* out) {
      const std::string text = bytes_of(base_ / out / "steps.csv");
      return text.substr(text.rfind('\n', text.size() - 2));
    };
    // Metrics count within an epoch, and begin anew in the middle of one.
    if (unit == "epochs") {
      EXPECT_EQ(last_line("rest"), last_line("whole"));
    }
  }
}

// Every checkpoint within an epoch, at its end and at the beginning of the next, on one device and on several.
TEST_F(Run, ACheckpointWithinAnEpochGoesOnWithItsNextRows) {
  for (const int replicas : {1, 2, 3, 8}) {
    std::string devices;
    for (int i = 0; i < replicas; ++i) devices += fmt::format(R"({}"GPU:{}")", i > 0 ? ", " : "", i);
    const std::vector<std::string> small_steps{
        R"(training.checkpointing={"every_steps": 3})", "platform=dgx_a100",
        R"(strategy={"type": "mirrored", "devices": [)" + devices + "]}"};
    ASSERT_EQ(run_small("whole", small_steps).exit, cli::Exit::done);
    const std::string weights = bytes_of(base_ / "whole/weights.safetensors");
    for (const int saved : {1, 2, 5}) {  // after 3, 6 and 15 of 20 steps, 5 of each epoch
      fs::remove_all(base_ / "some");
      fs::create_directory(base_ / "some");
      const std::string name = fmt::format("ckpt-{}", saved);
      fs::copy(base_ / fmt::format("whole/checkpoints/{}.safetensors", name), base_ / "some");
      write_bytes(base_ / "some/checkpoint", "model_checkpoint_path: \"" + name + "\"\n");
      std::vector<std::string> rest = small_steps;
      rest.push_back("training.checkpointing.restore=" + path("some"));
      const Said said = run_small("rest", rest);
      ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
      EXPECT_EQ(bytes_of(base_ / "rest/weights.safetensors"), weights) << replicas << " from " << name;
    }
  }
}

TEST_F(Run, RefusesToGoOnWhereNothingIsLeft) {
  run_small("out");
  const Said said = run_small("more", {"training.checkpointing.restore=" + path("out/checkpoints")});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(said.messages.starts_with(
      "--set:1:32: the checkpoint was saved after 4 epochs, and the training has 4 in all\n"))
      << said.messages;
  EXPECT_TRUE(said.messages.ends_with("\nraise \"epochs\"\n")) << said.messages;
}

TEST_F(Run, ATornCheckpointIsRefusedAndTheOlderOneNamed) {
  run_small("out");
  const std::string whole = bytes_of(base_ / "out/checkpoints/ckpt-2.safetensors");
  write_bytes(base_ / "out/checkpoints/ckpt-2.safetensors", whole.substr(0, whole.size() - 5));
  const Said said =
      run_small("more", {"training.epochs=8", "training.checkpointing.restore=" + path("out/checkpoints")});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("out/checkpoints/ckpt-1\", which is intact"), std::string::npos)
      << said.messages;
  EXPECT_FALSE(fs::exists(base_ / "more"));
}

TEST_F(Run, AFreshModelFromTheCheckpointMeasuresAsTheTrainedOne) {
  run_small("live", {"training.evaluation={}"});
  run_small("fresh", {"training.evaluation={\"from_checkpoint\": true}"});
  const double live = number_at(results_in(base_ / "live"), {"evaluation", "loss"});
  EXPECT_EQ(number_at(results_in(base_ / "fresh"), {"evaluation", "loss"}), live);
  EXPECT_GT(live, 0);
}

// SavedModel's role: the weights alone, for any program that reads safetensors; no strategy is in the file.
TEST(P24, ExportedWeightsAreReadWithoutTheStrategyThatTrainedThem) {
  const TestFolder base;
  write_bytes(base / "small.json", small);
  const auto run = [&](const std::string& out, const std::vector<std::string>& overrides) {
    std::vector<std::string> words{"run", (base / "small.json").string(), "--out", (base / out).string()};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results_in(base / out);
  };
  const json::Value trained =
      run("trained", {"strategy={\"type\": \"one_device\"}", "training.evaluation={}"});
  const std::string weights = (base / "trained/weights.safetensors").string();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : read_safetensors(weights).tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"dense/bias", "dense/kernel"}));
  // Without a step of any length, the loaded model measures as the trained one.
  const json::Value loaded = run(
      "loaded", {"model={\"zoo\": \"linear\", \"weights\": \"" + weights + "\"}", "training.optimizer=sgd",
                 "training.learning_rate_by_batch={\"12\": 1e-30}", "training.evaluation={}"});
  EXPECT_EQ(number_at(loaded, {"evaluation", "loss"}), number_at(trained, {"evaluation", "loss"}));
}

// ---- Refusals

TEST_F(Run, LeavesOtherPeoplesFoldersAlone) {
  fs::create_directories(base_ / "photos");
  write_bytes(base_ / "photos/cat.jpg", "cat");
  const Said said = run_small("photos");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.messages,
            "\"photos\" is a folder without results of an earlier run, and would be replaced\n"
            "choose another folder with --out, or remove it yourself\n");
  EXPECT_EQ(bytes_of(base_ / "photos/cat.jpg"), "cat");
}

TEST_F(Run, LeavesAFileThatLiesBesideItsResults) {
  run_small("out");
  write_bytes(base_ / "out/thesis.tex", "years");
  const Said said = run_small("out");
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.messages,
            "\"out\" contains \"thesis.tex\", which no run has written, and would be replaced\n"
            "choose another folder with --out, or move the file elsewhere\n");
  EXPECT_EQ(bytes_of(base_ / "out/thesis.tex"), "years");
}

TEST_F(Run, RefusesBeforeItTrainsWhatItCannotWriteInTheEnd) {
  const Said same = run_small("out", {"training.save_weights=checkpoints"});
  EXPECT_EQ(same.exit, cli::Exit::input_wrong);
  EXPECT_NE(same.messages.find("cannot write \"checkpoints\": Is a directory\n"), std::string::npos)
      << same.messages;
  EXPECT_EQ(run_small("small.json/out").exit, cli::Exit::input_wrong);
  EXPECT_EQ(std::distance(fs::directory_iterator(base_.path()), fs::directory_iterator()), 1);
}

TEST_F(Run, RefusesNamesThatLeadOutOfTheResults) {
  const Said said =
      run_small("out", {"training.save_weights=../w.safetensors", "training.checkpointing.folder=steps.csv"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  for (const char* fact : {"--set:1:23: \"../w.safetensors\" leads out of the folder of the results\n",
                           "--set:1:31: \"steps.csv\" is where the results are written\n"})
    EXPECT_NE(said.messages.find(fact), std::string::npos) << said.messages;
  EXPECT_FALSE(fs::exists(base_ / "out"));
}

TEST_F(Run, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(run(path("small.json"), "out", {"--threads", "0"}).messages,
            "--threads must be at least 1, and it is 0\n");
  EXPECT_TRUE(run(path("small.json"), "out", {"--isa", "sse9"})
                  .messages.starts_with("--isa sse9: unknown instruction set\nknown: baseline"));
  EXPECT_EQ(run(path("small.json"), "out", {"--json", "--csv"}).messages,
            "--json excludes --csv\nsee windtunnel run --help\n");
  EXPECT_EQ(run(path("small.json"), "out", {"--tread", "3"}).messages,
            "\"--tread\" is not an option\n"
            "did you mean \"--threads\"? known: --help, --set, --out, --threads, --isa, --tf-config, --json, "
            "--csv, --report, --plan, --log-device-placement, --job, --price, --verbose, --replicas\n");
  EXPECT_EQ(call({"run"}).messages, "FILE is required\nsee windtunnel run --help\n");
  EXPECT_EQ(call({"run", "a.json", "b.json"}).messages,
            "cannot read \"a.json\": No such file or directory\n\n"
            "cannot read \"b.json\": No such file or directory\n");
  EXPECT_EQ(call({"run", "nothing.json"}).messages,
            "cannot read \"nothing.json\": No such file or directory\n");
}

// ---- Validate

TEST(Validate, AcceptsEveryScenarioOfTheCheckout) {
  for (const char* name :
       {"mirrored_small_batch", "linear_fit", "logistic_custom_loop", "fashion_cnn_custom_loop"}) {
    const Said said = call({"validate", scenario_file(name)});
    EXPECT_EQ(said.exit, cli::Exit::done);
    EXPECT_EQ(said.results, scenario_file(name) + ": fine\n") << said.messages;
  }
}

TEST(Validate, TellsTheProblemsOfEveryFile) {
  const TestFolder base;
  write_bytes(base / "a.json", "{ \"name\": 3 }");
  write_bytes(base / "b.json", small);
  const Said said = call({"validate", (base / "a.json").string(), (base / "b.json").string()});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(base.without_path(said.results), "b.json: fine\n");
  const std::string messages = base.without_path(said.messages);
  EXPECT_NE(messages.find("a.json:1:11: "), std::string::npos) << messages;
  EXPECT_NE(messages.find("\"training\""), std::string::npos) << messages;
}

// The same test where there is a GPU and where there is none.
TEST_F(Run, ComputesOnAGpuOrSaysWhatIsMissing) {
  const device::CudaDevices gpus = device::find_cuda_devices();
  const Said said = run_small("out", {"numerics=cuda"});
  if (!gpus.found.empty()) {
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return;
  }
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("there is no GPU to compute on: " + gpus.reason), std::string::npos)
      << said.messages;
  EXPECT_NE(said.messages.find(gpus.remedy + "; or use the numerics \"cpu\""), std::string::npos)
      << said.messages;
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(Run, PlansForAGpuThatIsNotThere) {
  EXPECT_EQ(run(path("small.json"), "out", {"--set", "numerics=cuda", "--plan"}).exit, cli::Exit::done);
}

}  // namespace
}  // namespace wt
