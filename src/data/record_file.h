#pragma once
// The records of a TFRecord file, plain or compressed by GZIP or ZLIB, as tf.io.TFRecordWriter writes them. All numbers are
// little-endian:
//
//   length: uint64 | masked CRC-32C of the length: uint32 | data | masked CRC-32C of the data: uint32
//
// From tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format details". Read next: example.h, which
// reads the data of a record.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace wt::data {

struct Record {
  std::string_view data{};
  std::size_t begin = 0;  // of the record in the unpacked file
  bool is_intact = true;  // whether the data have the checksum that the file states
};

class RecordFile {
 public:
  // Throws InputError if the file is no TFRecord file, ends within a record, or states a wrong checksum of a
  // length, behind which no record can be found. Wrong data are left to the caller, who reports all of them.
  RecordFile(const std::filesystem::path& path, const Place& named_at);

  const std::vector<Record>& records() const { return records_; }  // views of this object
  const std::string& name() const { return name_; }

 private:
  void find_records();
  [[noreturn]] void refuse(std::size_t at, std::string fact, std::string remedy) const;

  std::string name_;
  std::string content_;
  std::vector<Record> records_{};
};

}  // namespace wt::data
