#include "scenario/labels.h"

#include <algorithm>
#include <array>

#include "base/json_reader.h"

namespace wt::scenario {
namespace {

// Losses that are not listed compare numbers. Hinge takes 0 and 1 for -1 and 1, as Keras does.
constexpr std::array<json::Named<LabelKind>, 14> kinds{{
    {"BinaryCrossentropy", LabelKind::binary},
    {"BinaryFocalCrossentropy", LabelKind::binary},
    {"CategoricalCrossentropy", LabelKind::distribution},
    {"CategoricalFocalCrossentropy", LabelKind::distribution},
    {"CategoricalHinge", LabelKind::distribution},
    {"Circle", LabelKind::classes},
    {"Dice", LabelKind::binary},
    {"Hinge", LabelKind::binary},
    {"KLDivergence", LabelKind::distribution},
    {"MeanSquaredLogarithmicError", LabelKind::positive},
    {"Poisson", LabelKind::positive},
    {"SparseCategoricalCrossentropy", LabelKind::classes},
    {"SquaredHinge", LabelKind::binary},
    {"Tversky", LabelKind::binary},
}};

}  // namespace

LabelKind kind_of_labels(const model::Loss& loss) {
  const auto* row = std::ranges::find(kinds, loss.type->name, &json::Named<LabelKind>::name);
  return row == kinds.end() ? LabelKind::numbers : row->value;
}

data::WantedRow labels_for(const model::Loss& loss, const std::optional<TensorSpec>& output) {
  const LabelKind kind = kind_of_labels(loss);
  const bool has_axis = output && output->shape.rank() > 0;
  data::WantedRow row{.type = kind == LabelKind::classes ? Type::int64 : Type::float32,
                      .one_hot = kind == LabelKind::distribution};
  if (output) row.shape = output->shape;
  if (!has_axis) return row;
  if (kind == LabelKind::classes) row.shape = output->shape.without(output->shape.rank() - 1);
  if (kind == LabelKind::classes || kind == LabelKind::distribution) row.below = output->shape.last();
  return row;
}

}  // namespace wt::scenario
