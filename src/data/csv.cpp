#include "data/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/file.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "data/csv_columns.h"
#include "data/csv_text.h"
#include "data/empty_rows.h"
#include "data/gzip.h"
#include "data/number_text.h"

namespace wt::data {
namespace {

// What pandas.read_csv takes for a missing value.
constexpr std::array<std::string_view, 19> missing_words{
    "",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A",  "NA",       "NULL", "NaN",     "None",     "n/a",  "nan",  "null"};

bool is_missing(std::string_view text) {
  return std::ranges::find(missing_words, trimmed(text)) != missing_words.end();
}

// Reads the records of one file into tensors.
class CsvReader {
 public:
  CsvReader(const CsvRows& wanted, const NamedFile& file)
      : wanted_(wanted),
        file_(file.path.string()),
        content_(read_unpacked(file.path, file.named_at, largest_text_file)),
        text_(content_, file_, wanted.delimiter),
        names_(names_of_columns(file.named_at)),
        chosen_(choose_columns(wanted, names_, wanted.names.empty(), file_, problems_)) {}

  std::shared_ptr<const Rows> read() {
    problems_.throw_if_any();
    const auto most = static_cast<std::int64_t>(text_.most_records());
    tensors_ = empty_rows(chosen_.rows, most, file_);
    const std::int64_t count = read_records();
    problems_.throw_if_any();
    for (Tensor& tensor : tensors_) tensor = tensor.rows(0, count);
    return rows_of(std::move(tensors_));
  }

 private:
  std::vector<std::string> names_of_columns(const Place& named_at) {
    if (!wanted_.names.empty()) return wanted_.names;
    if (!text_.next(record_))
      throw InputError(
          Problem{named_at, fmt::format("\"{}\" is empty", file_), "its first row has the names of columns"});
    std::vector<std::string> names;
    for (const CsvField& field : record_) names.emplace_back(trimmed(field.text));
    return names;
  }

  bool is_full() const { return problems_.found().size() >= most_problems_of_data; }

  std::int64_t read_records() {
    std::int64_t count = 0;
    try {
      for (; !is_full() && text_.next(record_); ++count) {
        read_record(count);
        is_first_ = false;
      }
    } catch (const InputError& error) {  // a quote that hides where the next fields are
      for (const Problem& problem : error.problems()) problems_.add(problem);
    }
    report_words();
    return count;
  }

  void read_record(std::int64_t row) {
    if (record_.size() != names_.size()) return refuse_record();
    for (const Column& column : chosen_.columns) {
      const std::int64_t first = row * chosen_.rows[column.tensor].elements();
      if (column.classes != nullptr || column.below > 0)
        store_class(column, first);
      else
        store_number(column, first + column.position);
    }
  }

  // ---- Numbers

  void store_number(const Column& column, std::int64_t at) {
    Tensor& tensor = tensors_[column.tensor];
    with_type(tensor.type(), [&]<class T>(T) {
      const Number<T> number = to_number<T>(record_[column.field].text);
      if (number.value)
        tensor.values<T>()[static_cast<std::size_t>(at)] = *number.value;
      else
        refuse(column, number.fact);
    });
  }

  // `first` is the position of the row's first number.
  void store_class(const Column& column, std::int64_t first) {
    const std::optional<std::int64_t> number =
        column.classes != nullptr ? position_among(*column.classes, column) : whole_number(column);
    if (!number || !is_within(column, *number)) return;
    Tensor& tensor = tensors_[column.tensor];
    const std::int64_t at = first + (column.one_hot ? *number : column.position);
    with_type(tensor.type(), [&]<class T>(T) {
      tensor.values<T>()[static_cast<std::size_t>(at)] = static_cast<T>(column.one_hot ? 1 : *number);
    });
  }

  std::optional<std::int64_t> whole_number(const Column& column) {
    const Number<std::int64_t> number = to_number<std::int64_t>(record_[column.field].text);
    if (!number.value) refuse(column, number.fact);
    return number.value;
  }

  std::optional<std::int64_t> position_among(const std::vector<std::string>& classes, const Column& column) {
    const std::string_view word = trimmed(record_[column.field].text);
    const auto found = std::ranges::find(classes, word);
    if (found != classes.end()) return found - classes.begin();
    if (is_missing(word))
      refuse(column, {});
    else
      add(column, fmt::format("\"{}\" is not a class of \"{}\"", printable(word), printable(column.name)),
          did_you_mean(word, std::vector<std::string_view>(classes.begin(), classes.end())));
    return std::nullopt;
  }

  bool is_within(const Column& column, std::int64_t number) {
    if (column.below == 0 || (number >= 0 && number < column.below)) return true;
    add(column,
        fmt::format("\"{}\" in \"{}\" is {}, and the model takes 0 to {}",
                    printable(trimmed(record_[column.field].text)), printable(column.name), number,
                    column.below - 1),
        "classes and ids are counted from 0");
    return false;
  }

  // ---- Problems

  void add(const Column& column, std::string fact, std::string remedy) {
    if (!is_full()) problems_.add(text_.place(record_[column.field]), std::move(fact), std::move(remedy));
  }

  void refuse_record() {
    const CsvField& field = record_.size() > names_.size() ? record_[names_.size()] : record_.back();
    problems_.add(
        text_.place(field),
        fmt::format("this row has {} fields, and there are {} columns", record_.size(), names_.size()),
        fmt::format("'{}' separates fields, and those that contain it are put in quotes", wanted_.delimiter));
  }

  void refuse(const Column& column, std::string_view fact) {
    const std::string name = printable(column.name), text = printable(trimmed(record_[column.field].text));
    if (is_missing(record_[column.field].text))
      return add(column, fmt::format("the value of \"{}\" is missing", name),
                 "fill it in, or leave the row out (in pandas: fillna, dropna)");
    const bool may_be_name = !wanted_.names.empty() && text == name;
    const bool is_word = fact == to_number<double>("word").fact && !may_be_name;
    if (words_.contains(column.field) || (is_first_ && is_word)) return add_word(column, text);
    add(column, fmt::format("\"{}\" in \"{}\" {}", text, name, fact),
        may_be_name ? R"(the first row has the names already: leave "names" out)" : "write a number");
  }

  // A column whose first value is a word is one problem, not one for each row.
  void add_word(const Column& column, const std::string& word) {
    const auto [found, is_new] = words_.try_emplace(column.field);
    if (is_new) found->second.first = text_.place(record_[column.field]);
    if (found->second.all.size() < most_words) found->second.all.insert(fmt::format("\"{}\"", word));
  }

  void report_words() {
    for (const auto& [field, words] : words_) {
      const std::string name = printable(names_[field]);
      const bool is_long = words.all.size() == most_words;
      problems_.add(
          words.first, fmt::format("\"{}\" has words, and numbers are needed", name),
          fmt::format("list the words, which are read as their positions: \"classes\": {{\"{}\": [{}{}]}}",
                      name, fmt::join(words.all, ", "), is_long ? ", ..." : ""));
    }
  }

  static constexpr std::size_t most_words = 12;
  struct Words {
    Place first{};
    std::set<std::string> all{};
  };

  const CsvRows& wanted_;
  std::string file_;
  std::string content_;
  CsvText text_;
  Problems problems_{};
  std::vector<CsvField> record_{};
  std::vector<std::string> names_;
  Columns chosen_;
  std::vector<Tensor> tensors_{};
  bool is_first_ = true;                  // whether the first record is read
  std::map<std::size_t, Words> words_{};  // by field, of columns that have words instead of numbers
};

}  // namespace

Dataset read_csv(const CsvRows& wanted) {
  std::vector<std::shared_ptr<const Rows>> files;
  for (const NamedFile& file : wanted.files) {
    files.push_back(CsvReader(wanted, file).read());
    if (files.back()->specs() != files.front()->specs())
      throw InputError(Problem{file.named_at,
                               fmt::format("\"{}\" has another number of columns than \"{}\"",
                                           file.path.string(), wanted.files.front().path.string()),
                               "all files must have the same columns"});
  }
  return Dataset::from_files(std::move(files), names_of(wanted.files));
}

}  // namespace wt::data
