// Claims: the guide to accelerators, example by example in one process, prints what was recorded on a host without GPUs, and
// its example of two virtual devices, on CPUs, trains its functional model as recorded.

#include "model/functional.h"
#include "placement/placement_recorded.h"
#include "seeds/seeds_recorded.h"
#include "train/distributed/constructors.h"

namespace wt::test::seeds {
namespace {

using device::Kind;

// The program's own operations, of which Python has further ones that make their arguments.
placement::Operations logged_operations(const Recording& recording, const std::string& key,
                                        const std::set<std::string>& names) {
  return placement::only(names, placement::operations_in(texts_of(*wanted(recording, key).find("err"))));
}

// Lines of standard output that the program printed itself, and not the placer.
std::vector<std::string> own_lines(const Recording& recording, const std::string& key) {
  std::vector<std::string> own;
  for (const std::string& line : texts_of(*wanted(recording, key).find("out")))
    if (line.find("): /job:") == std::string::npos) own.push_back(line);
  return own;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; begin = end + 1, end = text.find('\n', begin))
    lines.push_back(text.substr(begin, end - begin));
  lines.push_back(text.substr(begin));
  return lines;
}

// Python makes the two factors as _EagerConst; in the second example both were made before the log shows it.
TEST(D1_D6_D7_P4, TheGuidesExamplesPrintWhatWasRecordedWithoutGpus) {
  for (const Recording* recording : family("accelerator_guide")) {
    if (recording->id.ends_with("_cpus")) continue;
    placement::Process process(1);
    const auto gpus = process.context.list_physical_devices(Kind::gpu);
    expect_lines(at(*recording, "count"), texts_of(*wanted(*recording, "printed count").find("out")),
                 {fmt::format("Num GPUs Available:  {}", gpus.size())});
    process.tf.set_log_device_placement(true);
    const auto product = [&] {
      const EagerTensor a = train::constant<float>({1, 2, 3, 4, 5, 6}, {2, 3});
      const EagerTensor b = train::constant<float>({1, 2, 3, 4, 5, 6}, {3, 2});
      return std::pair{a, b};
    };
    const auto expect_example = [&](const std::string& key, const std::string& scope) {
      process.lines.clear();
      std::pair<EagerTensor, EagerTensor> factors;
      {
        std::optional<train::Eager::Scope> device;
        if (!scope.empty()) device.emplace(process.tf, scope);
        factors = product();
      }
      const std::string printed = print(train::matmul(factors.first, factors.second));
      const std::set<std::string> names{"MatMul"};
      EXPECT_EQ(logged_operations(*recording, key, names),
                placement::only(names, placement::operations_in(process.lines)));
      EXPECT_EQ(own_lines(*recording, key), lines_of(printed));
    };
    expect_example("printed placement", "");
    expect_example("printed manual", "/CPU:0");
    // Where there are no GPUs, the guide's examples of them do nothing.
    for (const std::string key :
         {"printed visible", "printed growth", "printed limit", "printed two virtual"}) {
      EXPECT_EQ(texts_of(*wanted(*recording, key).find("out")).empty(), gpus.empty()) << key;
    }
    const train::Strategy strategy(train::mirrored(process.context));
    expect_numbers(*recording, "replicas", {static_cast<double>(strategy.num_replicas_in_sync())});
    expect_all_compared(*recording);
  }
}

std::string set_logical_cpus(device::Context& context, std::size_t count) {
  const auto cpus = context.list_physical_devices(Kind::cpu);
  try {
    context.set_logical_device_configuration(cpus[0], device::LogicalDeviceConfigurations(count));
    return fmt::format("{} Physical CPU, {} Logical CPUs", cpus.size(),
                       context.list_logical_devices(Kind::cpu).size());
  } catch (const device::RuntimeError& error) {
    return error.what();
  }
}

TEST(D14_D15_D16, VirtualCpusArePrintedAndTrainTheFunctionalModelAsRecorded) {
  for (const Recording* recording : family("accelerator_guide_cpus")) {
    device::Context context;
    expect_printed(*recording, "printed first", {set_logical_cpus(context, 2)});
    expect_printed(*recording, "printed too late", {set_logical_cpus(context, 3)});
    expect_printed(*recording, "printed same again", {set_logical_cpus(context, 2)});
    const auto strategy = mirrored(2);
    expect_strategy_log(*recording, strategy.log());

    const std::map<std::string, Tensor> tensors = recording->tensors();
    const model::LayerPtr layer = dense_model(1);
    train::State state(1);
    train::Model trained(layer, state, strategy.resources());
    model::Optimizer sgd = model::optimizer_named("sgd");
    sgd.learning_rate = 0.2f;
    trained.compile(
        {.loss = model::loss_named("mse"), .optimizer = sgd, .semantics = recording->semantics()});
    state.preset({{"dense/kernel", Tensor::of<float>({1, 1}, {-0.625f})},
                  {"dense/bias", Tensor::of<float>({1}, {0.25f})}});
    const Tensor &x = tensors.at("x"), &y = tensors.at("y");
    for (const std::string key : {"x", "y"}) compared()[recording].insert("tensors: " + key);
    const data::Dataset rows = data::Dataset::from_tensor_slices({x, y}).batch(10);
    trained.create_variables({x.rows(0, 10), y.rows(0, 10)});
    expect_weights(*recording, "initial", weights_in(state, *layer));
    std::vector<double> history;
    for (const train::EpochResult& epoch : trained.fit(rows, {.epochs = 3})) history.push_back(epoch.loss);
    expect_history(*recording, "history", history);
    expect_weights(*recording, "final", weights_in(state, *layer));
    expect_tensor(*recording, "predict", trained.predict(data::Dataset::from_tensor_slices({x}).batch(32)));
    expect_all_compared(*recording);
  }
}

}  // namespace
}  // namespace wt::test::seeds
