#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output/lock.h"

namespace wt::output {

// A file in a folder of results to which a long task appends a line for each part that it has finished. A task
// that was killed continues: records() are the lines that were on the disk by then. Its folder is in place from
// the first line on. The journal holds the folder's lock.
class Journal {
 public:
  // Makes the folder, or continues the journal in it. Throws InputError if the folder contains what this
  // program did not write, or if another process writes it.
  explicit Journal(const std::filesystem::path& folder, std::string name = "journal.jsonl");

  // Removes all records.
  void begin_anew();

  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const std::vector<std::string>& records() const { return records_; }

  // Returns when the line is on the disk, or all lines. Requires: a record has no line break.
  void append(std::string_view record);
  void append(std::span<const std::string> records);

  void close();  // the journal is complete; its size enters the manifest

 private:
  void open();
  void read_records();
  void cut_off(std::size_t size);
  void write(std::string_view record);
  void sync();

  std::filesystem::path folder_;
  std::string name_;
  std::optional<Lock> lock_{};
  std::vector<std::string> records_{};
  int descriptor_ = -1;
};

}  // namespace wt::output
