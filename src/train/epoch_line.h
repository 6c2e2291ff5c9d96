#pragma once
// What Keras prints of an epoch. Keras 2 and 3 print the same numbers in different orders (keras/src/utils/generic_utils.py
// of Keras 2.15, keras/src/utils/progbar.py of Keras 3):
//
//   10/10 - 1s - loss: 1.3456 - 1s/epoch - 87ms/step    Keras 2
//   10/10 - 1s - 87ms/step - loss: 1.3456               Keras 3

#include <string>

#include "base/quantity.h"
#include "train/model.h"

namespace wt::train {

// The line of fit and evaluate with verbose=2. `time` is that of the whole epoch, simulated or measured; without it, the
// line has none.
std::string epoch_line(const EpochResult& result, std::optional<Seconds> time,
                       model::Semantics semantics = model::default_semantics);

}  // namespace wt::train
