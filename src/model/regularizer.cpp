#include "model/regularizer.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

struct Row {
  std::string_view name{};
  std::string_view class_name{};
  Regularizer otherwise{};  // Keras' defaults
};
constexpr Row regularizer_rows[] = {
    {"l1", "L1", {0.01, 0}}, {"l2", "L2", {0, 0.01}}, {"l1_l2", "L1L2", {0, 0}}};

}  // namespace

std::optional<Regularizer> regularizer_from_json(const json::Value& value, Problems& problems,
                                                 json::PassedOver* passed) {
  if (value.kind() == json::Kind::null) return std::nullopt;
  const std::optional<Serialized> named = read_serialized(value, problems, passed);
  if (!named) return std::nullopt;
  std::vector<std::string_view> known;
  for (const Row& row : regularizer_rows) {
    known.push_back(row.class_name);
    if (row.name != named->name && row.class_name != named->name) continue;
    if (named->config == nullptr) return row.otherwise;
    ConfigReader config(named->config, problems);
    const Regularizer read{config.number("l1", row.otherwise.l1, {.at_least = 0.0}),
                           config.number("l2", row.otherwise.l2, {.at_least = 0.0})};
    config.finish(passed);
    return read;
  }
  problems.add(named->place, fmt::format("unknown regularizer \"{}\"", printable(named->name)),
               did_you_mean(named->name, known));
  return std::nullopt;
}

}  // namespace wt::model
