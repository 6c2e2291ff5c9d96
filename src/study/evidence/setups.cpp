#include "study/evidence/setups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/utf8.h"
#include "plan/roofline.h"
#include "platform/device_types.h"

namespace wt::evidence {

namespace {

using device::Precision;

// Larger than any published batch. A larger number is a typing error.
constexpr std::int64_t largest_batch = 1 << 20;

// ---- Machines

struct Machine {
  std::string_view system{};  // a part of the row's system
  std::string_view label{};   // in the names of groups
  std::string_view device{};
  int replicas_per_device = 1;
  int most_devices = 1;
};

// Systems with several devices of one generation, whose rows are one group, and systems with names of their own. The
// first that fits counts. Of TPUs nothing smaller than a slice was published, so the smallest slice of each generation
// stands for one device.
constexpr std::array machines{
    Machine{"8xP100", "P100", "p100_sxm2"},
    Machine{"8xK80", "K80", "k80_gk210"},
    Machine{"V100 16GB", "V100", "v100_sxm2_16"},
    Machine{"V100-SXM2-16GB", "V100", "v100_sxm2_16"},
    Machine{"V100 32GB", "V100", "v100_sxm2_32"},
    Machine{"A100 40GB PCIe", "A100", "a100_pcie_40"},
    Machine{"A100 80GB PCIe", "A100", "a100_pcie_80"},
    Machine{"A100 40GB", "A100", "a100_sxm_40"},
    Machine{"A100 80GB", "A100", "a100_sxm_80"},
    Machine{"Lambda A10", "A10", "a10"},
    Machine{"H100 80GB PCIe", "H100", "h100_pcie"},
    Machine{"H100 80GB SXM5", "H100", "h100_sxm"},
    Machine{"tpu-v3", "TPU v3", "tpu_v3_core", 2, 16},
    Machine{"tpu-v4", "TPU v4", "tpu_v4", 1, 8},
};

// "NVIDIA GeForce RTX 4090" -> "RTX 4090".
std::string_view short_name(std::string_view product) {
  constexpr std::array<std::string_view, 4> words{"NVIDIA ", "GeForce ", "Tesla ", "Quadro "};
  for (const std::string_view word : words)
    if (product.starts_with(word)) product.remove_prefix(word.size());
  return product;
}

bool is_part_of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

bool has_words(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || !is_part_of_word(text[at - 1])) && (end == text.size() || !is_part_of_word(text[end])))
      return true;
  }
  return false;
}

// The GPU of the catalogue whose product a system names. The longest name counts: an "RTX 3080 12GB" is no "RTX 3080".
std::optional<Machine> named_machine(std::string_view system) {
  std::optional<Machine> found;
  for (const device::DeviceType& type : platform::device_types()) {
    const std::string_view name = short_name(type.product);
    const bool is_longer = !found || name.size() > found->label.size();
    if (type.kind == device::Kind::gpu && is_longer && has_words(system, name))
      found = Machine{.system = name, .label = name, .device = type.id};
  }
  return found;
}

constexpr std::array machines_of_products{
    Machine{"A100 SXM", "", "a100_sxm_80"},     Machine{"A100 PCIe", "", "a100_pcie_80"},
    Machine{"NVIDIA H100 SXM", "", "h100_sxm"}, Machine{"NVIDIA B200 SXM", "", "b200_sxm"},
    Machine{"GB200 SXM", "", "gb200_gpu"},      Machine{"MI300X", "", "mi300x"},
};

// ---- Precisions

struct Numbers {
  std::string_view type{};  // the row's
  std::string_view policy{};
  Precision precision{};
};

// Rows in "FP32" on devices with tf32 are in tf32, which frameworks then chose by themselves.
constexpr std::array numbers{
    Numbers{"fp32", "float32", Precision::float32},
    Numbers{"FP32", "float32", Precision::float32},
    Numbers{"TF32", "tf32", Precision::tf32},
    Numbers{"AMP", "mixed_float16", Precision::float16},
    Numbers{"mixed_float16", "mixed_float16", Precision::float16},
    Numbers{"mixed (fp16/bf16)", "mixed_bfloat16", Precision::bfloat16},
};
constexpr Numbers with_tf32{"", "tf32", Precision::tf32};

// ---- Frameworks

struct Framework {
  std::string_view source{};    // a part of the row's source
  std::string_view strategy{};  // a part of the row's strategy
  std::string_view model{};     // a prefix of the row's model
  std::string_view note{};      // a part of the row's note
  std::string_view fusion{};
  std::string_view optimizer{};
  bool is_channels_first = false;
  std::string_view type{};  // of the row; empty: any
  bool updates_by_operations = false;
};

constexpr std::string_view plain_sgd =
    R"({"class_name": "SGD", "config": {"learning_rate": 0.01, "momentum": 0, "weight_decay": 4e-5}})";
constexpr std::string_view sgd =
    R"({"class_name": "SGD", "config": {"learning_rate": 0.01, "momentum": 0.9, "weight_decay": 5e-5}})";
constexpr std::string_view adam = R"({"class_name": "Adam", "config": {"learning_rate": 0.001}})";

// The first that fits counts. MXNet's container and XLA fuse the normalization with what follows it; TensorFlow
// without XLA runs one kernel for each operation, and so does PyTorch in a convolutional network; its
// kernels of a transformer compute a layer at once. Lambda's scripts start NVIDIA's PyTorch ResNet-50 without its
// --memory-format, whose default is nchw; NVIDIA's own rows of mixed precision have nhwc. NVIDIA's PyTorch BERT updates by
// one kernel in mixed precision (Apex' FusedAdam) and by operations else (BertAdam, about as many as Keras 3's Adam).
constexpr std::array frameworks{
    Framework{"docs_src/performance/benchmarks", "", "", "", "none", plain_sgd},
    Framework{"MxNet/Classification", "", "", "", "activations", sgd},
    Framework{"TensorFlow/Classification", "with XLA", "", "", "activations", sgd},
    Framework{"PyTorch/Classification", "", "", "", "none", sgd},
    Framework{"TensorFlow2/LanguageModeling/BERT", "", "", "", "activations", adam},
    Framework{"lambdal/deeplearning-benchmark", "", "BERT", "", "activations", adam, false, "AMP"},
    Framework{"lambdal/deeplearning-benchmark", "", "BERT", "", "activations", adam, false, "", true},
    Framework{"lambdal/deeplearning-benchmark", "", "", "", "none", sgd, true},
    Framework{"DLPerf TensorFlow", "", "ResNet50", "", "none", sgd},
    Framework{"DLPerf TensorFlow", "", "BERT", "XLA on", "activations", adam},
    Framework{"DLPerf TensorFlow", "", "BERT", "", "none", adam},
    Framework{"mlcommons/training_results", "", "resnet", "", "program", sgd},
    Framework{"mlcommons/training_results", "", "bert", "", "program", adam},
};
constexpr Framework unknown_framework{"", "", "", "", "none", sgd};

// ---- Networks

constexpr std::array networks{
    Network{"InceptionV3", "inception_v3", R"(, "classes": 1001)"},
    Network{"ResNet-50", "resnet50", R"(, "classes": 1001, "v1": true)"},
    Network{"ResNet-152", "resnet152", R"(, "classes": 1001, "v1": true)"},
    Network{"AlexNet", "alexnet", R"(, "classes": 1001)"},
    Network{"VGG16", "vgg16", R"(, "classes": 1001)"},
    Network{"RN50v1.5", "resnet50", ""},
    Network{"resnet50v1.5", "resnet50", ""},
    Network{"ResNet50 v1.5", "resnet50", ""},
    Network{"resnet MLPerf", "resnet50", ""},
    Network{"BERT-base pretraining, seq 128", "bert_base",
            R"(, "sequence": 128, "masked": 20, "float32_norms": true)"},
    Network{"bert MLPerf", "bert_large", R"(, "sequence": 512, "masked": 76)"},
    Network{"BERT-base SQuAD", "bert_base", R"(, "sequence": 384, "squad": true)"},
    Network{"BERT", "bert_large", R"(, "sequence": 384, "squad": true)"},
};

// The first row of the table for which `fits` is true, or null.
template <class Table, class Fits>
const typename Table::value_type* find_in(const Table& table, Fits fits) {
  const auto found = std::find_if(table.begin(), table.end(), fits);
  return found == table.end() ? nullptr : &*found;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::optional<Machine> machine_of(const std::string& system) {
  const Machine* const listed =
      find_in(machines, [&](const Machine& each) { return has(system, each.system); });
  return listed != nullptr ? *listed : named_machine(system);
}

std::optional<Setup> setup_of_product(const Measurement& row) {
  const Machine* const machine =
      find_in(machines_of_products, [&](const Machine& each) { return has(row.system, each.system); });
  if (machine == nullptr || row.type != "bf16") return std::nullopt;
  return Setup{.group = "products bfloat16", .device = machine->device, .precision = Precision::bfloat16};
}

const Numbers* numbers_of(const Measurement& row, const device::DeviceType& type) {
  const Numbers* const found = find_in(numbers, [&](const Numbers& each) { return row.type == each.type; });
  const bool is_tf32 = found != nullptr && found->precision == Precision::float32 &&
                       plan::default_precision(type) == Precision::tf32;
  return is_tf32 ? &with_tf32 : found;
}

const Framework& framework_of(const Measurement& row) {
  const Framework* const found = find_in(frameworks, [&](const Framework& each) {
    return has(row.source, each.source) && has(row.strategy, each.strategy) &&
           row.model.starts_with(each.model) && has(row.note, each.note) &&
           (each.type.empty() || row.type == each.type);
  });
  return found == nullptr ? unknown_framework : *found;
}

// "Batch size / GPU: mixed precision, FP32=6,3" has the batches of two precisions.
std::string_view number_in(const Measurement& row) {
  std::string_view text = row.batch;
  const std::size_t equals = text.find("=");
  if (equals == std::string_view::npos) return text;
  text.remove_prefix(equals + 1);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || row.type == "AMP") return text;
  return text.substr(comma + 1);
}

}  // namespace

std::optional<Setup> setup_of(const Measurement& row) {
  if (row.unit == "TFLOP/s") return setup_of_product(row);
  const std::optional<Machine> machine = machine_of(row.system);
  if (!machine) return std::nullopt;
  const Numbers* const found = numbers_of(row, platform::device_type_named(machine->device));
  if (found == nullptr) return std::nullopt;
  const Framework& framework = framework_of(row);
  return Setup{.group = fmt::format("{} {}", machine->label, device::name(found->precision)),
               .device = machine->device,
               .precision = found->precision,
               .policy = found->policy,
               .fusion = framework.fusion,
               .optimizer = framework.optimizer,
               .updates_by_operations = framework.updates_by_operations,
               .is_channels_first = framework.is_channels_first,
               .replicas_per_device = machine->replicas_per_device,
               .most_devices = machine->most_devices};
}

const Network* network_of(const Measurement& row) {
  return find_in(networks, [&](const Network& each) { return row.model.starts_with(each.published); });
}

bool is_throughput(const Measurement& row) { return row.metric.starts_with("throughput"); }

int parts_of(const Measurement& row, const Setup& setup) { return setup.replicas_per_device * row.devices; }

std::int64_t batch_of(const Measurement& row, int parts) {
  const std::string_view text = number_in(row);
  std::int64_t batch = 0;
  std::from_chars(text.data(), text.data() + text.size(), batch);
  if (has(row.batch, "global")) batch /= parts;
  if (batch < 1 || batch > largest_batch)
    throw InputError(Problem{row.place, fmt::format("\"{}\" is not a batch", printable(row.batch)),
                             "write \"64/GPU\" or \"4096 global\""});
  return batch;
}

}  // namespace wt::evidence
