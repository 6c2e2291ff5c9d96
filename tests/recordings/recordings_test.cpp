// Claims: recordings of TensorFlow that lie in tests/recordings pass here, none fails, and few are refused; a number that
// was changed, and a recording of which nothing is compared, don't pass; three mirrored replicas train what one device
// trains.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "base/temporary_folder.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "study/recordings/judge.h"
#include "study/recordings/trainings.h"
#include "support/folder.h"
#include "tensor/safetensors.h"

namespace wt::recordings {
namespace {

namespace fs = std::filesystem;

// Unpacked once for all tests.
const std::vector<Recording>& recordings_of(const std::string& archive) {
  static std::map<std::string, std::unique_ptr<TemporaryFolder>> scratch;
  static std::map<std::string, std::vector<Recording>> all;
  if (!all.contains(archive)) {
    scratch[archive] = std::make_unique<TemporaryFolder>();
    const std::vector<std::string> places{std::string(WT_TEST_DATA) + "/recordings/" + archive + ".tar.gz"};
    all[archive] = read_recordings(places, scratch[archive]->path());
  }
  return all.at(archive);
}

const Recording& recording_named(const std::string& version, const std::string& id) {
  const std::vector<Recording>& all = recordings_of("layers");
  const auto found =
      std::ranges::find_if(all, [&](const Recording& r) { return r.version == version && r.id == id; });
  EXPECT_NE(found, all.end()) << id;
  return *found;
}

// The archives, and how many recordings of each version they have.
struct Archive {
  std::string name{};
  std::string version{};
  std::size_t count = 0;
};
std::ostream& operator<<(std::ostream& out, const Archive& archive) {
  return out << archive.version << " " << archive.name;
}
const Archive archives[] = {
    {"layers", "keras2", 173},          {"layers", "keras3", 174},         {"further_layers", "keras2", 290},
    {"further_layers", "keras3", 305},  {"precision", "keras2", 12},       {"precision", "keras3", 12},
    {"training", "keras2", 80},         {"training", "keras3", 80},        {"further_training", "keras2", 81},
    {"further_training", "keras3", 81}, {"workers", "keras2", 24},         {"workers", "keras3", 24},
    {"further_workers", "keras2", 24},  {"further_workers", "keras3", 24},
};

class EveryArchive : public testing::TestWithParam<Archive> {};

TEST_P(EveryArchive, PassesAndNoneFails) {
  std::map<Verdict, std::vector<std::string>> ids;
  std::size_t count = 0, applicable = 0, passed = 0;
  for (const Recording& recording : recordings_of(GetParam().name)) {
    if (recording.version != GetParam().version) continue;
    ++count;
    const Judgement judgement = judge(recording);
    applicable += judgement.verdict != Verdict::not_applicable ? 1 : 0;
    passed += judgement.verdict == Verdict::passed ? 1 : 0;
    EXPECT_NE(judgement.verdict, Verdict::failed) << recording.id << ": " << judgement.why;
    EXPECT_NE(judgement.verdict, Verdict::empty) << recording.id << ": " << judgement.why;
    EXPECT_EQ(judgement.why.empty(), judgement.verdict == Verdict::passed) << recording.id;
  }
  EXPECT_EQ(count, GetParam().count);
  EXPECT_GE(static_cast<double>(passed), 0.95 * static_cast<double>(applicable));
}
INSTANTIATE_TEST_SUITE_P(Recordings, EveryArchive, testing::ValuesIn(archives),
                         [](const auto& test) { return test.param.version + "_" + test.param.name; });

// ---- Verdicts

// A copy of a recording whose case.json has a text replaced, wherever it occurs.
Recording changed(const test::TestFolder& folder, const Recording& recording, const std::string& from,
                  const std::string& to) {
  const fs::path copy = folder / recording.version / recording.kind / recording.id;
  fs::create_directories(copy);
  fs::copy(recording.folder, copy, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::ifstream file(recording.folder / "case.json");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  std::ofstream(copy / "case.json") << text;
  const std::vector<std::string> places{folder.path().string()};
  return read_recordings(places, folder / "scratch").front();
}

TEST(AVerdict, IsPassedForARecordingAsItStands) {
  EXPECT_EQ(judge(recording_named("keras3", "layers_dense_relu")).verdict, Verdict::passed);
}

TEST(AVerdict, IsFailedWithTheNumberThatDiffers) {
  const test::TestFolder folder;
  const Recording& recording = recording_named("keras3", "layers_dense_relu");
  const Recording other =
      changed(folder, recording, "\"test\": {\n   \"loss\": ", "\"test\": {\n   \"loss\": 1");
  const Judgement judgement = judge(other);
  EXPECT_EQ(judgement.verdict, Verdict::failed);
  EXPECT_TRUE(judgement.why.starts_with("the loss of test is ")) << judgement.why;
}

TEST(AVerdict, IsFailedIfOneWeightDiffers) {
  const test::TestFolder folder;
  const Recording& recording = recording_named("keras3", "layers_dense_relu");
  const Recording other = changed(folder, recording, "\"doc\"", "\"doc\"");
  TensorFile file = read_safetensors(other.folder / "data.safetensors");
  const auto weight = std::ranges::find_if(file.tensors, [](const auto& each) {
    return each.first.starts_with("final/") && each.first.ends_with("kernel");
  });
  ASSERT_NE(weight, file.tensors.end());
  weight->second.values<float>()[0] += 0.01F;
  write_safetensors(other.folder / "data.safetensors", file);
  const Judgement judgement = judge(other);
  EXPECT_EQ(judgement.verdict, Verdict::failed);
  EXPECT_NE(judgement.why.find("of final: element 0 is "), std::string::npos) << judgement.why;
}

TEST(AVerdict, IsRefusedWithTheReason) {
  const Judgement judgement = judge(recording_named("keras2", "layers_lstm_stateful"));
  EXPECT_EQ(judgement.verdict, Verdict::refused);
  EXPECT_TRUE(judgement.why.starts_with("layer \"lstm\" (LSTM): a stateful layer is not offered"))
      << judgement.why;
}

// Halves deviate by units in the last place, and a loss scale by nothing.
TEST(AVerdict, IsFailedIfANetOfHalvesIsFarOffOrItsScaleIsAnother) {
  const std::vector<Recording>& all = recordings_of("precision");
  const auto dense = std::ranges::find_if(all, [](const Recording& r) {
    return r.version == "keras3" && r.id == "precision_f16_overflow_inputs";
  });
  ASSERT_NE(dense, all.end());
  for (const auto& [from, to] :
       {std::pair{"\"scale\": 2048.0", "\"scale\": 1024.0"}, std::pair{"\"float16\"", "\"bfloat16\""}}) {
    const test::TestFolder folder;
    EXPECT_EQ(judge(changed(folder, *dense, from, to)).verdict, Verdict::failed) << from;
  }
  const test::TestFolder folder;
  const Recording other = changed(folder, *dense, "\"doc\"", "\"doc\"");
  TensorFile file = read_safetensors(other.folder / "data.safetensors");
  for (Float16& number : file.tensors.at("look/activation00").values<Float16>())
    number = rounded<Float16>(widened(number) * 1.01F);
  write_safetensors(other.folder / "data.safetensors", file);
  EXPECT_EQ(judge(other).verdict, Verdict::failed);
}

TEST(AVerdict, IsEmptyForAProgramThatIsNotRepeated) {
  const test::TestFolder folder;
  const Recording& recording = recording_named("keras3", "layers_dense_relu");
  EXPECT_EQ(judge(changed(folder, recording, "\"config\"", "\"another\"")).verdict, Verdict::empty);
}

TEST(AVerdict, IsNotApplicableWhereTheVersionHasNoSuchProgram) {
  const test::TestFolder folder;
  const Recording& recording = recording_named("keras3", "layers_dense_relu");
  const Judgement judgement = judge(
      changed(folder, recording, "\"values\": {", "\"values\": {\"skipped\": \"it has no such layer\", "));
  EXPECT_EQ(judgement.verdict, Verdict::not_applicable);
  EXPECT_EQ(judgement.why, "keras3: it has no such layer");
}

// ---- Replicas

// Where the numbers of a row depend on the rows beside it, replicas compute others than one device, under TensorFlow, too:
// statistics of a batch, means over the steps that a mask leaves, and the statistics' moving means in a frozen model.
bool depends_on_other_rows(const Recording& recording) {
  const json::Value* text = recording.text("model.json");
  if (text == nullptr) return true;
  const auto has = [&](std::string_view word) { return text->string().find(word) != std::string::npos; };
  const bool has_statistics = has("\"BatchNormalization\"");
  const bool has_mask = has("\"Masking\"") || has("\"mask_zero\": true");
  const bool has_masked_loss = has_mask && recording.config("tail")->string() != "flat";
  return has_statistics || has_masked_loss;
}

void expect_equal(const Training& one, const Training& several, const std::string& id) {
  ASSERT_EQ(one.losses.size(), several.losses.size()) << id;
  for (std::size_t i = 0; i < one.losses.size(); ++i)
    EXPECT_NEAR(several.losses[i], one.losses[i], 1e-5 * std::abs(one.losses[i])) << id << ", step " << i;
  for (const auto& [name, weight] : one.weights) {
    if (weight.type() != Type::float32) continue;
    const auto a = weight.values<float>(), b = several.weights.at(name).values<float>();
    float largest = 0;
    for (const float number : a) largest = std::max(largest, std::abs(number));
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(b[i], a[i], 1e-4F * largest) << id << ", " << name << " " << i;
  }
}

// Returns how many recordings were compared.
int compare_replicas(std::int64_t replicas, std::int64_t copies, std::string_view word) {
  int compared = 0;
  for (const std::string archive : {"layers", "further_layers"})
    for (const Recording& recording : recordings_of(archive)) {
      if (recording.config("body") == nullptr || recording.id.find(word) == std::string::npos) continue;
      if (depends_on_other_rows(recording) || judge(recording).verdict != Verdict::passed) continue;
      expect_equal(repeat_training(recording, 1, copies), repeat_training(recording, replicas, copies),
                   recording.version + "/" + recording.id);
      ++compared;
    }
  return compared;
}

TEST(MirroredReplicas, TrainEveryLayerAsOneDeviceDoes) { EXPECT_GE(compare_replicas(3, 1, ""), 600); }
TEST(MirroredReplicas, AreTwo) { EXPECT_GE(compare_replicas(2, 1, "layers_lstm"), 16); }
// Batches of 6 rows don't divide by 8, so that each row is there four times.
TEST(MirroredReplicas, AreEight) { EXPECT_GE(compare_replicas(8, 4, "layers_conv"), 30); }

// With statistics of the rows of all replicas, a batch normalization trains on replicas as on one device.
TEST(MirroredReplicas, ShareTheStatisticsOfASynchronizedBatchNormalization) {
  int compared = 0;
  for (const Recording& recording : recordings_of("layers")) {
    if (recording.version != "keras3" || !recording.id.starts_with("layers_batch_norm_")) continue;
    const test::TestFolder folder;
    const Recording other =
        changed(folder, recording, R"(\"synchronized\": false)", R"(\"synchronized\": true)");
    const Training one = repeat_training(recording, 1);
    expect_equal(one, repeat_training(other, 1), recording.id);
    if (recording.id == "layers_batch_norm_mask") continue;  // a replica may have no step that counts
    expect_equal(one, repeat_training(other, 3), recording.id);
    expect_equal(repeat_training(recording, 1, 4), repeat_training(other, 8, 4), recording.id);
    ++compared;
  }
  EXPECT_EQ(compared, 9);
}

// ---- Damaged models

// One character in a model's JSON is another: the model is read, or refused at a place, and never more than that.
TEST(AModel, DamagedAnywhereIsReadOrRefused) {
  std::mt19937 random(1);
  constexpr std::string_view letters = "0123456789-[]{},:\"ant";
  int refused = 0, read = 0;
  for (const std::string archive : {"layers", "further_layers"})
    for (const Recording& recording : recordings_of(archive)) {
      const json::Value* text = recording.text("model.json");
      for (int i = 0; text != nullptr && i < 8; ++i) {
        std::string damaged = text->string();
        damaged[random() % damaged.size()] = letters[random() % letters.size()];
        try {
          const model::LayerPtr layer = model::model_from_json(json::parse(damaged, "model.json"));
          model::forward(*layer, 2);
          ++read;
        } catch (const InputError&) {
          ++refused;
        }
      }
    }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 500);
}

// ---- Files

TEST(AnArchive, ThatIsCutOffIsAnErrorWithItsName) {
  const test::TestFolder folder;
  std::ifstream file(std::string(WT_TEST_DATA) + "/recordings/layers.tar.gz", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const fs::path half = folder.write("half.tar.gz", whole.substr(0, whole.size() / 2));
  const std::vector<std::string> places{half.string()};
  try {
    read_recordings(places, folder / "scratch");
    FAIL() << "half of an archive was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().place.file, half.string());
  }
}

TEST(ARecording, WhoseJsonIsDamagedIsAnErrorWithItsPlace) {
  const test::TestFolder folder;
  fs::create_directories(folder / "keras3/layers/layers_x");
  const fs::path file = folder.write("keras3/layers/layers_x/case.json", "{\n  \"id\": }");
  const std::vector<std::string> places{folder.path().string()};
  try {
    read_recordings(places, folder / "scratch");
    FAIL() << "a damaged file was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().place.line, 2);
  }
}

TEST(Recordings, AreNotInAnEmptyFolder) {
  const test::TestFolder folder;
  const std::vector<std::string> places{folder.path().string()};
  EXPECT_THROW(read_recordings(places, folder / "scratch"), InputError);
}

}  // namespace
}  // namespace wt::recordings
