#include "collective/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <numeric>

#include "base/error.h"
#include "base/narrow.h"
#include "base/suggest.h"

namespace wt::collective {

namespace {

// No machine has as many ranks, and sums of a few such numbers still fit into an int.
constexpr int largest_option = 1 << 22;

int number(std::string_view key, std::string_view text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value == 0 ||
      value > largest_option)
    throw InputError(fmt::format("\"{}\" is not a valid value of {}", text, key),
                     fmt::format("give a whole number from {} to {}{}", least < 0 ? least : 1, largest_option,
                                 least < 0 ? ", not 0" : ""));
  return value;
}

std::vector<int> shape(std::string_view text) {
  std::vector<int> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    sizes.push_back(number("shape", text.substr(begin, end - begin), 1));
    begin = end + 1;
  }
  return sizes;
}

std::string axes(std::string_view text) {
  if (text.find_first_not_of(axis_names) != std::string_view::npos)
    throw InputError(fmt::format("\"{}\" is not a valid value of lines", text),
                     "name axes of the shape: x, y, z");
  return std::string(text);
}

bool truth(std::string_view key, std::string_view text) {
  if (text != "true" && text != "false")
    throw InputError(fmt::format("\"{}\" is not a valid value of {}", text, key), "give true or false");
  return text == "true";
}

struct OptionRow {
  std::string_view name{};
  void (*set)(Options& options, std::string_view value) = nullptr;
};

constexpr std::array<OptionRow, 10> rows{{
    {"shape", [](Options& options, std::string_view value) { options.shape = shape(value); }},
    {"lines", [](Options& options, std::string_view value) { options.lines = axes(value); }},
    {"cores", [](Options& options, std::string_view value) { options.cores = number("cores", value, 1); }},
    {"slices", [](Options& options, std::string_view value) { options.slices = number("slices", value, 1); }},
    {"segments",
     [](Options& options, std::string_view value) { options.segments = number("segments", value, 1); }},
    {"lanes", [](Options& options, std::string_view value) { options.lanes = number("lanes", value, 1); }},
    {"servers",
     [](Options& options, std::string_view value) { options.servers = number("servers", value, 1); }},
    {"packs", [](Options& options, std::string_view value) { options.packs = number("packs", value, 1); }},
    {"subdivisions",
     [](Options& options, std::string_view value) {
       options.subdivisions = number("subdivisions", value, -1);
     }},
    {"faithful",
     [](Options& options, std::string_view value) { options.faithful = truth("faithful", value); }},
}};

}  // namespace

bool is_line(const Options& options, std::size_t axis) {
  return axis < axis_names.size() && options.lines.find(axis_names[axis]) != std::string::npos;
}

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  for (const OptionRow& row : rows) names.push_back(row.name);
  return names;
}

void set_option(Options& options, std::string_view key, std::string_view value) {
  for (const OptionRow& row : rows)
    if (row.name == key) return row.set(options, value);
  throw InputError(fmt::format("\"{}\" is not an option of a collective", key),
                   did_you_mean(key, option_names()));
}

void set_torus(Options& options, const std::vector<int>& chips, const std::vector<bool>& wraps, int cores) {
  options.shape.clear();
  options.lines.clear();
  options.cores = cores;
  for (std::size_t axis = 0; axis < chips.size(); ++axis) {
    if (chips[axis] == 1) continue;
    if (!wraps[axis]) options.lines += axis_names[options.shape.size()];
    options.shape.push_back(chips[axis]);
  }
}

std::vector<int> equal_factors(int number, int count) {
  if (count == 1) return number > 1 ? std::vector<int>{number} : std::vector<int>{};
  std::vector<int> best;
  for (int factor = 2; factor * 2 <= number; ++factor) {
    if (number % factor != 0) continue;
    std::vector<int> rest = equal_factors(number / factor, count - 1);
    if (rest.empty() || rest.front() > factor) continue;
    rest.insert(rest.begin(), factor);
    if (best.empty() ||
        std::accumulate(rest.begin(), rest.end(), 0) < std::accumulate(best.begin(), best.end(), 0))
      best = rest;
  }
  return best;
}

std::vector<int> shape_of(const Request& request, int levels) {
  if (request.options.shape.empty()) return equal_factors(request.ranks, levels);
  const std::vector<int>& shape = request.options.shape;
  // A product beyond all ranks grows no further, so that it stays a number.
  const std::int64_t product = std::accumulate(
      shape.begin(), shape.end(), std::int64_t{1},
      [&](std::int64_t so_far, int extent) { return so_far > request.ranks ? so_far : so_far * extent; });
  if (product != request.ranks)
    throw InputError(
        fmt::format("shape {} holds {} ranks, not {}", fmt::join(shape, "x"), product, request.ranks));
  return shape;
}

int count_of_chunks(const Request& request, std::int64_t chunks) {
  if (chunks > most_chunks)
    throw InputError(
        fmt::format("{} chunks among {} ranks are more than {}", chunks, request.ranks, most_chunks),
        "take fewer ranks or larger pieces");
  return narrow<int>(chunks);
}

Schedule schedule_of(Operation operation, const Request& request, std::int64_t chunks, Rule rule) {
  Contract contract{.operation = operation, .ranks = request.ranks, .root = request.root};
  contract.cut = {.elements = request.elements, .chunks = count_of_chunks(request, chunks)};
  return {{}, contract, std::move(rule)};
}

}  // namespace wt::collective
