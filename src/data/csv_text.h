#pragma once
// The records and fields of a CSV text, as RFC 4180 describes them:
//
//   name,"in Paris, ""today"""     ->  {name}, {in Paris, "today"}
//
// A quoted field may contain delimiters, line breaks, and quotes that are written twice. A line ends with \n,
// \r\n or \r. Blank lines and the byte order mark of UTF-8 are skipped. This file knows nothing of columns
// and numbers; csv.h makes a dataset of them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace wt::data {

struct CsvField {
  std::string_view text{};  // without quotes; lives until the next record is read
  std::size_t begin = 0;    // the bytes [begin, end) of the whole text, with quotes
  std::size_t end = 0;
};

class CsvText {
 public:
  // Both must outlive this object. `file` is the name in error messages.
  CsvText(const std::string& text, const std::string& file, char delimiter);

  // Reads the next record, and returns false after the last one. Throws InputError for a quote that is
  // not closed or stands inside a field without quotes: where the following fields begin is then unknown.
  bool next(std::vector<CsvField>& record);

  Place place(const CsvField& field) const;
  std::size_t most_records() const;  // at least as many records as the text has

 private:
  CsvField field();
  CsvField quoted_field();
  [[noreturn]] void refuse(std::size_t begin, std::size_t end, std::string fact, std::string remedy) const;
  bool is_line_end(std::size_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }
  std::size_t after_line_end(std::size_t at) const;
  void skip_blank_lines();

  const std::string& text_;
  const std::string& file_;
  char delimiter_;
  std::size_t next_ = 0;
  std::vector<std::string> unescaped_{};  // fields of this record that contain quotes
};

}  // namespace wt::data
