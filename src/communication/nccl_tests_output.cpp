#include "communication/nccl_tests_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/utf8.h"

namespace wt::communication {

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// mpirun --tag-output marks each line with "[1,0]<stdout>:", srun --label with "0: ".
std::string_view without_mark(std::string_view line) {
  const std::size_t end = line.find("<stdout>:");
  if (line.starts_with('[') && end != std::string_view::npos) line.remove_prefix(end + 9);
  const std::size_t task = line.find_first_not_of(' '), colon = line.find_first_not_of("0123456789 ");
  if (colon != std::string_view::npos && task < colon && line.substr(colon).starts_with(": "))
    line.remove_prefix(colon + 2);
  return line;
}

struct Program {
  std::string_view name{};
  collective::Operation operation{};
};
constexpr std::string_view suffix = "_perf";  // of every program
constexpr std::array programs{Program{"all_reduce_perf", collective::Operation::all_reduce},
                              Program{"all_gather_perf", collective::Operation::all_gather},
                              Program{"reduce_scatter_perf", collective::Operation::reduce_scatter},
                              Program{"broadcast_perf", collective::Operation::broadcast},
                              Program{"reduce_perf", collective::Operation::reduce},
                              Program{"alltoall_perf", collective::Operation::all_to_all},
                              Program{"gather_perf", collective::Operation::gather},
                              Program{"scatter_perf", collective::Operation::scatter},
                              Program{"sendrecv_perf", collective::Operation::sendrecv}};

// The whole word, since "reduce_perf" is a part of "all_reduce_perf". NVIDIA's containers have "all_reduce_perf_mpi".
std::optional<collective::Operation> operation_in(std::string_view line) {
  const auto is_letter = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (const Program& program : programs)
    for (std::size_t at = line.find(program.name); at != std::string_view::npos;
         at = line.find(program.name, at + 1)) {
      std::size_t end = at + program.name.size();
      if (line.substr(end).starts_with("_mpi")) end += 4;
      const bool is_whole =
          (at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]));
      if (is_whole) return program.operation;
    }
  return std::nullopt;
}

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

class TableReader {
 public:
  explicit TableReader(const std::string& file)
      : file_(file), table_{.name = printable(std::filesystem::path(file).filename().string())} {}

  MeasuredTable read(const std::string& text) && {
    std::istringstream stream(text);
    int number = 0;
    for (std::string line; std::getline(stream, line);) read_line(without_mark(line), ++number);
    if (ranks_ > 0) table_.ranks = ranks_;
    if (!machines_.empty()) table_.machines = std::ssize(machines_);
    problems_.throw_if_any();
    if (table_.rows.empty())
      throw InputError(
          Problem{Place{.file = file_}, "has no table of nccl-tests",
                  "give the output of all_reduce_perf or another of its programs, as it is printed"});
    return std::move(table_);
  }

 private:
  void read_line(std::string_view line, int number) {
    if (!table_.operation) table_.operation = operation_in(line);
    Words words = words_of(line);
    if (words.empty()) return;
    if (words[0].starts_with('#')) return read_comment(words);
    fill_reduction(words);
    if (columns_.empty() || words.size() != columns_.size() || !number_in<std::int64_t>(words[0])) return;
    read_row(words, number);
  }

  // Some versions leave the cell of "redop" blank for operations that add nothing, so a number stands in its place.
  void fill_reduction(Words& words) const {
    const auto column = std::ranges::find(columns_, "redop") - columns_.begin();
    if (words.size() + 1 != columns_.size() || column >= std::ssize(words)) return;
    if (number_in<double>(words[static_cast<std::size_t>(column)]))
      words.insert(words.begin() + column, "none");
  }

  void read_comment(const Words& words) {
    if (words.size() > 3 && words[1] == "Rank" && number_in<std::int64_t>(words[2])) read_rank(words);
    // "# nThread 1 nGpus 8 minBytes 8 ..."
    if (words.size() > 4 && words[1] == "nThread" && words[3] == "nGpus")
      if (const auto threads = number_in<std::int32_t>(words[2]), each = number_in<std::int32_t>(words[4]);
          threads && each)
        table_.driven = std::int64_t{*threads} * *each;
    const bool is_head =
        std::ranges::find(words, "size") != words.end() && std::ranges::find(words, "time") != words.end();
    if (is_head) columns_.assign(words.begin() + (words[0] == "#" ? 1 : 0), words.end());
  }

  // "#  Rank  0 Group  0 Pid 4711 on  node-1 device  0 [0x07] NVIDIA H100"
  void read_rank(const Words& words) {
    ++ranks_;
    const auto on = std::ranges::find(words, "on");
    if (std::distance(on, words.end()) > 1) machines_.insert(*std::next(on));
  }

  // The cell below the n-th column of this name. Null: there is none.
  const std::string* cell(const Words& words, std::string_view column, int n = 0) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == column && n-- == 0) return &words[i];
    return nullptr;
  }

  void read_row(const Words& words, int number) {
    const std::int64_t bytes = *number_in<std::int64_t>(words[0]);
    if (bytes < 1) return;  // programs print a row of 0 bytes where a size is too small for all ranks
    MeasuredRow row{.bytes = Bytes(bytes)};
    const auto text = [&](std::string_view column) {
      const std::string* found = cell(words, column);
      return found == nullptr ? std::string() : *found;
    };
    row.count = number_in<std::int64_t>(text("count")).value_or(0);
    row.type = printable(text("type"));
    row.reduction = printable(text("redop"));
    row.root = number_in<std::int64_t>(text("root")).value_or(-1);
    const auto outside = time_in(words, 0);
    if (!outside) {
      problems_.add(Place{.file = file_, .line = number, .column = 1},
                    fmt::format("the row of {} has no time above zero", row.bytes),
                    "give the output as it was printed");
      return;
    }
    row.out_of_place = *outside;
    row.in_place = time_in(words, 1);
    table_.rows.push_back(std::move(row));
  }

  // The n-th group of the columns time, algbw, busbw.
  std::optional<MeasuredTime> time_in(const Words& words, int n) const {
    const auto value = [&](std::string_view column) {
      const std::string* found = cell(words, column, n);
      return found == nullptr ? std::nullopt : number_in<double>(*found);
    };
    const std::optional<double> time = value("time");
    if (!time || !(*time > 0) || *time > 1e15) return std::nullopt;
    MeasuredTime measured{.time = Seconds(*time / 1e6),
                          .algbw = value("algbw").value_or(0),
                          .busbw = value("busbw").value_or(0)};
    if (const std::string* wrong = cell(words, "#wrong", n)) measured.wrong = number_in<std::int64_t>(*wrong);
    return measured;
  }

  const std::string& file_;
  MeasuredTable table_;
  Problems problems_{};
  Words columns_{};
  std::int64_t ranks_ = 0;
  std::set<std::string> machines_{};
};

}  // namespace

std::optional<collective::Operation> operation_of_program(std::string_view name) {
  for (const Program& program : programs)
    if (name == program.name || name == program.name.substr(0, program.name.size() - suffix.size()))
      return program.operation;
  return std::nullopt;
}

MeasuredTable read_nccl_tests(const std::string& text, const std::string& file) {
  return TableReader(file).read(text);
}

}  // namespace wt::communication
