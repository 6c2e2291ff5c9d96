#include "train/worker_fault.h"

#include <fmt/format.h>

#include "tensor/print_numpy.h"

namespace wt::train {

namespace {

// As Python prints the features of one worker's replicas.
std::string print_features(const PerReplica& pieces, std::size_t begin, std::size_t end) {
  std::string text = "PerReplica:{\n";
  for (std::size_t i = begin; i < end; ++i) {
    const Tensor& features = pieces[i].front();
    const std::string numbers = features.has_numbers() ? repr_numpy(features) : "...";
    text += fmt::format("  {}: <tf.Tensor: shape={}, dtype={}, numpy={}{}>{}\n", i - begin,
                        print_tuple(features.shape()), name(features.type()),
                        numbers.find('\n') == numbers.npos ? "" : "\n", numbers, i + 1 < end ? "," : "");
  }
  return text + "}";
}

}  // namespace

std::optional<Fault> fault_of_workers(const PerReplica& pieces, const Resources& machine,
                                      model::Semantics semantics) {
  const bool is_mirrored =
      machine.coordinated_workers == 0 && machine.variables == VariablePlacement::mirrored;
  if (!is_mirrored || machine.input.workers == 1 || !is_on(model::Switch::fit_of_workers_ends, semantics))
    return std::nullopt;
  const std::size_t each = pieces.size() / static_cast<std::size_t>(machine.input.workers);
  const std::size_t begin = static_cast<std::size_t>(machine.own_worker) * each;
  return Fault{.cause = Fault::Cause::workers,
               .error = Fault::Error::value,
               .sentence = fmt::format("Attempt to convert a value ({}) with an unsupported type (<class "
                                       "'tensorflow.python.distribute.values.PerReplica'>) to a Tensor.",
                                       print_features(pieces, begin, begin + each)),
               .remedy = "train with a loop of your own, or with Keras 2 (TF_USE_LEGACY_KERAS=1)"};
}

}  // namespace wt::train
