#include "device/name.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace wt::device {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_name(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr std::string_view looks_like =
    "a device is named like /job:worker/replica:0/task:1/device:GPU:0, or in short /GPU:0";

TEST(Name, D2_ReadsTheSeedsThreeForms) {
  EXPECT_EQ(parse_name("/device:CPU:0"), (Name{.kind = Kind::cpu, .index = 0}));
  EXPECT_EQ(parse_name("/GPU:0"), (Name{.kind = Kind::gpu, .index = 0}));
  EXPECT_EQ(parse_name("/job:localhost/replica:0/task:0/device:GPU:1"),
            (Name{.job = "localhost", .replica = 0, .task = 0, .kind = Kind::gpu, .index = 1}));
}

TEST(Name, D2_ShortFormsAndAnyCaseOfTypesMeanTheSame) {
  const Name gpu{.kind = Kind::gpu, .index = 3};
  for (const char* text : {"/GPU:3", "/gpu:3", "GPU:3", "gpu:3", "Gpu:3", "/device:GPU:3", "/device:gpu:3",
                           "device:GPU:3", "/gpu:003", "/replica:*/gpu:3"}) {
    EXPECT_EQ(parse_name(text), gpu) << text;
  }
  EXPECT_EQ(parse_name("tpu:7"), (Name{.kind = Kind::tpu, .index = 7}));
}

TEST(Name, D2_WhatIsAbsentOrAStarIsOpen) {
  EXPECT_EQ(parse_name(""), Name{});
  EXPECT_EQ(parse_name("/"), Name{});
  EXPECT_EQ(parse_name("/job:ps/task:1"), (Name{.job = "ps", .task = 1}));
  EXPECT_EQ(parse_name("/task:1/job:ps"), (Name{.job = "ps", .task = 1})) << "parts may stand in any order";
  EXPECT_EQ(parse_name("/GPU:*"), Name{.kind = Kind::gpu});
  EXPECT_EQ(parse_name("/GPU"), Name{.kind = Kind::gpu});
  EXPECT_EQ(parse_name("/device:GPU"), Name{.kind = Kind::gpu});
  EXPECT_EQ(parse_name("/job:*/replica:*/task:*/device:*:*"), Name{});
  EXPECT_EQ(parse_name("/device:*:2"), Name{.index = 2});
}

TEST(Name, D2_TheCanonicalFormLeavesNothingOpen) {
  EXPECT_EQ(print(canonical(parse_name("gpu:1"))), "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_EQ(print(canonical({})), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(print(canonical(parse_name("/GPU"))), "/job:localhost/replica:0/task:0/device:GPU:0");
  const Name worker{.job = "worker", .replica = 0, .task = 2};
  EXPECT_EQ(print(canonical(parse_name("/gpu:1"), worker)), "/job:worker/replica:0/task:2/device:GPU:1");
  EXPECT_EQ(print(canonical(parse_name("/job:ps/task:0"), worker)), "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(print(canonical({}, {.job = "chief"})), "/job:chief/replica:0/task:0/device:CPU:0");
}

TEST(Name, D2_InnerScopesOverrideOuterOnesPartByPart) {
  const Name outer = parse_name("/job:worker/task:1/device:GPU:3");
  EXPECT_EQ(print(merged(parse_name("/CPU:0"), outer)), "/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(print(merged(parse_name("/task:2"), outer)), "/job:worker/task:2/device:GPU:3");
  EXPECT_EQ(print(merged(parse_name("/CPU:*"), outer)), "/job:worker/task:1/device:CPU:3");
  EXPECT_EQ(merged({}, outer), outer);
  EXPECT_EQ(merged(outer, {}), outer);
}

TEST(Name, G16_TheHostOfADeviceIsCpu0OfItsTask) {
  EXPECT_EQ(print(host_of(parse_name("/job:worker/replica:0/task:3/device:GPU:5"))),
            "/job:worker/replica:0/task:3/device:CPU:0");
  EXPECT_EQ(print(host_of(canonical(parse_name("/gpu:1")))), "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST(Name, AMistakeIsAnsweredWithItsPlace) {
  EXPECT_EQ(refusal("/job:worker/replica:0/task:0/device:GUP:1"),
            "1:37: unknown device type \"GUP\"\n"
            "  1 | /job:worker/replica:0/task:0/device:GUP:1\n"
            "    |                                     ^~~\n"
            "did you mean \"GPU\"? known: CPU, GPU, TPU; " +
                std::string(looks_like));
  EXPECT_EQ(refusal("/jop:worker"),
            "1:2: unknown part \"jop\" of a device name\n"
            "  1 | /jop:worker\n"
            "    |  ^~~\n"
            "did you mean \"job\"? known: job, replica, task, device, CPU, GPU, TPU; " +
                std::string(looks_like));
  EXPECT_EQ(refusal("/GPU:one"),
            "1:6: \"one\" is not an index\n"
            "  1 | /GPU:one\n"
            "    |      ^~~\n"
            "indices count from 0, and * stands for any index; " +
                std::string(looks_like));
  EXPECT_EQ(refusal("/physical_device:GPU:0"),
            "1:2: a physical device runs no operations\n"
            "  1 | /physical_device:GPU:0\n"
            "    |  ^~~~~~~~~~~~~~~~~~~~~\n"
            "name a logical device, as in /GPU:0; " +
                std::string(looks_like));
}

TEST(Name, RefusesWhatTensorFlowsGrammarDoesNotKnow) {
  const auto fact = [](std::string_view text) {
    const std::string all = refusal(text);
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(fact("/job:worker//device:GPU:0"), "1:13: a part of the device name is empty");
  EXPECT_EQ(fact("/GPU:0/"), "1:8: a part of the device name is empty");
  EXPECT_EQ(fact("/GPU:-1"), "1:6: \"-1\" is not an index");
  EXPECT_EQ(fact("/GPU:"), "1:6: \"\" is not an index");
  EXPECT_EQ(fact("/GPU:2147483648"), "1:6: 2147483648 is larger than any index");
  EXPECT_EQ(fact("/GPU:0/CPU:0"), "1:8: \"CPU:0\" repeats a part of the device name");
  EXPECT_EQ(fact("/job:a/job:*"), "1:8: \"job:*\" repeats a part of the device name");
  EXPECT_EQ(fact("/GPU:0:1"), "1:2: a device consists of a type and, optionally, an index");
  EXPECT_EQ(fact("/device"), "1:2: a device consists of a type and, optionally, an index");
  EXPECT_EQ(fact("/task"), "1:2: task needs one value");
  EXPECT_EQ(fact("/job:2nd"), "1:6: \"2nd\" is not a valid name of a job");
  EXPECT_EQ(fact("/job:"), "1:6: \"\" is not a valid name of a job");
  EXPECT_EQ(fact("/Job:worker"), "1:2: unknown part \"Job\" of a device name");
  EXPECT_EQ(fact("/\u00B5:0"), "1:2: unknown part \"\u00B5\" of a device name");
}

Name random_name(std::mt19937_64& random) {
  const auto maybe = [&] { return random() % 2 == 0; };
  Name name;
  if (maybe()) name.job = std::array{"localhost", "worker", "ps", "j_2", "CPU"}[random() % 5];
  if (maybe()) name.replica = static_cast<int>(random() % 4);
  if (maybe()) name.task = static_cast<int>(random() % 5000);
  if (maybe()) name.kind = std::array{Kind::cpu, Kind::gpu, Kind::tpu}[random() % 3];
  if (maybe()) name.index = static_cast<int>(random() % 2147483648);
  return name;
}

TEST(Name, WhatIsPrintedIsReadBack) {
  std::mt19937_64 random(20260101);
  for (int i = 0; i < 20'000; ++i) {
    const Name name = random_name(random);
    EXPECT_EQ(parse_name(print(name)), name) << print(name);
    const Name full = canonical(name);
    EXPECT_EQ(canonical(parse_name(print(name))), full);
    EXPECT_EQ(canonical(full), full);
  }
}

TEST(Name, MergingIsAssociative) {
  std::mt19937_64 random(20260102);
  for (int i = 0; i < 5'000; ++i) {
    const Name a = random_name(random), b = random_name(random), c = random_name(random);
    EXPECT_EQ(merged(merged(a, b), c), merged(a, merged(b, c)));
  }
}

// Random text gives an error whose place is inside the text, or a name that is printed as an equal name.
TEST(Name, NonsenseNeverCrashes) {
  constexpr std::array pieces{"/",    ":",      "*",  "job",         "replica", "task", "device", "GPU",
                              "cpu",  "Tpu",    "0",  "17",          "-1",      " ",    "a",      "_",
                              "\xC3", "\u00B5", "\0", "99999999999", "///",     "::",   "/ps",    "job:"};
  std::mt19937_64 random(20260103);
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (std::size_t n = random() % 9; n > 0; --n) text += pieces[random() % pieces.size()];
    try {
      const Name name = parse_name(text);
      EXPECT_EQ(parse_name(print(name)), name) << text;
      ++accepted;
    } catch (const InputError& error) {
      const Place& place = error.problems().at(0).place;
      EXPECT_GE(place.column, 1);
      EXPECT_LE(place.column, static_cast<int>(text.size()) + 1) << text;
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Name, KindsAreReadInAnyCase) {
  for (const Kind kind : {Kind::cpu, Kind::gpu, Kind::tpu}) EXPECT_EQ(kind_named(name(kind)), kind);
  EXPECT_EQ(kind_named("gPu"), Kind::gpu);
  EXPECT_EQ(kind_named("NPU"), std::nullopt);
  EXPECT_EQ(kind_named(""), std::nullopt);
}

}  // namespace
}  // namespace wt::device
