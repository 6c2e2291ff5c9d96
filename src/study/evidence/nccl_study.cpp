#include "study/evidence/nccl_study.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "communication/timing.h"
#include "platform/load.h"

namespace wt::evidence {

namespace {

using collective::Operation;

// How a table's rows are predicted. The system is recognised by a part of its name. The launch is the way in
// which the table's program was started. Where the source doesn't state it, the launch is chosen by the times
// of small messages.
struct NcclSetup {
  std::string_view name{};
  std::string_view system{};
  std::string_view strategy{};  // a part of the row's strategy; empty: any
  std::string_view platform{};
  std::vector<std::string> overrides{};
  std::string_view launch{};
  std::string_view algorithm{};  // that the run forced; empty: NCCL's choice
  bool has_ll128 = true;         // The protocol LL128 exists since NCCL 2.5.
  bool has_stalls =
      false;        // Some rows contain stalls of 500 us, so the lower of the two time columns counts.
  int devices = 0;  // of the rows; 0: any. One source may have rows of several numbers of devices.
};

const std::vector<NcclSetup>& setups() {
  static const std::vector<NcclSetup> rows{
      {"A100 x8", "1 node 8xA100", "", "dgx_a100", {}, "threads", ""},
      {"V100 x8, cube mesh", "1 node 8xV100", "", "dgx1_v100", {}, "threads", "", false},
      {"H100 x8", "1 node 8xH100", "", "dgx_h100", {}, "mpi", ""},
      {"H200 x8", "1 node 8xH200", "", "dgx_h200", {}, "torch", ""},
      {"DGX A100, 2 nodes", "2x DGX A100", "", "dgx_a100", {"machines=2"}, "mpi", ""},
      {"p5, 2 nodes, EFA", "2x p5.48xlarge", "", "aws_p5_48xlarge", {"machines=2"}, "mpi", ""},
      {"B200, 2 nodes", "2x Lambda 8xB200", "", "dgx_b200", {"machines=2"}, "mpi", ""},
      {"DGX-1V, 2 nodes, RoCE",
       "2x DGX-1",
       "",
       "dgx1_v100",
       {"machines=2", "machine.nics.count=2", "machine.nics.type=\"roce\""},
       "mpi",
       "ring",
       true,
       true},
      {"p3dn, 2 nodes, EFA",
       "2x EC2 instance",
       "",
       "aws_p3dn_24xlarge",
       {"machines=2"},
       "mpi",
       "ring",
       false},
      {"RTX 2080 Ti x8", "1 node 8x RTX 2080 Ti", "", "workstation_8x2080ti_2socket", {}, "threads", ""},
      {"H100, 2 nodes, InfiniBand", "2x Nebius", "", "dgx_h100", {"machines=2"}, "mpi", ""},
      {"p4de, 2 nodes, EFA", "2x p4de.24xlarge", "", "aws_p4d_24xlarge", {"machines=2"}, "mpi", ""},
      {"A3 Mega, 2 nodes", "2x GCP A3 Mega", "", "gce_a3_megagpu_8g", {"machines=2"}, "mpi", ""},
      {"DGX-1V, 2 nodes, InfiniBand", "DGX-1 cluster on IB", "", "dgx1_v100", {"machines=2"}, "mpi", ""},
      {"T4, 2 nodes, EFA", "2 EC2 nodes x 1 T4", "", "aws_g4dn_8xlarge", {"machines=2"}, "mpi", ""},
      {"MI300X, 2 nodes, RoCE", "2x OCI BM.GPU.MI300X.8", "", "hgx_mi300x", {"machines=2"}, "mpi", ""},
      {"GB200 NVL72, 1 rack", "GB200 NVL72 1 rack", "", "gb200_nvl72", {}, "mpi", ""},
      {"p6, 4 nodes, EFA", "AWS p6-b200.48xlarge", "", "aws_p6_b200_48xlarge", {"machines=4"}, "torch", ""},
      {"DGX A100 x2, PyTorch",
       "DGX A100 (8xA100)",
       "",
       "dgx_a100",
       {"devices=2"},
       "profiler",
       "",
       true,
       false,
       2},
      {"DGX A100 x4, PyTorch",
       "DGX A100 (8xA100)",
       "",
       "dgx_a100",
       {"devices=4"},
       "profiler",
       "",
       true,
       false,
       4},
      {"DGX A100 x8, PyTorch", "DGX A100 (8xA100)", "", "dgx_a100", {}, "profiler", "", true, false, 8},
  };
  return rows;
}

const NcclSetup* nccl_setup_of(const Measurement& row) {
  for (const NcclSetup& setup : setups())
    if (row.system.find(setup.system) != std::string::npos &&
        row.strategy.find(setup.strategy) != std::string::npos &&
        (setup.devices == 0 || row.devices == setup.devices))
      return &setup;
  return nullptr;
}

std::optional<Bytes> bytes_of(const Measurement& row) {
  std::int64_t bytes = 0;
  const char* const end = row.batch.data() + row.batch.size();
  const auto [stop, error] = std::from_chars(row.batch.data(), end, bytes);
  return error == std::errc{} && stop == end ? std::optional(Bytes(bytes)) : std::nullopt;
}

// Smaller messages are left out. Their times are mostly latency and noise.
constexpr Bytes smallest(1024);

// A bandwidth (GB/s) below this one is published with one digit, from which no time follows to within ten percent.
constexpr double least_bandwidth = 0.1;

// Some sources publish the time, and some a bandwidth instead: that of the vector, or nccl-tests' bus bandwidth.
std::optional<Seconds> time_of(const Measurement& row, Bytes bytes) {
  if ((row.metric == "time_out_of_place" || row.metric == "time_median") && row.unit == "us")
    return Seconds(row.value * 1e-6);
  if (row.value < least_bandwidth || row.devices < 2) return std::nullopt;
  const double seconds = static_cast<double>(bytes.count()) / (row.value * 1e9);
  if (row.metric == "algbw") return Seconds(seconds);
  if (row.metric == "busbw") return Seconds(seconds * 2 * (row.devices - 1) / row.devices);
  return std::nullopt;
}

// A source that publishes both bandwidths has two rows for a size, of which the first one counts.
bool is_known(const std::vector<NcclRow>& rows, const Measurement& row, Bytes bytes) {
  const bool is_bandwidth = row.metric == "algbw" || row.metric == "busbw";
  return is_bandwidth && !rows.empty() && rows.back().bytes == bytes;
}

class Predictor {
 public:
  explicit Predictor(const NcclSetup& setup)
      : setup_(setup),
        platform_(loaded(setup)),
        group_(communication::first_devices(platform_, platform_.devices())) {}

  collective::Choice choice_for(Bytes bytes) const {
    for (const collective::Choice& each : communication::choices(group_, Operation::all_reduce, bytes)) {
      const bool is_ring = each.algorithm == "ring" || each.algorithm == "multi_rail";
      if (!setup_.has_ll128 && each.protocol == collective::Protocol::ll128) continue;
      if (setup_.algorithm.empty() || (setup_.algorithm == "ring" && is_ring)) return each;
    }
    return {.algorithm = "ring"};
  }

  // The predicted time, with the class's launch time or the given one. Also records the algorithm and
  // protocol.
  Seconds time(NcclRow& row, std::optional<Seconds> launch_time) const {
    const collective::Choice choice = choice_for(row.bytes);
    const communication::Call call = communication::call_of(
        group_, collective::algorithm_named(Operation::all_reduce, choice.algorithm),
        {.ranks = group_.size(), .elements = std::max<std::int64_t>(1, row.bytes.count() / 4)},
        {.launch = std::string(setup_.launch), .protocol = choice.protocol, .launch_time = launch_time});
    row.algorithm = choice.algorithm, row.protocol = call.protocol;
    return communication::time_of(call, group_, Type::float32).time;
  }

  Seconds launch_time(const NcclRow& tiny) const {
    return communication::launch_time_from(tiny.published, tiny.bytes, group_);
  }

 private:
  static platform::Platform loaded(const NcclSetup& setup) {
    platform::Parameters parameters;
    for (const std::string& text : setup.overrides) parameters.push_back(platform::parse_parameter(text));
    return platform::load(setup.platform, parameters).platform;
  }

  const NcclSetup& setup_;
  const platform::Platform platform_;
  const communication::Group group_;
};

void predict(NcclTable& table, const NcclSetup& setup) {
  std::ranges::stable_sort(table.rows, {}, [](const NcclRow& row) { return row.bytes; });
  const Predictor predictor(setup);
  const Seconds launch_time = predictor.launch_time(table.rows.front());
  std::erase_if(table.rows, [](const NcclRow& row) { return row.bytes < smallest; });
  for (NcclRow& row : table.rows) {
    row.by_class = predictor.time(row, std::nullopt);
    row.by_tiny = predictor.time(row, launch_time);
  }
}

// Reads the second time column, which follows the first as a row of its own, and keeps the lower time.
void take_better(std::vector<NcclRow>& rows, const Measurement& row, Bytes bytes) {
  if (row.metric != "time_in_place" || rows.empty() || rows.back().bytes != bytes) return;
  rows.back().published = std::min(rows.back().published, Seconds(row.value * 1e-6));
}

}  // namespace

std::vector<NcclTable> nccl_tables(const std::vector<Measurement>& rows) {
  std::vector<NcclTable> tables;
  for (const NcclSetup& setup : setups()) {
    NcclTable table{.name = std::string(setup.name),
                    .platform = std::string(setup.platform),
                    .overrides = setup.overrides};
    for (const Measurement& row : rows) {
      if (nccl_setup_of(row) != &setup || row.model != "all_reduce(sum)") continue;
      const std::optional<Bytes> bytes = bytes_of(row);
      const std::optional<Seconds> time = bytes ? time_of(row, *bytes) : std::nullopt;
      if (time && !is_known(table.rows, row, *bytes))
        table.rows.push_back({.bytes = *bytes, .published = *time});
      if (setup.has_stalls && bytes) take_better(table.rows, row, *bytes);
    }
    if (table.rows.empty()) continue;
    predict(table, setup);
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace wt::evidence
