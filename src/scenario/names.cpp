#include "scenario/names.h"

#include <algorithm>
#include <iterator>

#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"

namespace wt::scenario {
namespace {

template <class Table>
std::vector<std::string_view> with_aliases(const Table& table) {
  std::vector<std::string_view> names, aliases;
  for (const auto& row : table) {
    names.push_back(row.name);
    std::copy_if(row.aliases.begin(), row.aliases.end(), std::back_inserter(aliases),
                 [](std::string_view alias) { return !alias.empty(); });
  }
  names.insert(names.end(), aliases.begin(), aliases.end());
  return names;
}

}  // namespace

std::vector<std::string_view> loss_names() { return with_aliases(model::losses()); }
std::vector<std::string_view> optimizer_names() { return with_aliases(model::optimizers()); }

std::vector<std::string_view> metric_names() {
  std::vector<model::MetricClass> comparing;  // Mean is given its values by a program
  for (const model::MetricClass& row : model::metrics()) {
    if (row.compare != nullptr) comparing.push_back(row);
  }
  std::vector<std::string_view> names = with_aliases(comparing);
  for (std::string_view chosen_by_loss : {"accuracy", "acc"}) names.push_back(chosen_by_loss);
  return names;
}

std::vector<std::string_view> zoo_names() {
  std::vector<std::string_view> names;
  for (const model::ZooModel& row : model::zoo()) names.push_back(row.name);
  return names;
}

}  // namespace wt::scenario
