#pragma once
// What starts the processes of a program: one TF_CONFIG for each of them, a manifest for Kubernetes, and a script for Slurm.
//
//   tf_config/worker-0.json   {"cluster": {"worker": ["host0:12345", ...]}, "task": {"type": "worker", "index": 0}}
//   kubernetes.json           a headless Service, and an indexed Job for each role (kubernetes.io/docs/concepts/workloads/
//                             controllers/job); kubectl reads JSON as it reads YAML
//   job.sbatch                starts a process for each task, and makes its TF_CONFIG from the hosts of the job

#include <map>
#include <string>

#include "tensorflow/subject.h"

namespace wt::tensorflow {

inline constexpr int first_port = 12345;

// The files by name; none for a program of one process.
std::map<std::string, std::string> cluster_files(const Subject& subject);

}  // namespace wt::tensorflow
