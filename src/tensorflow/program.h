#pragma once
// tensorflow/ writes a scenario as a TensorFlow program with all that it needs, for the machine that the scenario describes:
//
//   program.py              the strategy with its options, the model, the data, and the loop
//   weights.npz, data.npz   the weights that it begins with, and the rows
//   tf_config/worker-0.json ... , kubernetes.json, job.sbatch   where several processes take part
//
// A part of the program has a file here that adds its lines: devices.h, data.h, model.h, training.h. What they share is an
// Expression of Python (python.h) and the Subject (subject.h), which is the scenario with its job. Objects of Keras, such as
// an optimizer, come from the JSON of the resolved scenario, whose keys are the arguments of Keras' constructors
// (objects.h). What TensorFlow can't do is refused at the key of the scenario; what changes no numbers and has no
// counterpart is named in the head of the program.
//
// The program prints the losses that `windtunnel run` has in results.json; tests/export compares them with TensorFlow 2.15
// and 2.21. Read next: program.cpp, then cluster.h.

#include <string>
#include <vector>

#include "base/output_folder.h"
#include "scenario/build.h"

namespace wt::tensorflow {

// The text of program.py. `file` is the scenario's, and `version` that of windtunnel. Throws InputError with the reason for
// which there is no such program.
std::string program(const scenario::Scenario& scenario, const scenario::Job& job, const std::string& file,
                    const std::string& version);

// Writes the program with its files. Returns the names of what was written. Requires: the folder has begun.
std::vector<std::string> write_program(const scenario::Scenario& scenario, const scenario::Job& job,
                                       const std::string& file, const std::string& version,
                                       OutputFolder& folder);

}  // namespace wt::tensorflow
