// Claims: what the constants of gRPC say is what TensorFlow's transport was measured to take between two
// processes of one machine (tests/measurements/grpc/tf_grpc_loopback.csv). They are the fit of the rows of
// TensorFlow 2.15.1, and they predict rings of three processes and of another version, which took no part in the
// fit, as far as is said here.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/median.h"
#include "communication/constants.h"
#include "communication/machines.h"
#include "communication/own_moves.h"
#include "support/folder.h"

namespace wt::communication {
namespace {

struct Row {
  std::string version{}, operation{};
  int processes = 0;
  double bytes = 0, seconds = 0;
};

// The columns: source, system, processes, bytes, operation, median_us, best_us. The source is quoted.
std::vector<Row> all_rows() {
  std::ifstream file(WT_SOURCE_DIR "/tests/measurements/grpc/tf_grpc_loopback.csv");
  std::vector<Row> rows;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    const std::size_t version = line.find(' ') + 1, system = line.rfind('"') + 2;
    std::istringstream fields(line.substr(line.find(',', system) + 1));
    Row row{.version = line.substr(version, line.find(',') - version)};
    char comma = 0;
    fields >> row.processes >> comma >> row.bytes >> comma;
    std::getline(fields, row.operation, ',');
    fields >> row.seconds;
    row.seconds *= 1e-6;
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(std::string_view version, std::string_view operation, int processes = 2) {
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& row) {
    return row.version != version || row.operation != operation || row.processes != processes;
  });
  return rows;
}

// A message of a ring: an all-reduce among n processes has 2 (n - 1) of them, each with 1 / n of the bytes.
std::vector<Row> messages_of(std::vector<Row> rings) {
  for (Row& row : rings) {
    row.bytes /= row.processes;
    row.seconds /= 2 * (row.processes - 1);
  }
  return rings;
}

struct Line {
  double latency = 0, per_byte = 0;
  double at(double bytes) const { return latency + per_byte * bytes; }
};

// The line with the least errors relative to the rows, by Huber's estimator: a row that is off by more than 5 %
// counts in proportion to its error, and not to its square. (P. J. Huber, Robust Estimation of a Location
// Parameter, 1964; computed by least squares with weights, again and again.)
Line fit(const std::vector<Row>& rows) {
  constexpr double usual = 0.05;
  Line line;
  std::vector<double> weights(rows.size(), 1);
  for (int round = 0; round < 200; ++round) {
    double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double one = 1 / rows[i].seconds, byte = rows[i].bytes / rows[i].seconds;
      aa += weights[i] * one * one, ab += weights[i] * one * byte, bb += weights[i] * byte * byte;
      a += weights[i] * one, b += weights[i] * byte;
    }
    const double determinant = aa * bb - ab * ab;
    line = {(a * bb - b * ab) / determinant, (aa * b - ab * a) / determinant};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double error = std::abs(line.at(rows[i].bytes) / rows[i].seconds - 1);
      weights[i] = error <= usual ? 1 : usual / error;
    }
  }
  return line;
}

struct Errors {
  double median = 0, largest = 0;  // absolute
  double ratio = 0;                // the median of predicted over measured
};

template <class Predict>
Errors errors(const std::string& what, const std::vector<Row>& rows, Predict predict) {
  std::vector<double> all, ratios;
  for (const Row& row : rows) {
    ratios.push_back(predict(row) / row.seconds);
    all.push_back(std::abs(ratios.back() - 1));
  }
  EXPECT_FALSE(rows.empty()) << what;
  const Errors found{median(all), *std::ranges::max_element(all), median(ratios)};
  fmt::print("{:32} {:2} rows, median error {:4.1f} %, largest {:4.1f} %, predicted / measured {:.2f}\n",
             what, rows.size(), 100 * found.median, 100 * found.largest, found.ratio);
  return found;
}

constexpr std::string_view fitted = "2.15.1", newer = "2.21.0";

void expect_fitted(const Transfer& transfer, const std::vector<Row>& rows, std::string_view what) {
  const Line line = fit(rows);
  EXPECT_NEAR(transfer.latency.count() / line.latency, 1, 0.005) << what;
  EXPECT_NEAR(transfer.per_byte().count() / line.per_byte, 1, 0.005) << what;
}

TEST(Grpc, ConstantsAreTheFitOfTheMeasurements) {
  const Grpc& grpc = constants().grpc;
  expect_fitted(grpc.ring, messages_of(rows_of(fitted, "all_reduce")), "ring");
  expect_fitted(grpc.pull, rows_of(fitted, "pull"), "pull");
  expect_fitted(grpc.push, rows_of(fitted, "push"), "push");
  ASSERT_EQ(rows_of(fitted, "dispatch").size(), 1U);
  EXPECT_NEAR(grpc.dispatch / Seconds(rows_of(fitted, "dispatch")[0].seconds), 1, 0.005);
}

TEST(Grpc, PullsAndPushesTakeWhatWasMeasured) {
  for (const auto& [name, transfer] :
       {std::pair("pull", constants().grpc.pull), std::pair("push", constants().grpc.push)}) {
    const auto predict = [&of = transfer](const Row& row) {
      return of.of(Bytes(static_cast<std::int64_t>(row.bytes))).count();
    };
    const Errors own = errors(fmt::format("{}, TensorFlow {}", name, fitted), rows_of(fitted, name), predict);
    EXPECT_LE(own.median, 0.10) << name;
    EXPECT_LE(own.largest, 0.32) << name;
    const Errors other = errors(fmt::format("{}, TensorFlow {}", name, newer), rows_of(newer, name), predict);
    EXPECT_GE(other.ratio, 0.5) << name;
    EXPECT_LE(other.ratio, 0.85) << name << ": the newer version took longer for nearly every size";
  }
}

// So an update needs no constant of its own: the message is a push, and the memory takes the rest. Adam reads four
// tensors and writes three; no machine's memory does that at less than 0.1 ns a byte of one of them.
TEST(Grpc, ARemoteUpdateStartsLikeAPush) {
  for (const std::string_view version : {fitted, newer}) {
    const Line apply = fit(rows_of(version, "apply_adam")), push = fit(rows_of(version, "push"));
    EXPECT_NEAR(apply.latency / push.latency, 1, 0.1) << version;
    EXPECT_LT(apply.per_byte, push.per_byte) << version;
    EXPECT_GT(apply.per_byte, 0.1e-9) << version;
  }
}

// Rings of processes on CPUs whose network takes next to no time, played move by move.
double ring_without_wires(int processes, double bytes) {
  const platform::Platform platform = Machines{
      "cpu_cluster_100gbe",
      {fmt::format("machines={}", processes), "machine.nics.bandwidth=100000 Gb/s",
       "machine.nics.latency=0 us", "machine.pcie.bandwidth=10000 GB/s",
       "machine.pcie.latency=0 us"}}.load();
  const Group group = first_devices(platform, processes);
  Call call = own_moves(group);
  EXPECT_EQ(call.basis, basis_of_grpc);
  call.algorithm = &collective::algorithm_named(collective::Operation::all_reduce, "tensorflow_ring");
  call.request = {.ranks = processes,
                  .elements = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / 4)};
  add_natural_shape(call.request.options, group, *call.algorithm);
  return time_of(call, group, Type::float32).time.count();
}

TEST(Grpc, RingsTakeWhatWasMeasured) {
  const auto predict = [](const Row& row) { return ring_without_wires(row.processes, row.bytes); };
  const auto rings = [&](std::string_view version, int processes) {
    return errors(fmt::format("ring of {}, TensorFlow {}", processes, version),
                  rows_of(version, "all_reduce", processes), predict);
  };
  const Errors own = rings(fitted, 2);
  EXPECT_LE(own.median, 0.10);
  EXPECT_LE(own.largest, 0.35);
  for (const int processes : {2, 3}) {
    const Errors other = rings(newer, processes);
    EXPECT_LE(other.median, 0.30) << processes << " processes";
    EXPECT_LE(other.largest, 0.50) << processes << " processes";
  }
}

// The software of a process passes on the bytes of its parallel rings one after the other, also where these leave a
// machine by several network cards: more devices in each machine never make a ring faster.
TEST(Grpc, SeveralCardsDontHurryTheSoftware) {
  const double elements = 25'600'000, per_byte = constants().grpc.ring.per_byte().count();
  for (const int machines : {2, 3}) {
    double before = 0;
    for (const int devices : {1, 2, 3, 4, 8}) {
      const platform::Platform platform =
          Machines{"dgx_a100", {fmt::format("machines={}", machines), fmt::format("devices={}", devices)}}
              .load();
      const int n = machines * devices;
      const Group group = first_devices(platform, n);
      Call call = own_moves(group);
      call.algorithm = &collective::algorithm_named(collective::Operation::all_reduce, "tensorflow_ring");
      call.request = {.ranks = n, .elements = static_cast<std::int64_t>(elements)};
      call.request.options.subdivisions = 2;
      add_natural_shape(call.request.options, group, *call.algorithm);
      const double time = time_of(call, group, Type::float32).time.count();
      EXPECT_GE(time, 2. * (n - 1) / n * elements * 4 * per_byte) << machines << " x " << devices;
      EXPECT_GE(time, before) << machines << " x " << devices;
      EXPECT_NEAR(time_of(call, group, Type::float32, Folding::expanded).time.count() / time, 1, 1e-6);
      before = time;
    }
  }
}

// Every mistake, each at its place.
TEST(Grpc, MistakesInTheFileAreNamed) {
  test::TestFolder folder;
  std::ifstream file(WT_SOURCE_DIR "/platforms/communication.json");
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace(R"("ring": { "latency": "752 us", "rate": "0.265 GB/s" })", R"("ring": { "latency": "752 ns/B" })");
  replace(R"("pull": { "latency")", R"("pull": { "latensy")");
  replace(R"("rate": "1.86 GB/s")", R"("rate": "0 GB/s")");
  replace(R"("dispatch")", R"("dispatches")");
  const auto path = folder.write("communication.json", text);
  const std::string errors = folder.error_of<InputError>([&] { read_constants(path); });
  for (const std::string_view part :
       {"752 ns/B", R"(has no "rate")", R"(unknown key "latensy")", R"(did you mean "latency"?)", "0 GB/s",
        R"(has no "dispatch")", R"(unknown key "dispatches")", R"(:26: unknown unit "ns/B")"})
    EXPECT_NE(errors.find(part), std::string::npos) << part << " is not in:\n" << errors;
}

}  // namespace
}  // namespace wt::communication
