#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/json_override.h"
#include "base/money.h"
#include "cli/report.h"
#include "cluster/tf_config.h"
#include "collective/import.h"
#include "collective/print.h"
#include "communication/nccl_tests_output.h"
#include "data/counted_ids.h"
#include "data/crc32c.h"
#include "data/csv.h"
#include "data/dataset.h"
#include "data/gzip.h"
#include "data/idx.h"
#include "data/tfrecord.h"
#include "fuzz/small.h"
#include "fuzz/target.h"
#include "model/keras_file.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "plan/profile.h"
#include "platform/formats/export_dot.h"
#include "platform/formats/export_simgrid.h"
#include "platform/load.h"
#include "platform/parse.h"
#include "scenario/failure_log.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "sweep/log.h"
#include "sweep/points.h"
#include "sweep/read.h"
#include "tensor/safetensors.h"
#include "train/checkpoint.h"
#include "train/state.h"

namespace wt::fuzz {

namespace {

// What must hold beyond the oracle.
void require(bool condition, const std::string& text) {
  if (!condition) throw std::logic_error(text);
}

// ---- Text

void visit(const json::Value& value) {
  const Place place = value.place();
  require(place.line >= 1 && place.column >= 1, "a value has no place");
  if (value.kind() == json::Kind::array)
    for (const json::Value& element : value.elements()) visit(element);
  if (value.kind() == json::Kind::object)
    for (const json::Member& member : value.members()) visit(member.value);
}

std::string json_text(const Input& input) {
  visit(json::parse(input.text(), "input.json"));
  return {};
}

std::string overrides(const Input& input) {
  json::dotted(input.text());
  visit(json::override_value("key=" + input.text(), 4));
  return {};
}

// What is read is printed as a text that reads back to the same.
template <class Kind>
std::string quantity(const std::string& text) {
  const Parsed<Kind> read = try_parse<Kind>(text);
  if (!read.value) throw InputError(read.fact, read.remedy);
  const std::string printed = print(*read.value);
  require(parse<Kind>(printed) == *read.value, fmt::format("{} doesn't read back", printed));
  return printed;
}

std::string money(const std::string& text) {
  const Parsed<MoneyPer> per = try_parse_money_per(text);
  const Parsed<Money> read = try_parse_money(text);
  if (per.value) return print(per.value->money) + rough(per.value->money);
  if (!read.value) throw InputError(read.fact, read.remedy);
  require(*try_parse_money(print(*read.value)).value == *read.value, "an amount doesn't read back");
  return print(*read.value);
}

std::string quantities(const Input& input) {
  std::string (*const kinds[])(const std::string&) = {quantity<Bytes>,          quantity<Seconds>,
                                                      quantity<Flops>,          money,
                                                      quantity<BytesPerSecond>, quantity<FlopsPerSecond>};
  std::string printed;
  for (const auto kind : kinds) {
    try {
      printed += kind(input.text()) + "\n";
    } catch (const InputError&) {  // It is of another kind.
    }
  }
  return printed;
}

std::string tf_config(const Input& input) {
  try {
    cluster::parse_tf_config(input.text());
  } catch (const InputError&) {  // A resolver accepts more.
  }
  cluster::parse_tf_config_for_resolver(input.text());
  return {};
}

std::string profiles(const Input& input) {
  const plan::Profile profile = plan::read_profile(json::parse(input.text(), "profile.json"));
  const std::string printed = plan::print(profile);
  require(plan::print(plan::read_profile(json::parse(printed, "printed"))) == printed,
          "a profile doesn't read back");
  return printed;
}

std::string schedules(const Input& input) {
  const collective::Expanded schedule = collective::import_schedule(input.text(), 0, "schedule");
  const std::string printed = collective::print(schedule);
  require(collective::parse_schedule(printed) == schedule, "a schedule doesn't read back");
  collective::import_verified(input.text(), 0, "schedule");
  return printed + collective::print_dot(schedule);
}

std::string nccl_tests(const Input& input) {
  return fmt::format("{} rows", communication::read_nccl_tests(input.text(), "measured.txt").rows.size());
}

// ---- Scenarios, sweeps and platforms

std::string scenario_files(const Input& input) {
  const auto file = Input::folder() / "scenario.json";
  const std::string once = scenario::resolved(scenario::parse(input.text(), file), Input::folder());
  require(scenario::resolved(scenario::parse(once, file), Input::folder()) == once,
          "a resolved scenario resolves to another one");
  return once;
}

// `validate` and `run` agree, and the results have figures.
std::string scenarios(const Input& input) {
  const std::string file = input.file("scenario.json").string(), out = (Input::folder() / "out").string();
  if (!is_small(file)) return {};
  const std::vector<std::string> overrides{"numerics=none"};
  const Said validated = call([&](const cli::Streams& streams) {
    return cli::validate({.files = {file}, .overrides = overrides}, streams);
  });
  const Said run = call([&](const cli::Streams& streams) {
    return cli::run({.files = {file}, .overrides = overrides, .out = out}, streams);
  });
  require(validated.exit != cli::Exit::our_fault, "validate: " + validated.messages);
  require(run.exit != cli::Exit::our_fault, "run: " + run.messages);
  require((run.exit == cli::Exit::input_wrong) == (validated.exit == cli::Exit::input_wrong),
          "validate and run disagree: " + validated.messages + run.messages);
  return validated.results + validated.messages + run.results + run.messages;
}

std::string sweeps(const Input& input) {
  const sweep::Sweep read = sweep::read(input.file("sweep.json"), {});
  const sweep::Points points(read);
  for (std::int64_t number = 0; number < std::min<std::int64_t>(points.size(), 3); ++number)
    points.scenario(points.at(number));
  points.require_usable_values();
  return fmt::format("{} points", points.size());
}

std::string platform_files(const Input& input) {
  Problems problems;
  platform::parse(
      json::parse(input.text(), "platform.json"),
      [](const json::Value& name, Problems& found) -> const json::Value* {
        found.add(name.place(), "there are no other files here");
        return nullptr;
      },
      problems);
  problems.throw_if_any();
  return {};
}

// Every two ends of a machine are joined, and what is exported is text.
std::string described(const platform::Loaded& loaded) {
  const platform::Platform& built = loaded.platform;
  const std::int32_t few = std::min(built.devices(), 12);
  std::string printed;
  for (std::int32_t from = 0; from < few; ++from)
    for (std::int32_t to = 0; to < few; ++to) {
      const platform::Route route = built.route(built.device(from), built.device(to));
      printed += fmt::format("{} {}\n", route.latency, route.bottleneck.count() > 0);
    }
  for (const Problem& problem : loaded.warnings) printed += print(problem) + "\n";
  for (const Problem& problem : loaded.assumptions) printed += print(problem) + "\n";
  if (built.devices() > 64) return printed;
  return printed + platform::to_dot(built) + platform::to_simgrid(built);
}

std::string platforms(const Input& input) {
  return described(platform::from_json(json::parse(input.text(), "platform.json"), Input::folder()));
}

std::string platform_xml(const Input& input) {
  return described(platform::from_xml("platform.xml", input.text()));
}

// A folder with a report that another program may have written, or with results.
std::string report_of(const std::string& name, const Input& input) {
  const auto folder = Input::folder() / ("report_of_" + name);
  std::filesystem::create_directories(folder);
  input.file(folder.filename() / name);
  const auto scenario = folder / "scenario.resolved.json";
  if (name == "results.json" && !std::filesystem::exists(scenario))
    std::filesystem::copy_file(Input::folder() / "base.json", scenario);
  const Said said = call([&](const cli::Streams& streams) {
    return cli::report({.folders = {folder.string()}, .json = true}, streams);
  });
  require(said.exit != cli::Exit::our_fault, said.messages);
  if (said.exit == cli::Exit::done) json::parse(said.results, "report");
  return said.messages;
}

std::string reports(const Input& input) { return report_of("report.json", input); }
std::string results(const Input& input) { return report_of("results.json", input); }

// ---- Models and checkpoints

std::string keras_json(const Input& input) {
  const json::Value tree = json::parse(input.text(), "model.json");
  model::written_by(tree);
  model::model_from_json(tree);
  return {};
}

std::string keras_files(const Input& input) {
  const auto file = input.file("model.keras");
  const model::SavedModel saved = model::read_saved_model(file);
  const model::LayerPtr layers = model::model_from_json(saved.architecture);
  return fmt::format("{}", saved.writer ? saved.writer->version : "");
}

std::string safetensors(const Input& input) {
  const TensorFile read = read_safetensors(input.file("tensors.safetensors"));
  const auto copy = Input::folder() / "copy.safetensors";
  write_safetensors(copy, read);
  require(read_safetensors(copy).tensors.size() == read.tensors.size(), "tensors don't read back");
  return {};
}

std::string checkpoints(const Input& input) {
  train::State state(1);
  state.add({{.name = "dense/kernel", .spec = {Type::float32, {3, 2}}},
             {.name = "dense/bias", .spec = {Type::float32, {2}}}});
  train::Checkpoint(state).restore(input.file("ckpt-1.safetensors").replace_extension());
  return {};
}

std::string checkpoint_indices(const Input& input) {
  const auto newest = train::latest_checkpoint(input.file("checkpoint").parent_path());
  return newest ? newest->string() : "";
}

std::string journals(const Input& input) {
  const sweep::Found found = sweep::read_log(input.file("journal.jsonl").parent_path());
  std::string printed = sweep::print(found.header);
  for (const auto& [number, row] : found.rows) printed += sweep::print(row) + "\n";
  return printed;
}

// ---- Data

void read_some(const data::Dataset& dataset) {
  auto elements = dataset.batch(4).iterate();
  for (int left = 4; left > 0 && elements.next(); --left) continue;
}

std::string idx(const Input& input) { return print(data::read_idx(input.file("images.idx")).spec()); }

std::string gzip(const Input& input) {
  data::unpacked(input.text(), "input.gz", {}, 1 << 20);
  return {};
}

data::RecordRows records_in(const std::filesystem::path& file) {
  return {
      .files = {{file, {}}},
      .features = {{.name = "label", .shape = {}}, {.name = "pixels", .shape = {2, 2}, .type = Type::uint8}},
      .tensors = {{.feature = 0, .row = {.type = Type::int64}, .is_label = true}, {.feature = 1}}};
}

std::string tfrecord(const Input& input) {
  read_some(data::read_tfrecords(records_in(input.file("rows.tfrecord"))));
  return {};
}

template <class T>
std::string raw(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// The message of a record, with the checksums that belong to it.
std::string examples(const Input& input) {
  const std::string length = raw(std::uint64_t{input.text().size()});
  return tfrecord(Input(length + raw(data::masked_crc32c(length)) + input.text() +
                        raw(data::masked_crc32c(input.text()))));
}

std::string csv(const Input& input) {
  read_some(data::read_csv(
      {.files = {{input.file("rows.csv"), {}}},
       .classes = {{"species", {"setosa", "versicolor", "virginica"}}},
       .tensors = {{.columns = {"sepal"}, .row = {.type = Type::float32}},
                   {.columns = {"species"}, .row = {.type = Type::int64, .below = 3}, .is_label = true}}}));
  return {};
}

std::string counted_ids(const Input& input) {
  const data::CountedIds ids = data::read_counted_ids(input.file("ids.csv").string(), {});
  return fmt::format("{} {}", ids.below(10), ids.id(0.5));
}

std::string failure_logs(const Input& input) {
  return fmt::format("{} failures", scenario::read_failure_log(input.file("log.csv").string()).size());
}

// ---- The table

constexpr std::string_view scenario_schema = "scenarios/schema/scenario.json";
constexpr std::string_view platform_schema = "platforms/schema/platform.json";
constexpr std::string_view sweep_schema = "scenarios/schema/sweep.json";
constexpr std::string_view profile_schema = "scenarios/schema/profile.json";

const std::vector<Target>& table() {
  static const std::vector<Target> all{
      {"json", json_text, Form::words, "", {"scenarios/*.json", "tests/scenario/errors/*.json"}, 4096, 400},
      {"overrides", overrides, Form::words, "", {}, 1024, 400},
      {"quantities", quantities, Form::words, "", {}, 64, 1000},
      {"scenario_files",
       scenario_files,
       Form::json,
       scenario_schema,
       {"scenarios/*.json", "scenarios/seeds/*.json", "scenarios/troubles/*.json",
        "tests/scenario/errors/*.json"},
       8192,
       2000},
      {"scenarios",
       scenarios,
       Form::json,
       scenario_schema,
       {"scenarios/*.json", "scenarios/troubles/*.json"},
       4096,
       0},
      {"sweeps", sweeps, Form::json, sweep_schema, {"scenarios/sweeps/*.json"}, 4096, 0},
      {"platform_files",
       platform_files,
       Form::json,
       platform_schema,
       {"platforms/*.json", "tests/platform/errors/*.json"},
       8192,
       2000},
      {"platforms",
       platforms,
       Form::json,
       platform_schema,
       {"platforms/*.json", "tests/platform/errors/*.json", "tests/platform/data/*.json"},
       8192,
       0},
      {"simgrid",
       platform_xml,
       Form::words,
       "",
       {"tests/platform/data/*.simgrid.xml", "tests/platform/data/office.xml",
        "tests/platform/data/campus.xml", "tests/platform/xml_errors/simgrid*.xml"},
       16384,
       0},
      {"nccl_xml",
       platform_xml,
       Form::words,
       "",
       {"tests/platform/data/*_nccl.xml", "tests/platform/xml_errors/nccl*.xml"},
       16384,
       0},
      {"schedules", schedules, Form::words, "", {}, 4096, 0},
      {"msccl", schedules, Form::words, "", {}, 8192, 0},
      {"nccl_tests", nccl_tests, Form::words, "", {"tests/measurements/nccl_tests/*.txt"}, 8192, 400},
      {"reports", reports, Form::json, "", {"viz/test/data/*.json"}, 16384, 0},
      {"results", results, Form::json, "", {}, 8192, 0},
      {"keras_json",
       keras_json,
       Form::json,
       "",
       {"tests/keras_files/files.tar.gz:*.json", "tests/oracle/mlp_momentum/model.json"},
       16384,
       2000},
      {"keras_h5", keras_files, Form::bytes, "", {"tests/keras_files/files.tar.gz:*.h5"}, 65536, 2000},
      {"keras_zip", keras_files, Form::bytes, "", {"tests/keras_files/files.tar.gz:*.keras"}, 65536, 2000},
      {"safetensors", safetensors, Form::bytes, "", {"tests/oracle/linear_sgd/*.safetensors"}, 4096, 2000},
      {"checkpoints",
       checkpoints,
       Form::bytes,
       "",
       {"tests/oracle/linear_sgd/final.safetensors"},
       4096,
       2000},
      {"checkpoint_indices", checkpoint_indices, Form::words, "", {}, 1024, 400},
      {"journals", journals, Form::words, "", {}, 4096, 2000},
      {"profiles", profiles, Form::json, profile_schema, {}, 4096, 2000},
      {"tf_config", tf_config, Form::json, "", {}, 4096, 2000},
      {"idx", idx, Form::bytes, "", {}, 4096, 100},
      {"gzip",
       gzip,
       Form::bytes,
       "",
       {"tests/data/files/mixed.tfrecord.gz", "tests/data/files/mixed.tfrecord.zlib"},
       4096,
       2000},
      {"tfrecord",
       tfrecord,
       Form::bytes,
       "",
       {"tests/data/files/*.tfrecord", "tests/data/files/mixed.tfrecord.*"},
       4096,
       2000},
      {"examples", examples, Form::bytes, "", {}, 1024, 2000},
      {"csv", csv, Form::words, "", {"tests/data/files/*.csv", "scenarios/data/*.csv"}, 4096, 400},
      {"counted_ids", counted_ids, Form::words, "", {}, 4096, 400},
      {"failure_logs", failure_logs, Form::words, "", {}, 4096, 400},
  };
  return all;
}

}  // namespace

std::span<const Target> targets() { return table(); }

const Target* target_of(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Target::name);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace wt::fuzz
