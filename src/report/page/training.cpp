#include "report/page/training.h"

#include <algorithm>
#include <vector>

namespace wt::report {

namespace {

using Rows = std::vector<const json::Value*>;  // null: a row without such an object

// A row that is no object, as a damaged file may have it, has no members.
bool is_object(const json::Value* row) { return row != nullptr && row->kind() == json::Kind::object; }

const json::Value* member_of(const json::Value* row, const std::string& key) {
  return is_object(row) ? row->find(key) : nullptr;
}

// All keys, in the order in which rows name them first.
std::vector<std::string> keys_of(const Rows& rows) {
  std::vector<std::string> keys;
  for (const json::Value* row : rows) {
    if (!is_object(row)) continue;
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
    const bool is_nested = std::ranges::any_of(column, is_object);
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
