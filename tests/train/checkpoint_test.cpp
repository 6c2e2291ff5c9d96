// Claim: restoring a checkpoint yields exactly the saved values or throws before any variable changes,
// however the file was damaged.

#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tensor/safetensors.h"
#include "train/machine.h"

namespace wt::train {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::TestFolder;
using test::write_bytes;

const std::vector<model::Weight> weights{
    {.name = "dense/kernel", .spec = {Type::float32, {3, 2}}, .initializer = model::glorot_uniform},
    {.name = "dense/bias", .spec = {Type::float32, {2}}},
    {.name = "Adam/iteration", .spec = {Type::int64, {}}},
};

struct Trained {
  State state{1};

  Trained() { state.add(weights); }
  void set(float bias, std::int64_t iteration) {
    state.write("dense/bias", Tensor::of<float>({2}, {bias, -bias}));
    state.write("Adam/iteration", Tensor::of<std::int64_t>({}, {iteration}));
  }
  std::string bytes() const {
    std::string all;
    for (const model::Weight& weight : state.weights()) {
      const Tensor value = state.read(weight.name);
      all.append(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
    }
    return all;
  }
};

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The text of the error that restoring throws. The state must not change.
std::string refusal(const TestFolder& folder, const fs::path& path) {
  Trained other;
  other.set(9, 9);
  const std::string before = other.bytes();
  try {
    Checkpoint(other.state).restore(path);
  } catch (const InputError& error) {
    EXPECT_EQ(other.bytes(), before);
    return folder.without_path(error.what());
  }
  return "accepted";
}

TEST(P21, CheckpointSavesFindsTheLatestAndRestores) {
  const TestFolder folder;
  Trained trained;
  Checkpoint checkpoint(trained.state);
  trained.set(1, 10);
  EXPECT_EQ(checkpoint.save(folder / "training/ckpt", {.epochs = 1, .steps = 10}),
            folder / "training/ckpt-1");
  trained.set(2, 20);
  const std::string newest = trained.bytes();
  EXPECT_EQ(checkpoint.save(folder / "training/ckpt", {.epochs = 2, .steps = 20}),
            folder / "training/ckpt-2");
  EXPECT_EQ(bytes_of(folder / "training/checkpoint"),
            "model_checkpoint_path: \"ckpt-2\"\n"
            "all_model_checkpoint_paths: \"ckpt-1\"\n"
            "all_model_checkpoint_paths: \"ckpt-2\"\n");

  const auto latest = latest_checkpoint(folder / "training");
  ASSERT_EQ(latest, folder / "training/ckpt-2");
  Trained other;
  const Progress progress = Checkpoint(other.state).restore(*latest);
  EXPECT_EQ(progress, (Progress{.epochs = 2, .steps = 20}));
  EXPECT_EQ(other.bytes(), newest);
}

TEST(P21, VariablesThatComeLaterGetTheirSavedValues) {
  const TestFolder folder;
  Trained trained;
  trained.set(3, 30);
  Checkpoint(trained.state).save(folder / "ckpt");
  State state(2);
  Checkpoint(state).restore(folder / "ckpt-1");
  state.add({weights[1]});
  EXPECT_EQ(state.read("dense/bias").values<float>()[0], 3);
  EXPECT_EQ(state.waiting(), (std::vector<std::string>{"Adam/iteration", "dense/kernel"}));
}

TEST(P22, TheFileHoldsOneValuePerVariableAndOpensAsAnySafetensorsFile) {
  const TestFolder folder;
  Trained trained;
  Checkpoint(trained.state).save(folder / "ckpt");
  const TensorFile file = read_safetensors(folder / "ckpt-1.safetensors");
  ASSERT_EQ(file.tensors.size(), weights.size());
  for (const model::Weight& weight : weights) EXPECT_EQ(file.tensors.at(weight.name).spec(), weight.spec);
}

TEST(P23, TheNumberGoesOnFromTheFolderAndOnlyTheNewestAreKept) {
  const TestFolder folder;
  Trained trained;
  for (int i = 0; i < 3; ++i) Checkpoint(trained.state, 2).save(folder / "ckpt");
  EXPECT_EQ(files_in(folder.path()),
            (std::vector<std::string>{"checkpoint", "ckpt-2.safetensors", "ckpt-3.safetensors"}));
  Trained other;
  EXPECT_EQ(Checkpoint(other.state, 1).save(folder / "ckpt"), folder / "ckpt-4");
  EXPECT_EQ(files_in(folder.path()), (std::vector<std::string>{"checkpoint", "ckpt-4.safetensors"}));
}

TEST(Checkpoint, KeepsWhatItsIndexDoesNotName) {
  const TestFolder folder;
  write_bytes(folder / "ckpt-1.safetensors", "somebody else's");
  Trained trained;
  EXPECT_EQ(Checkpoint(trained.state, 1).save(folder / "ckpt"), folder / "ckpt-2");
  EXPECT_EQ(Checkpoint(trained.state, 1).save(folder / "ckpt"), folder / "ckpt-3");
  EXPECT_EQ(files_in(folder.path()),
            (std::vector<std::string>{"checkpoint", "ckpt-1.safetensors", "ckpt-3.safetensors"}));
}

TEST(Checkpoint, AFileCutOffAnywhereIsRefusedAndTheOlderOneNamed) {
  const TestFolder folder;
  Trained trained;
  Checkpoint checkpoint(trained.state);
  checkpoint.save(folder / "ckpt");
  checkpoint.save(folder / "ckpt");
  const fs::path file = folder / "ckpt-2.safetensors";
  const std::string whole = bytes_of(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file, whole.substr(0, length));
    const std::string text = refusal(folder, folder / "ckpt-2");
    EXPECT_TRUE(text.starts_with("ckpt-2.safetensors: ")) << text;
    EXPECT_TRUE(text.ends_with("\nrestore \"ckpt-1\", which is intact")) << length << ": " << text;
  }
  write_bytes(file, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(refusal(folder, folder / "ckpt-2"),
            "ckpt-2.safetensors: the header describes 40 bytes of numbers, the file has 39\n"
            "restore \"ckpt-1\", which is intact");
}

TEST(Checkpoint, AFileWithAnyByteChangedIsRefusedOrHoldsTheSameValues) {
  const TestFolder folder;
  Trained trained;
  trained.set(1.5, 3);
  Checkpoint(trained.state).save(folder / "ckpt");
  const fs::path file = folder / "ckpt-1.safetensors";
  const std::string whole = bytes_of(file);
  int refused = 0;
  for (const int flip : {0x01, 0x20, 0x80}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      write_bytes(file, changed);
      Trained other;
      const std::string before = other.bytes();
      try {
        Checkpoint(other.state).restore(folder / "ckpt-1");
        EXPECT_EQ(other.bytes(), trained.bytes()) << "byte " << at;
      } catch (const InputError&) {
        EXPECT_EQ(other.bytes(), before) << "byte " << at;
        ++refused;
      }
    }
  }
  // A changed blank in the header has no effect. Every other change is refused.
  EXPECT_GT(refused, 3 * static_cast<int>(whole.size()) - 60);
  write_bytes(file, whole.substr(0, whole.size() - 1) + "!");
  EXPECT_EQ(refusal(folder, folder / "ckpt-1"),
            "ckpt-1.safetensors: the checkpoint was altered: its content does not match its fingerprint\n"
            "no other checkpoint in its folder is intact");
}

// Saves an undamaged checkpoint of a model with these weights.
fs::path saved(const TestFolder& folder, const std::vector<model::Weight>& others) {
  State state(1);
  state.add(others);
  return Checkpoint(state).save(folder / "ckpt");
}

TEST(Checkpoint, AnotherModelsIsRefusedNamingEveryVariable) {
  const TestFolder folder;
  std::vector<model::Weight> others = weights;
  others.pop_back();
  others[1].spec.shape = {4};
  EXPECT_EQ(refusal(folder, saved(folder, others)),
            "ckpt-1.safetensors: variable \"dense/bias\" is float32[4] in the checkpoint\n"
            "the model has float32[2]: restore a checkpoint of the same model\n"
            "\n"
            "ckpt-1.safetensors: the checkpoint has no variable \"Adam/iteration\"\n"
            "the model has int64[]: restore a checkpoint of the same model");
}

TEST(Checkpoint, MoreVariablesThanNeededAreKeptForLater) {
  const TestFolder folder;
  std::vector<model::Weight> others = weights;
  others.push_back({.name = "Adam/m/dense/bias", .spec = {Type::float32, {2}}});
  const fs::path path = saved(folder, others);
  Trained trained;
  Checkpoint(trained.state).restore(path);
  EXPECT_EQ(trained.state.waiting(), std::vector<std::string>{"Adam/m/dense/bias"});
}

TEST(Checkpoint, ForeignFilesAreRefused) {
  const TestFolder folder;
  write_safetensors(folder / "ckpt-1.safetensors",
                    {.tensors = {{"dense/bias", Tensor::zeros({Type::float32, {2}})}}});
  EXPECT_EQ(
      refusal(folder, folder / "ckpt-1"),
      "ckpt-1.safetensors: this file is not a checkpoint: its metadata does not state the format of one\n"
      "no other checkpoint in its folder is intact");
  write_bytes(folder / "ckpt-1.safetensors", "{\"weights\": [1, 2, 3]}, and more text");
  EXPECT_TRUE(
      refusal(folder, folder / "ckpt-1").starts_with("ckpt-1.safetensors: this is not a safetensors file"));
  write_bytes(folder / "tf-1.index", "");
  EXPECT_EQ(refusal(folder, folder / "tf-1"),
            "tf-1.safetensors: cannot read \"tf-1.safetensors\": No such file or directory\n"
            "this checkpoint has TensorFlow's format: save the weights as safetensors in TensorFlow");
  EXPECT_EQ(
      refusal(folder, folder / "nothing/ckpt-1"),
      "nothing/ckpt-1.safetensors: cannot read \"nothing/ckpt-1.safetensors\": No such file or directory\n"
      "no other checkpoint in its folder is intact");
}

TEST(Checkpoint, AnotherVersionsIsRefused) {
  const TestFolder folder;
  Trained trained;
  Checkpoint(trained.state).save(folder / "ckpt");
  TensorFile file = read_safetensors(folder / "ckpt-1.safetensors");
  file.metadata["version"] = "2";
  write_safetensors(folder / "ckpt-1.safetensors", file);
  EXPECT_EQ(refusal(folder, folder / "ckpt-1"),
            "ckpt-1.safetensors: the checkpoint has version \"2\", and this program reads version 1\n"
            "no other checkpoint in its folder is intact");
}

std::string latest_refusal(const TestFolder& folder) {
  try {
    latest_checkpoint(folder.path());
  } catch (const InputError& error) {
    return folder.without_path(error.what());
  }
  return "accepted";
}

TEST(LatestCheckpoint, IsNothingWhereNothingWasSaved) {
  const TestFolder folder;
  EXPECT_EQ(latest_checkpoint(folder.path()), std::nullopt);
  EXPECT_EQ(latest_checkpoint(folder / "nothing"), std::nullopt);
}

TEST(LatestCheckpoint, RefusesAnIndexThatIsNone) {
  const TestFolder folder;
  for (const char* text :
       {"", "model_checkpoint_path: \"ckpt", "epoch: \"3\"\n", "ckpt-1", "model_checkpoint_path: 3"}) {
    write_bytes(folder / "checkpoint", text);
    EXPECT_EQ(latest_refusal(folder),
              "checkpoint: this file is not an index of checkpoints: it has no line model_checkpoint_path: "
              "\"...\"\n"
              "name the checkpoint itself, or choose another folder")
        << text;
    Trained trained;
    EXPECT_THROW(Checkpoint(trained.state).save(folder / "ckpt"), InputError);
  }
}

TEST(LatestCheckpoint, ReadsTensorFlowsOtherLines) {
  const TestFolder folder;
  Trained trained;
  Checkpoint(trained.state).save(folder / "ckpt");
  write_bytes(folder / "checkpoint",
              bytes_of(folder / "checkpoint") +
                  "all_model_checkpoint_timestamps: 1.6e9\nlast_preserved_timestamp: 1.6e9\n");
  EXPECT_EQ(latest_checkpoint(folder.path()), folder / "ckpt-1");
}

TEST(LatestCheckpoint, SaysWhichOneIsWholeWhenTheNewestIsMissing) {
  const TestFolder folder;
  Trained trained;
  Checkpoint(trained.state).save(folder / "ckpt");
  Checkpoint(trained.state).save(folder / "ckpt");
  fs::remove(folder / "ckpt-2.safetensors");
  EXPECT_EQ(latest_refusal(folder),
            "checkpoint: the newest checkpoint is \"ckpt-2\", and its file is missing\n"
            "restore \"ckpt-1\", which is intact");
}

}  // namespace
}  // namespace wt::train
