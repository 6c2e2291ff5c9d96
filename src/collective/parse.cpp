#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/id.h"
#include "base/narrow.h"
#include "base/suggest.h"
#include "collective/line.h"
#include "collective/print.h"

namespace wt::collective {

namespace {

// A file beyond these limits is a mistake, and its verification would only exhaust the memory.
constexpr int most_ranks = 1 << 20, most_slots = 1 << 24;
constexpr std::int64_t most_moved = 1 << 26;
constexpr std::int64_t most_elements = std::int64_t{1} << 50;

int small(std::int64_t number) { return narrow<int>(number); }

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  Expanded parse(std::string_view text) {
    int number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = text.substr(begin, end - begin);
      line = line.substr(0, line.find_first_of("#\r"));
      parse_line({line, ++number, file_, problems_});
      begin = end + 1;
    }
    check_whole();
    problems_.throw_if_any();
    return std::move(schedule_);
  }

 private:
  void parse_line(Line line) {
    if (line.at_end()) return;
    const std::string_view key = line.word();
    if ('0' <= key.front() && key.front() <= '9')
      parse_step(line, key);
    else
      parse_header(line, key);
    line.want_end();
  }

  void parse_header(Line& line, std::string_view key);
  void parse_operation(Line& line);
  void parse_cut(Line& line);
  void parse_step(Line& line, std::string_view id);
  void parse_dependencies(Line& line, std::vector<Dependency>& list);
  Chunks parse_chunks(Line& line);
  void check_whole();

  const std::string& file_;
  Expanded schedule_{};
  Contract& contract_ = schedule_.contract;
  Problems problems_{};
};

void Parser::parse_header(Line& line, std::string_view key) {
  static constexpr std::array<std::string_view, 9> keys{"schedule", "operation", "ranks", "helpers", "root",
                                                        "cut",      "scratch",   "input", "left_out"};
  if (key == "schedule")
    schedule_.name = std::string(line.word());
  else if (key == "operation")
    parse_operation(line);
  else if (key == "ranks")
    contract_.ranks = small(line.number(1, most_ranks));
  else if (key == "helpers")
    contract_.helpers = small(line.number(0, most_ranks));
  else if (key == "root")
    contract_.root = small(line.number(0, most_ranks));
  else if (key == "cut")
    parse_cut(line);
  else if (key == "scratch")
    contract_.scratch = small(line.number(0, most_slots));
  else if (key == "input")
    contract_.input_slot = small(line.number(0, most_slots));
  else if (key == "left_out")
    while (!line.broken() && !line.at_end()) contract_.left_out.push_back(small(line.number(0, most_ranks)));
  else
    line.fail(fmt::format("unknown key \"{}\"", key), did_you_mean(key, keys));
}

void Parser::parse_operation(Line& line) {
  const std::string_view given = line.word();
  std::vector<std::string_view> known;
  for (const OperationRow& row : operations()) {
    if (row.name == given) {
      contract_.operation = row.operation;
      return;
    }
    known.push_back(row.name);
  }
  line.fail(fmt::format("\"{}\" is not an operation", given), did_you_mean(given, known));
}

void Parser::parse_cut(Line& line) {
  Cut& cut = contract_.cut;
  cut.elements = line.number(0, most_elements);
  line.want("elements");
  line.want("into");
  cut.chunks = small(line.number(1, most_slots));
  line.want("chunks");
  if (line.take("of")) cut.per_chunk = line.number(1, most_elements);
  if (line.take("in")) {
    cut.rows = small(line.number(1, cut.chunks));
    line.want("rows");
  }
}

void Parser::parse_step(Line& line, std::string_view id) {
  const auto expected = static_cast<std::int64_t>(schedule_.steps.size());
  line.number_in(id, expected, expected);
  Step step;
  if (line.take("reduce"))
    step.move.effect = Effect::reduce;
  else
    line.want("copy");
  step.move.source = small(line.number(0, 2 * most_ranks));
  line.want("to");
  step.move.target = small(line.number(0, 2 * most_ranks));
  line.want("chunks");
  step.move.chunks = parse_chunks(line);
  if (line.take("at")) {
    const Chunks landing = parse_chunks(line);
    step.move.shift = landing.first() - step.move.chunks.first();
    if (!line.broken() && landing != step.move.landing())
      line.fail(
          fmt::format("chunks {} cannot land in slots {}, because all must be shifted by the same number",
                      print(step.move.chunks), print(landing)));
  }
  if (line.take("line")) step.move.line = small(line.number(0, 1 << 30));
  if (line.take("start")) parse_dependencies(line, step.start);
  if (line.take("apply")) parse_dependencies(line, step.apply);
  schedule_.steps.push_back(std::move(step));
}

// For example "3 5.sent".
void Parser::parse_dependencies(Line& line, std::vector<Dependency>& list) {
  while (!line.broken() && !line.at_end() && !line.is_next("apply")) {
    std::string_view word = line.word();
    const bool sent = word.ends_with(".sent");
    if (sent) word.remove_suffix(5);
    list.push_back({small(line.number_in(word, 0, 1 << 30)), sent ? Until::sent : Until::done});
  }
}

// For example "0-3,7".
Chunks Parser::parse_chunks(Line& line) {
  Chunks chunks;
  if (line.broken()) return chunks;
  const std::string_view word = line.word();
  int end = 0;
  for (std::size_t begin = 0; begin <= word.size() && !line.broken();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    const std::string_view range = word.substr(begin, comma - begin);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const int first = small(line.number_in(range.substr(0, dash), end, most_slots));
    end =
        1 + (dash == range.size() ? first : small(line.number_in(range.substr(dash + 1), first, most_slots)));
    chunks.add({first, end - first});
    begin = comma + 1;
  }
  return chunks;
}

// Finds mistakes that show only in several lines together.
void Parser::check_whole() {
  const auto fail = [&](std::string fact, std::string remedy) {
    problems_.add({.file = file_}, std::move(fact), std::move(remedy));
  };
  const Cut& cut = contract_.cut;
  if (cut.elements == 0)
    fail("the schedule has no \"cut\" line, or cuts 0 elements",
         "add a line like: cut 8 elements into 2 chunks");
  if (cut.chunks % cut.rows != 0 || cut.elements % cut.rows != 0)
    fail(fmt::format("{} elements in {} chunks cannot be divided into {} equal rows", cut.elements,
                     cut.chunks, cut.rows),
         {});
  const OperationRow& row = operations()[index(contract_.operation)];
  const bool has_owners = row.brings == Holders::owner || row.wants == Holders::owner;
  const std::int64_t ranks = contract_.ranks;
  const std::int64_t parts = row.brings == Holders::row ? ranks * ranks : has_owners ? ranks : 1;
  if (cut.chunks % parts != 0)
    fail(fmt::format("{} among {} ranks needs a multiple of {} chunks, and there are {}", row.name,
                     contract_.ranks, parts, cut.chunks),
         {});
  if (contract_.root >= contract_.ranks)
    fail(fmt::format("rank {} can't be the root of {} ranks", contract_.root, contract_.ranks), {});
  if (contract_.input_slot + cut.chunks > contract_.slots())
    fail(fmt::format("the input of {} chunks from slot {} on needs more than {} slots", cut.chunks,
                     contract_.input_slot, contract_.slots()),
         "raise \"scratch\"");
  if (std::int64_t{contract_.members()} * contract_.slots() > most_slots)
    fail(fmt::format("{} ranks and helpers with {} slots each are too many to verify: the limit is {} slots",
                     contract_.members(), contract_.slots(), most_slots),
         {});
  std::int64_t moved = 0;
  for (const Step& step : schedule_.steps) moved += step.move.chunks.count();
  if (moved > most_moved)
    fail(fmt::format("{} chunks are moved, too many to verify: the limit is {}", moved, most_moved), {});
  std::sort(contract_.left_out.begin(), contract_.left_out.end());
}

}  // namespace

Expanded parse_schedule(std::string_view text, const std::string& file) { return Parser(file).parse(text); }

}  // namespace wt::collective
