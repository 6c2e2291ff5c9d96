#pragma once

#include <string>

#include "scenario/scenario.h"

namespace wt::study {

// The model's name in the zoo; of a model of the user's own, the scenario's name.
inline std::string model_name(const scenario::Scenario& scenario) {
  const auto* zoo = std::get_if<model::ZooChoice>(&scenario.model.form);
  return zoo != nullptr ? std::string(zoo->model->name) : scenario.name;
}

}  // namespace wt::study
