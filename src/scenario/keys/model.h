#pragma once
// The keys of "model": the parameters of the zoo, and files with weights.

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// The parameters of a model of the zoo. Requires: the choice has a model.
template <class Visit>
void keys_of(Visit& visit, model::ZooChoice& choice) {
  for (const model::ZooParameter& parameter : choice.model->parameters) {
    std::int64_t& value =
        choice.values.try_emplace(std::string(parameter.name), parameter.otherwise).first->second;
    if (parameter.is_flag) {
      bool flag = value != 0;
      visit(optional(parameter.name, parameter.summary), flag);
      value = flag ? 1 : 0;
    } else {
      visit(Key{.name = parameter.name,
                .meaning = parameter.summary,
                .at_least = parameter.at_least,
                .at_most = parameter.at_most},
            value);
    }
  }
}

inline constexpr Key saved_model =
    required("keras", "a .keras or .h5 file with a model and its weights, as model.save writes it");
inline constexpr Key initial_weights =
    optional("weights",
             "a file with the weights to begin with: safetensors by the variables' names, or .weights.h5, "
             ".h5 or .keras "
             "as Keras saves them; absent: those in the file of \"keras\", else as layers initialise them");

}  // namespace wt::scenario
