#pragma once
// A fault of Keras 3: fit under MultiWorkerMirroredStrategy with more than one worker ends before its first step, in every
// worker, because it converts the worker's part of a batch to a tensor. Found by recording Keras 3.15 on TensorFlow 2.21
// (recordings `workers_fit_...`); a single worker trains, and so does Keras 2.

#include <optional>

#include "train/function.h"

namespace wt::train {

// What the process of Resources::own_worker sees, if fit ends so.
// `pieces` are those of the first batch, for the replicas of all workers. Those that lack numbers are printed as "...".
std::optional<Fault> fault_of_workers(const PerReplica& pieces, const Resources& machine,
                                      model::Semantics semantics);

}  // namespace wt::train
