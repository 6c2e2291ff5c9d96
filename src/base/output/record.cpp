#include "base/output/record.h"

#include <array>
#include <fstream>

#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/output/manifest.h"

namespace wt::output {
namespace {

struct Field {
  std::string_view key{};
  std::string Record::*text{};
};
constexpr std::array fields{Field{"ending", &Record::ending}, Field{"boot", &Record::boot},
                            Field{"run", &Record::run}, Field{"kept", &Record::kept}};

constexpr std::string_view record_format = "windtunnel unfinished run";

}  // namespace

std::string boot_of_this_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot;
}

void write_record(const std::filesystem::path& folder, const Record& record) {
  json::Writer out;
  out.begin_object().member("format", record_format);
  for (const Field& field : fields) out.member(field.key, record.*field.text);
  write_text(folder / record_name, out.end_object().text());
}

std::optional<Record> record_of(const std::filesystem::path& folder) {
  try {
    const json::Value tree = json::parse_file(folder / record_name);
    if (tree.kind() != json::Kind::object) return std::nullopt;
    Record record;
    for (const Field& field : fields) {
      const json::Value* value = tree.find(field.key);
      if (value == nullptr || value->kind() != json::Kind::string) return std::nullopt;
      record.*field.text = value->string();
    }
    return record;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace wt::output
