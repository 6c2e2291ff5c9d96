#pragma once
// The rules by which optimizers update a variable: each returns its new value. The table in table.cpp has a row for each.

#include "model/optimizers/updating.h"

namespace wt::model {

Symbol adadelta(Updating& one);
Symbol adafactor(Updating& one);
Symbol adagrad(Updating& one);
Symbol adam(Updating& one);
Symbol adamax(Updating& one);
Symbol ftrl(Updating& one);
Symbol lamb(Updating& one);
Symbol lion(Updating& one);
Symbol muon(Updating& one);
Symbol nadam(Updating& one);
Symbol rmsprop(Updating& one);
Symbol schedule_free(Updating& one);
Symbol sgd(Updating& one);

// Whether Muon updates this variable as Adam does.
bool is_for_adam(const Updating& one);

}  // namespace wt::model
