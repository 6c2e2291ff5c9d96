#include "sweep/record.h"

#include <fmt/format.h>

#include <set>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/json_writer.h"

namespace wt::sweep {

namespace {

constexpr std::string_view format = "windtunnel sweep journal";

report::Field field_of(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::integer:
      return value.integer();
    case json::Kind::real:
      return value.real();
    case json::Kind::string:
      return value.string();
    default:
      return {};
  }
}

}  // namespace

std::string print(const Header& header) {
  json::Writer out(json::Layout::compact);
  out.begin_object()
      .member("format", format)
      .member("format_version", 1)
      .member("version", header.version)
      .member("constants_version", header.constants)
      .member("name", header.name)
      .member("sweep", header.sweep)
      .member("points", header.points)
      .member("shard", header.shard)
      .key("inputs")
      .begin_array();
  for (const auto& [name, digest] : header.inputs)
    out.begin_object().member("name", name).member("digest", digest).end_object();
  out.end_array().key("columns").begin_array();
  for (const std::string& column : header.columns) out.value(column);
  return out.end_array().end_object().text();
}

std::optional<Header> parse_header(const std::string& line) {
  try {
    const json::Value tree = json::parse(line, "journal.jsonl");
    Problems problems;
    json::Reader reader(tree, problems);
    Header header;
    const bool is_ours = reader.required<std::string>("format") == format;
    const bool is_known = reader.required<std::int64_t>("format_version") == 1;
    header.version = reader.required<std::string>("version");
    header.constants = reader.required<int>("constants_version");
    header.name = reader.required<std::string>("name");
    header.sweep = reader.required<std::string>("sweep");
    header.points = reader.required<std::int64_t>("points");
    header.shard = reader.required<std::string>("shard");
    for (json::Reader& input : reader.objects("inputs"))
      header.inputs[input.required<std::string>("name")] = input.required<std::string>("digest");
    header.columns = reader.required<std::vector<std::string>>("columns");
    if (!is_ours || !is_known || problems.any()) return std::nullopt;
    return header;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<std::string> differences(const Header& before, const Header& now) {
  std::vector<std::string> found;
  if (before.version != now.version)
    found.push_back(fmt::format("the version of windtunnel ({}, now {})", before.version, now.version));
  if (before.constants != now.constants)
    found.push_back(
        fmt::format("the version of the model's constants ({}, now {})", before.constants, now.constants));
  if (before.sweep != now.sweep || before.points != now.points)
    found.emplace_back("the axes or their values");
  if (before.shard != now.shard)
    found.push_back(fmt::format("the shard (\"{}\", now \"{}\")", before.shard, now.shard));
  std::set<std::string> names;
  for (const auto* inputs : {&before.inputs, &now.inputs})
    for (const auto& [name, digest] : *inputs) names.insert(name);
  for (const std::string& name : names) {
    const auto old = before.inputs.find(name), current = now.inputs.find(name);
    const bool is_equal =
        old != before.inputs.end() && current != now.inputs.end() && old->second == current->second;
    if (!is_equal) found.push_back(name);
  }
  if (found.empty() && before != now) found.emplace_back("the columns of the table");
  return found;
}

std::string print(const Row& row) {
  json::Writer out(json::Layout::compact);
  out.begin_array();
  for (const report::Field& field : row) report::write(out, field);
  return out.end_array().text();
}

Row parse_row(const std::string& line) {
  Row row;
  const json::Value tree = json::parse(line, "journal.jsonl");
  if (tree.kind() == json::Kind::array)
    for (const json::Value& element : tree.elements()) row.push_back(field_of(element));
  if (row.empty() || !std::holds_alternative<std::int64_t>(row.front()))
    throw InputError(Problem{tree.place(), "this line is no row of a sweep", "start anew with --restart"});
  return row;
}

std::int64_t number_of(const Row& row) { return std::get<std::int64_t>(row.front()); }

}  // namespace wt::sweep
