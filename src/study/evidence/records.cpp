#include "study/evidence/records.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/installation.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "plan/tiling.h"
#include "platform/constants_version.h"
#include "platform/device_types.h"
#include "study/evidence/measurement_study.h"
#include "study/evidence/scaling_prediction.h"

namespace wt::evidence {

namespace {

// ---- Made

Record record_of(const Measurement& row, const Setup& setup) {
  return {.source = row.source,
          .framework = row.strategy,
          .device = std::string(setup.device),
          .precision = std::string(device::name(setup.precision)),
          .devices = row.devices,
          .published = row.value,
          .unit = row.unit};
}

// Rows of devices with generic constants show what those are worth, and nothing about fitted ones.
bool has_own_constants(const Setup& setup) {
  const device::DeviceType& type = platform::device_type_named(setup.device);
  return type.efficiency.contains(plan::computed_in(type, setup.precision));
}

void add_single_devices(const std::vector<Measurement>& rows, std::vector<Record>& records) {
  const Predictions predictions = predict(rows);
  for (const PredictionGroup group : groups_of(predictions.made)) {
    if (group.front().batch == 0) continue;  // matrix products
    const MeasurementStudy study = study_of(group);
    const std::optional<MeasurementFit> fit = fit_of(group);
    const Errors without_own = without_own_device(group, predictions.made);
    for (std::size_t i = 0; i < group.size(); ++i) {
      Record record = record_of(*group[i].row, group[i].setup);
      record.arrangement = group[i].setup.group;
      record.network = group[i].network;
      record.batch = group[i].batch;
      record.generic = 1 + study.zero_shot[i];
      if (has_own_constants(group[i].setup)) {
        record.own = 1 + study.own[i];
        if (fit && !fit->left_out.empty()) record.other_networks = 1 + fit->left_out[i];
        if (has_siblings(group[i], predictions.made)) record.other_devices = 1 + without_own[i];
      }
      records.push_back(std::move(record));
    }
  }
}

void add_several_devices(const std::vector<Measurement>& rows, std::vector<Record>& records) {
  for (const ScalingPrediction& each : predict_scaling(rows).made) {
    Record record = record_of(*each.row, *setup_of(*each.row));
    record.arrangement = each.arrangement->group;
    record.network = each.network;
    record.batch = each.batch;
    record.absolute = each.absolute / each.row->value;
    if (each.scaled) record.from_one_device = *each.scaled / each.row->value;
    records.push_back(std::move(record));
  }
}

// ---- Written and read

constexpr std::string_view description =
    "Predicted over published training throughput, for src/study/evidence/records.h. Written by `windtunnel "
    "verify evidence tests/measurements --as platforms/evidence.json`; not edited by hand.";

// Ratios are rounded, so that a file doesn't change with the last bit of a sum.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

// One list of keys for reading and writing.
template <class Visit, class Some>
void visit_keys(Visit& visit, Some& record) {
  visit("source", record.source);
  visit("framework", record.framework);
  visit("arrangement", record.arrangement);
  visit("device", record.device);
  visit("precision", record.precision);
  visit("network", record.network);
  visit("devices", record.devices);
  visit("batch", record.batch);
  visit("published", record.published);
  visit("unit", record.unit);
  visit("generic", record.generic);
  visit("own", record.own);
  visit("other_networks", record.other_networks);
  visit("other_devices", record.other_devices);
  visit("absolute", record.absolute);
  visit("from_one_device", record.from_one_device);
}

struct Write {
  json::Writer& out;
  template <class T>
  void operator()(std::string_view key, const T& value) {
    out.member(key, value);
  }
  void operator()(std::string_view key, const std::optional<double>& ratio) {
    if (ratio) out.member(key, rounded(*ratio));
  }
};

struct Read {
  json::Reader& reader;
  template <class T>
  void operator()(std::string_view key, T& value) {
    value = reader.required<T>(key);
  }
  void operator()(std::string_view key, std::optional<double>& ratio) { ratio = reader.maybe<double>(key); }
};

}  // namespace

std::vector<Record> make_records(const std::vector<Measurement>& rows) {
  std::vector<Record> records;
  add_single_devices(rows, records);
  add_several_devices(rows, records);
  return records;
}

std::string print_records(const std::vector<Record>& records) {
  json::Writer out;
  out.begin_object().member("description", description);
  out.member("constants_version", platform::constants_version).key("rows").begin_array();
  for (const Record& record : records) {
    out.begin_object(json::Layout::one_line);
    Write write{out};
    visit_keys(write, record);
    out.end_object();
  }
  return out.end_array().end_object().text();
}

Records parse_records(std::string text, std::string file) {
  const json::Value tree = json::parse(std::move(text), std::move(file));
  Problems problems;
  Records records;
  json::Reader reader(tree, problems);
  records.constants_version = reader.required<int>("constants_version");
  for (json::Reader& row : reader.objects("rows")) {
    Read read{row};
    visit_keys(read, records.rows.emplace_back());
    row.finish();
  }
  reader.finish();
  problems.throw_if_any();
  return records;
}

const Records& known_records() {
  static const Records known = [] {
    const std::filesystem::path file = data_folder("platforms") / "evidence.json";
    return parse_records(read_text(file), file.string());
  }();
  return known;
}

}  // namespace wt::evidence
