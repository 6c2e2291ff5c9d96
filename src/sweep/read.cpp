#include "sweep/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "scenario/parse.h"

namespace wt::sweep {

namespace {

// ---- Conditions

struct Sign {
  std::string_view text{};
  Test::Kind kind{};
};
// Two letters before one, since "<=" begins as "<" does.
constexpr std::array signs{Sign{"<=", Test::Kind::at_most}, Sign{">=", Test::Kind::at_least},
                           Sign{"<", Test::Kind::less}, Sign{">", Test::Kind::greater}};

Test test_of(const json::Value& value, Problems& problems) {
  if (value.kind() == json::Kind::string) {
    const std::string& text = value.string();
    const auto sign =
        std::ranges::find_if(signs, [&](const Sign& each) { return text.starts_with(each.text); });
    if (sign != signs.end()) {
      Test test{.kind = sign->kind};
      const char* begin = text.data() + sign->text.size();
      const auto [end, error] = std::from_chars(begin, text.data() + text.size(), test.number);
      if (error != std::errc{} || end != text.data() + text.size())
        problems.add(value.place(), fmt::format("\"{}\" compares with no number", text),
                     "write \">8\", or the value itself");
      return test;
    }
  }
  Test test;
  for (const Setting& setting : settings_of(value, problems)) test.texts.push_back(setting.text);
  return test;
}

Condition condition_of(const json::Value& value, const std::vector<std::string>& columns,
                       Problems& problems) {
  Condition condition;
  if (value.kind() != json::Kind::object) {
    problems.add(value.place(), fmt::format("expected an object, found {}", json::describe(value.kind())),
                 R"(as in {"platform": "dgx_a100", "machines": ">16"})");
    return condition;
  }
  for (const json::Member& member : value.members()) {
    const auto column = std::ranges::find(columns, member.key);
    if (column == columns.end()) {
      const std::vector<std::string_view> known(columns.begin(), columns.end());
      problems.add(member.key_place(), fmt::format("no axis has the name \"{}\"", member.key),
                   did_you_mean(member.key, known));
      continue;
    }
    Test test = test_of(member.value, problems);
    test.column = static_cast<std::size_t>(column - columns.begin());
    condition.push_back(std::move(test));
  }
  return condition;
}

// ---- The file

Axis axis_of(const json::Value& value, Problems& problems) {
  Axis axis;
  if (value.kind() != json::Kind::object || value.members().empty()) {
    problems.add(value.place(), "an axis is an object of keys and their values",
                 R"(as in {"machines": "1..64x2"} or {"platform": ["dgx_a100", "dgx_h100"]})");
    return axis;
  }
  for (const json::Member& member : value.members()) {
    axis.keys.push_back(member.key);
    axis.settings.push_back(settings_of(member.value, problems));
  }
  check(axis, value.place(), problems);
  return axis;
}

void read_file(const json::Value& tree, const std::filesystem::path& folder, Sweep& sweep,
               Problems& problems) {
  json::Reader reader(tree, problems);
  sweep.name = reader.required<std::string>("name");
  sweep.scenario = (folder / reader.required<std::string>("scenario")).string();
  if (const json::Value* set = reader.value("set")) {
    json::Reader keys(*set, problems);
    if (set->kind() == json::Kind::object)
      for (const json::Member& member : set->members())
        sweep.overrides.push_back(fmt::format("{}={}", member.key, json::compact(member.value)));
  }
  for (const json::Value& value : reader.array("axes"))
    if (Axis axis = axis_of(value, problems); !axis.keys.empty()) sweep.axes.push_back(std::move(axis));
  if (reader.has("leave_out"))
    for (const json::Value& value : reader.array("leave_out"))
      sweep.leave_out.push_back(condition_of(value, sweep.columns(), problems));
  reader.finish();
}

// A sweep has axes; a scenario has a model.
bool is_sweep(const json::Value& tree) {
  return tree.kind() == json::Kind::object &&
         (tree.find("axes") != nullptr || tree.find("scenario") != nullptr);
}

// ---- All

void check_columns(const Sweep& sweep, Problems& problems) {
  std::map<std::string, int> count;
  for (const std::string& column : sweep.columns())
    if (++count[column] == 2)
      problems.add({}, fmt::format("two axes vary \"{}\"", column), "join their values in one axis");
  if (sweep.axes.empty())
    problems.add({}, "the sweep has no axis",
                 "add one: --axis machines=1..64x2; `windtunnel list axes` has names");
}

// What decides about the points: the axes with all their values, not how they are written.
std::string identity_of(const Sweep& sweep) {
  json::Writer out(json::Layout::compact);
  out.begin_object().member("name", sweep.name).key("overrides").begin_array();
  for (const std::string& text : sweep.overrides) out.value(text);
  out.end_array().key("axes").begin_array();
  for (const Axis& axis : sweep.axes)
    for (std::size_t i = 0; i < axis.keys.size(); ++i) {
      out.begin_object().key(axis.keys[i]).begin_array();
      for (const Setting& setting : axis.settings[i]) json::write_value(out, setting.value);
      out.end_array().member("with", axis.keys.front()).end_object();
    }
  out.end_array().key("leave_out").begin_array();
  for (const Condition& condition : sweep.leave_out) {
    out.begin_array();
    for (const Test& test : condition) {
      out.value(test.column).value(static_cast<int>(test.kind)).value(test.number);
      for (const std::string& text : test.texts) out.value(text);
    }
    out.end_array();
  }
  return out.end_array().end_object().text();
}

}  // namespace

std::vector<std::string> Sweep::columns() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.insert(names.end(), axis.keys.begin(), axis.keys.end());
  return names;
}

Sweep read(const std::filesystem::path& file, const Further& further) {
  const json::Value tree = json::parse_file(file);
  Problems problems;
  Sweep sweep;
  if (is_sweep(tree)) {
    read_file(tree, file.parent_path(), sweep, problems);
  } else {
    sweep.scenario = file.string();
    const json::Value* name = tree.kind() == json::Kind::object ? tree.find("name") : nullptr;
    sweep.name = name != nullptr && name->kind() == json::Kind::string ? name->string() + " sweep" : "sweep";
  }
  for (const std::string& text : further.axes)
    if (Axis axis = axis_of(text, problems); !axis.keys.empty()) sweep.axes.push_back(std::move(axis));
  sweep.overrides.insert(sweep.overrides.end(), further.overrides.begin(), further.overrides.end());
  if (!problems.any()) check_columns(sweep, problems);
  problems.throw_if_any();
  sweep.identity = identity_of(sweep);
  return sweep;
}

}  // namespace wt::sweep
