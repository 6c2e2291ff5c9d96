#include "base/output/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/crash_point.h"
#include "base/file.h"
#include "base/output/manifest.h"
#include "base/output/place.h"
#include "base/output/settle.h"
#include "base/output_folder.h"
#include "base/standard_streams.h"

namespace wt::output {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

// A folder with an empty journal, which appears whole. The results of something else are not replaced.
void make_folder(const fs::path& folder, const std::string& name) {
  std::error_code error;
  if (fs::exists(folder) && !fs::is_empty(folder, error))
    throw InputError(fmt::format("\"{}\" is there, and has no \"{}\" to continue", folder.string(), name),
                     "choose another folder with --out, or remove it yourself");
  OutputFolder fresh(folder);
  fresh.begin("an empty " + name);
  fresh.write(name, "");
  fresh.commit();
}

void name_in_manifest(const fs::path& folder, const std::string& name, std::optional<Bytes> size) {
  Manifest manifest = manifest_of(folder).value_or(Manifest{});
  manifest.files[name] = size;
  write_manifest(folder, manifest);
}

}  // namespace

Journal::Journal(const fs::path& folder, std::string name) : folder_(whole(folder)), name_(std::move(name)) {
  check_output_name(name_, {});
  if (!fs::exists(folder_ / name_)) make_folder(folder_, name_);
  lock_.emplace(folder_);
  settle(folder_, *lock_);
  refuse_foreign(folder_);
  name_in_manifest(folder_, name_, std::nullopt);
  crash_point("the journal may grow");
  open();
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::open() {
  read_records();
  const fs::path path = folder_ / name_;
  descriptor_ = above_standard_streams(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (descriptor_ < 0) fail_to_write(path, last_error());
  std::size_t size = 0;
  for (const std::string& record : records_) size += record.size() + 1;
  // What follows the last line break is a line that a killed process had not finished.
  cut_off(size);
}

void Journal::cut_off(std::size_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::fsync(descriptor_) != 0)
    fail_to_write(folder_ / name_, last_error());
}

void Journal::begin_anew() {
  cut_off(0);
  records_.clear();
}

void Journal::read_records() {
  const std::string text = read_text(folder_ / name_, {}, largest_file);
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    records_.push_back(text.substr(begin, end - begin));
}

void Journal::append(std::string_view record) {
  write(record);
  sync();
}

void Journal::append(std::span<const std::string> records) {
  if (records.empty()) return;
  for (const std::string& record : records) write(record);
  sync();
}

void Journal::write(std::string_view record) {
  WT_EXPECT(descriptor_ >= 0 && record.find('\n') == std::string_view::npos, "\"{}\" is not a line", record);
  const std::string line = std::string(record) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    // Half of the line first, so that a test can end the process between the halves.
    const std::size_t part = rest.size() == line.size() ? (line.size() + 1) / 2 : rest.size();
    const ssize_t count = ::write(descriptor_, rest.data(), part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(folder_ / name_, last_error());
    rest.remove_prefix(static_cast<std::size_t>(count));
    crash_point("a part of a line is written");
  }
  records_.emplace_back(record);
}

void Journal::sync() {
  if (::fdatasync(descriptor_) != 0) fail_to_write(folder_ / name_, last_error());
  crash_point("a line is on the disk");
}

void Journal::close() {
  WT_EXPECT(descriptor_ >= 0, "the journal {} is closed twice", name_);
  ::close(descriptor_);
  descriptor_ = -1;
  name_in_manifest(folder_, name_, Bytes(static_cast<std::int64_t>(fs::file_size(folder_ / name_))));
  lock_.reset();
}

}  // namespace wt::output
