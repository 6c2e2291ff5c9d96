#include "report/page/training.h"

#include <algorithm>
#include <vector>

namespace wt::report {

namespace {

using Rows = std::vector<const json::Value*>;  // null: a row without such an object

const json::Value* member_of(const json::Value* row, const std::string& key) {
  return row == nullptr ? nullptr : row->find(key);
}

// All keys, in the order in which rows name them first.
std::vector<std::string> keys_of(const Rows& rows) {
  std::vector<std::string> keys;
  for (const json::Value* row : rows) {
    if (row == nullptr) continue;
    for (const json::Member& member : row->members())
      if (std::ranges::find(keys, member.key) == keys.end()) keys.push_back(member.key);
  }
  return keys;
}

// An array of objects as an object of arrays; objects in the rows become objects of arrays, too.
void write_columns_of(json::Writer& out, const Rows& rows) {
  out.begin_object();
  for (const std::string& key : keys_of(rows)) {
    Rows column;
    for (const json::Value* row : rows) column.push_back(member_of(row, key));
    const bool is_nested = std::ranges::any_of(column, [](const json::Value* value) {
      return value != nullptr && value->kind() == json::Kind::object;
    });
    out.key(key);
    if (is_nested) {
      write_columns_of(out, column);
      continue;
    }
    out.begin_array(json::Layout::compact);
    for (const json::Value* value : column) {
      if (value == nullptr)
        out.null();
      else
        write_value(out, *value);
    }
    out.end_array();
  }
  out.end_object();
}

void write_columns_of(json::Writer& out, std::string_view key, const json::Value& results) {
  Rows rows;
  if (const json::Value* list = results.find(key))
    for (const json::Value& row : list->elements()) rows.push_back(&row);
  write_columns_of(out.key(key), rows);
}

}  // namespace

void write_training(json::Writer& out, const json::Value& results) {
  if (results.find("steps") == nullptr) return;
  out.key("training").begin_object();
  write_columns_of(out, "steps", results);
  write_columns_of(out, "epochs", results);
  if (const json::Value* evaluation = results.find("evaluation"))
    write_value(out.key("evaluation"), *evaluation);
  out.end_object();
}

}  // namespace wt::report
