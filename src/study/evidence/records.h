#pragma once
// How far predictions were from published throughput, kept in a file that is shipped with the program, so that an
// answer can say how sure it is without repeating the predictions:
//
//   {"devices": 8, "device": "v100_sxm2_16", "network": "resnet50", "batch": 192, "published": 10500, ...,
//    "from_one_device": 1.004}
//
// is a row of eight V100, and the throughput that follows from the published row of one V100 is 0.4 % too high.
//
// What must hold: the file is that of the present constants of the model. `windtunnel verify evidence` writes it,
// and a test compares it with the version of the constants. Measured rates of matrix products are no rows of this
// file, since they say nothing about a whole step.

#include <optional>
#include <string>
#include <vector>

#include "study/evidence/measurements.h"

namespace wt::evidence {

// A published row and the ratios of predicted to published throughput. A ratio is unset where there is no such
// prediction.
struct Record {
  std::string source{};
  std::string framework{};  // what trained there: the strategy or the algorithm as it was published
  std::string
      arrangement{};     // how the row was predicted: a group of prediction.cpp or scaling_prediction.cpp
  std::string device{};  // an id of devices.json
  std::string precision{};
  std::string network{};   // of the model zoo
  int devices = 1;         // as published: of TPUs, chips
  std::int64_t batch = 0;  // of one device; of TPUs, of one core
  double published = 0;
  std::string unit{};
  // Of one device:
  std::optional<double> generic{};  // with constants that are the same for all devices
  std::optional<double> own{};      // with the constants of the device's generation; unset: it has none
  std::optional<double> other_networks{};  // with constants fitted to the rows of the other networks
  std::optional<double>
      other_devices{};  // with constants fitted to the rows of its generation's other devices
  // Of several devices:
  std::optional<double> absolute{};         // with the constants of the device's generation
  std::optional<double> from_one_device{};  // with the compute time of the row with the fewest devices
};

// Predicts every row. This takes minutes, since the largest rows have a thousand devices.
std::vector<Record> make_records(const std::vector<Measurement>& rows);

std::string print_records(const std::vector<Record>& records);  // the content of the file

struct Records {
  int constants_version = 0;  // platform/constants_version.h when they were made
  std::vector<Record> rows{};
};
// Throws InputError if the text is no such file.
Records parse_records(std::string text, std::string file);

// The file that is shipped: platforms/evidence.json. The first call reads it.
const Records& known_records();

}  // namespace wt::evidence
