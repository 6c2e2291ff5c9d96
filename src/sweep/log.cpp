#include "sweep/log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/output/addition.h"
#include "sweep/tables.h"

namespace wt::sweep {

namespace {

constexpr const char* journal_name = "journal.jsonl";

void add_row(const std::string& line, std::map<std::int64_t, Row>& rows) {
  Row row = parse_row(line);
  rows.insert_or_assign(number_of(row), std::move(row));
}

void refuse_other(const std::filesystem::path& folder, const std::string& first, const Header& now) {
  const std::optional<Header> before = parse_header(first);
  if (!before)
    throw InputError(fmt::format("\"{}\" holds the journal of something else", folder.string()),
                     "choose another folder with --out");
  if (*before == now) return;
  throw InputError(
      fmt::format("\"{}\" holds rows of a sweep that differs from this one: {}", folder.string(),
                  fmt::join(differences(*before, now), ", ")),
      "choose another folder with --out; or give --restart, which drops these rows and starts anew");
}

}  // namespace

Log::Log(const std::filesystem::path& folder, Header header, bool anew)
    : folder_(folder), header_(std::move(header)), journal_(folder, journal_name) {
  if (anew) journal_.begin_anew();
  const std::vector<std::string> lines = journal_.records();
  if (lines.empty()) {
    journal_.append(print(header_));
    return;
  }
  refuse_other(folder_, lines.front(), header_);
  for (std::size_t i = 1; i < lines.size(); ++i) add_row(lines[i], rows_);
}

void Log::append(std::span<const std::string> lines) {
  journal_.append(lines);
  for (const std::string& line : lines) add_row(line, rows_);
}

void Log::finish() {
  journal_.close();
  output::add_file(folder_, "sweep.csv", csv(header_, rows_));
  output::add_file(folder_, "sweep.json", json(header_, rows_));
}

Found read_log(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / journal_name;
  const std::string text = read_text(path, {}, largest_file);
  Found found;
  bool is_first = true;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (!is_first) {
      add_row(line, found.rows);
      continue;
    }
    const std::optional<Header> header = parse_header(line);
    if (!header) throw InputError(fmt::format("\"{}\" is no journal of a sweep", path.string()));
    found.header = *header;
    is_first = false;
  }
  if (is_first) throw InputError(fmt::format("\"{}\" has no row yet", path.string()));
  return found;
}

}  // namespace wt::sweep
