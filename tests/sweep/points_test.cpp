// Claims: the points of a sweep are the product of its axes without what conditions leave out, each is the base
// scenario with the values of its axes, and a value with which nothing can be read is refused before any point.

#include "sweep/points.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "scenario/machine.h"
#include "support/folder.h"
#include "sweep/read.h"

namespace wt::sweep {
namespace {

using test::TestFolder;

constexpr const char* base = R"({
  "name": "base", "platform": "dgx_a100", "strategy": {"type": "mirrored"}, "model": "fashion_cnn",
  "dataset": {"type": "synthetic", "rows": 1024},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 32},
  "numerics": "none"
})";

class Folder : public TestFolder {
 public:
  Folder() { write_text(*this / "base.json", base); }
  Sweep sweep(const std::string& axes, const std::string& rest = "") const {
    write_text(*this / "sweep.json",
               R"({"name": "s", "scenario": "base.json", "axes": [)" + axes + "]" + rest + "}");
    return read(*this / "sweep.json", {});
  }
};

std::string text_of(const Point& point) {
  std::string text;
  for (const Setting* setting : point.settings) text += (text.empty() ? "" : " ") + setting->text;
  return text;
}

std::vector<std::string> texts_of(const Points& points) {
  std::vector<std::string> texts;
  for (std::int64_t number = 0; number < points.size(); ++number) texts.push_back(text_of(points.at(number)));
  return texts;
}

TEST(Points, AreTheProductOfTheAxesAndTheLastVariesFastest) {
  const Folder folder;
  const Sweep sweep = folder.sweep(R"({"devices": [1, 2]}, {"batch": [8, 16], "seed": [3, 4]})");
  EXPECT_EQ(texts_of(Points(sweep)), (std::vector<std::string>{"1 8 3", "1 16 4", "2 8 3", "2 16 4"}));
}

TEST(Points, AgreeWithNoCondition) {
  const Folder folder;
  const Sweep sweep = folder.sweep(R"({"platform": ["dgx_a100", "dgx2"]}, {"devices": "1..16x2"})",
                                   R"(, "leave_out": [{"platform": "dgx_a100", "devices": ">8"},
                                                     {"platform": ["dgx2"], "devices": "<=2"},
                                                     {"devices": 4}])");
  EXPECT_EQ(texts_of(Points(sweep)),
            (std::vector<std::string>{"dgx_a100 1", "dgx_a100 2", "dgx_a100 8", "dgx2 8", "dgx2 16"}));
}

TEST(Points, AreTheBaseScenarioWithTheirValues) {
  const Folder folder;
  const Sweep sweep = folder.sweep(
      R"({"platform": ["dgx_a100", "dgx2"]}, {"global_batch": [256]}, {"devices": [4]}, {"training.epochs": [7]})");
  const Points points(sweep);
  const scenario::Scenario scenario = points.scenario(points.at(1));
  EXPECT_EQ(scenario.platform.written->string(), "dgx2");
  EXPECT_EQ(scenario.training.global_batch, 256);
  EXPECT_FALSE(scenario.training.per_replica_batch);  // One of the two excludes the other.
  EXPECT_EQ(scenario.training.epochs, 7);
  EXPECT_EQ(scenario::build_machine(scenario).replicas.size(), 4U);
}

TEST(Points, SetKeysOfAPlatformThatIsOnlyNamed) {
  const Folder folder;
  const Sweep sweep = folder.sweep(R"({"strategy": ["multi_worker_mirrored"]}, {"machines": [1, 3]},
                                      {"platform.set.network.oversubscription": [1, 2]})");
  const Points points(sweep);
  ASSERT_EQ(points.size(), 4);
  EXPECT_EQ(scenario::build_machine(points.scenario(points.at(3))).replicas.size(), 24U);
}

TEST(Points, NullRemovesAKey) {
  const Folder folder;
  const Sweep sweep =
      folder.sweep(R"({"training.per_replica_batch": [null], "training.global_batch": [64]})");
  const Points points(sweep);
  EXPECT_EQ(points.scenario(points.at(0)).training.global_batch, 64);
}

TEST(Points, RefuseAValueThatNoScenarioCanHave) {
  const Folder folder;
  const auto error_of = [&](const std::string& axes) {
    const Sweep sweep = folder.sweep(axes);
    return folder.error_of<InputError>([&] { Points(sweep).require_usable_values(); });
  };
  EXPECT_NE(
      error_of(R"({"platform": ["dgx_a100", "dgx_a10"]}, {"devices": [1, 2]})").find("unknown platform"),
      std::string::npos);
  EXPECT_NE(error_of(R"({"plaform": ["dgx_a100"]})").find("did you mean \"platform\"?"), std::string::npos);
  EXPECT_NE(error_of(R"({"devices": [1, "many"]})").find("\"many\" is no number of replicas"),
            std::string::npos);
  // 16 devices are too many for one of the platforms only, so that point is a row.
  EXPECT_EQ(error_of(R"({"platform": ["dgx_a100", "dgx2"]}, {"devices": [8, 16]})"), "no error");
}

TEST(SweepFile, RefusesEverythingThatIsWrongAtOnce) {
  const Folder folder;
  const std::string error = folder.error_of<InputError>([&] {
    folder.sweep(R"({"devices": "4..1"}, {"batch": [1, 2], "seed": [1]}, {}, 5)",
                 R"(, "leave_out": [{"machnes": 1}, {"devices": ">many"}, 3], "axis": 1)");
  });
  for (const char* fact :
       {"its end is before its beginning", "different numbers of values", "an axis is an object",
        "no axis has the name \"machnes\"", "compares with no number", "unknown key \"axis\""})
    EXPECT_NE(error.find(fact), std::string::npos) << fact << "\n" << error;
}

TEST(SweepFile, RefusesTooManyPoints) {
  const Folder folder;
  const Sweep sweep = folder.sweep(R"({"seed": "1..4000"}, {"batch": "1..4000"})");
  EXPECT_THROW(Points{sweep}, InputError);
}

TEST(SweepFile, RefusesAnAxisThatIsThereTwice) {
  const Folder folder;
  EXPECT_THROW(folder.sweep(R"({"seed": [1]}, {"seed": [2]})"), InputError);
}

}  // namespace
}  // namespace wt::sweep
