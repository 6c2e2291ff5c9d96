#include "collective/library_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"

namespace wt::collective {

namespace {

// NCCL's algorithms and those of the catalog that carry them out. two_shot and the direct exchanges stand for RCCL's
// rings on a full mesh. CollNet isn't considered by the choice, but a user may bar it.
struct AlgorithmRow {
  std::string_view nccl{}, catalog{};
};
constexpr std::array algorithm_rows{AlgorithmRow{"Ring", "ring"},      AlgorithmRow{"Ring", "multi_rail"},
                                    AlgorithmRow{"Ring", "chain"},     AlgorithmRow{"Ring", "two_shot"},
                                    AlgorithmRow{"Tree", "tree"},      AlgorithmRow{"NVLS", "nvls"},
                                    AlgorithmRow{"PAT", "pat"},        AlgorithmRow{"NVLSTree", "nvls_tree"},
                                    AlgorithmRow{"CollnetDirect", ""}, AlgorithmRow{"CollnetChain", ""}};

struct NamedProtocol {
  std::string_view nccl{};
  Protocol protocol{};
};
constexpr std::array protocol_rows{NamedProtocol{"LL", Protocol::ll}, NamedProtocol{"LL128", Protocol::ll128},
                                   NamedProtocol{"Simple", Protocol::simple}};

// As the variables name the operations.
struct NamedOperation {
  std::string_view nccl{};
  Operation operation{};
};
constexpr std::array operation_rows{NamedOperation{"allreduce", Operation::all_reduce},
                                    NamedOperation{"reducescatter", Operation::reduce_scatter},
                                    NamedOperation{"allgather", Operation::all_gather},
                                    NamedOperation{"broadcast", Operation::broadcast},
                                    NamedOperation{"reduce", Operation::reduce}};

// The first versions of NCCL that have what later ones have (its release notes).
struct Since {
  std::string_view what{};
  int major = 0, minor = 0;
};
constexpr std::array algorithms_since{Since{"Tree", 2, 4}, Since{"NVLS", 2, 17}, Since{"NVLSTree", 2, 18},
                                      Since{"PAT", 2, 23}};
constexpr Since ll128_since{"LL128", 2, 5};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char letter : text)
    if (letter == separator)
      parts.emplace_back();
    else if (letter != ' ')
      parts.back() += letter;
  return parts;
}

// The name that a word stands for, in any case of its letters.
std::string_view known_word(const std::string& word, const std::vector<std::string_view>& known,
                            std::string_view variable) {
  for (const std::string_view name : known)
    if (lower(name) == lower(word)) return name;
  throw InputError(fmt::format("\"{}\" is not a word of {}", word, variable), did_you_mean(word, known));
}

// The list of a variable that is for the operation: the last one that names it, or that names none.
std::string list_for(const std::string& value, Operation operation, std::string_view variable) {
  std::vector<std::string_view> operations;
  for (const NamedOperation& row : operation_rows) operations.push_back(row.nccl);
  std::string found;
  for (const std::string& part : split(value, ';')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      found = part;
      continue;
    }
    const std::string_view name = known_word(part.substr(0, colon), operations, variable);
    if (std::ranges::find(operation_rows, name, &NamedOperation::nccl)->operation == operation)
      found = part.substr(colon + 1);
  }
  return found;
}

// The names that the value doesn't allow.
std::vector<std::string_view> barred_by(const std::string& value, Operation operation,
                                        const std::vector<std::string_view>& known,
                                        std::string_view variable) {
  std::string list = list_for(value, operation, variable);
  const bool bars = list.starts_with('^');
  if (bars) list.erase(0, 1);
  if (list.empty()) return {};
  std::vector<std::string_view> named;
  for (const std::string& word : split(list, ',')) named.push_back(known_word(word, known, variable));
  std::vector<std::string_view> barred;
  for (const std::string_view name : known)
    if ((std::ranges::find(named, name) != named.end()) == bars) barred.push_back(name);
  if (barred.size() == known.size())
    throw InputError(fmt::format("{}={} leaves nothing", variable, value),
                     fmt::format("allow one of {}", fmt::join(known, ", ")));
  // NCCL reads its variables for collectives only.
  if (is_point_to_point(operation)) return {};
  return barred;
}

}  // namespace

std::string_view nccl_name(std::string_view algorithm) {
  const auto found = std::ranges::find(algorithm_rows, algorithm, &AlgorithmRow::catalog);
  return found == algorithm_rows.end() ? std::string_view() : found->nccl;
}

bool is_nccl_name(std::string_view word) {
  return std::ranges::find(algorithm_rows, word, &AlgorithmRow::nccl) != algorithm_rows.end();
}

bool allows(const LibrarySettings& settings, const Choice& choice) {
  return std::ranges::find(settings.barred, nccl_name(choice.algorithm)) == settings.barred.end() &&
         std::ranges::find(settings.barred_protocols, choice.protocol) == settings.barred_protocols.end();
}

void set_algorithms(LibrarySettings& settings, Operation operation, const std::string& value) {
  std::vector<std::string_view> known;
  for (const AlgorithmRow& row : algorithm_rows)
    if (std::ranges::find(known, row.nccl) == known.end()) known.push_back(row.nccl);
  for (const std::string_view name : barred_by(value, operation, known, "NCCL_ALGO"))
    settings.barred.push_back(name);
}

void set_protocols(LibrarySettings& settings, Operation operation, const std::string& value) {
  std::vector<std::string_view> known;
  for (const NamedProtocol& row : protocol_rows) known.push_back(row.nccl);
  for (const std::string_view name : barred_by(value, operation, known, "NCCL_PROTO"))
    settings.barred_protocols.push_back(
        std::ranges::find(protocol_rows, name, &NamedProtocol::nccl)->protocol);
}

void set_version(LibrarySettings& settings, const std::string& value) {
  std::vector<int> numbers;
  for (const std::string& part : split(value, '.')) {
    const bool is_number =
        !part.empty() && part.size() < 4 &&
        std::ranges::all_of(part, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    numbers.push_back(is_number ? std::stoi(part) : -1);
  }
  if (numbers.size() < 2 || numbers.size() > 3 || std::ranges::min(numbers) < 0 || numbers[0] < 2)
    throw InputError(fmt::format("\"{}\" is not a version of NCCL", value),
                     "write it as 2.27 or 2.27.7, from 2.0 on");
  const auto is_older = [&](const Since& since) {
    return std::pair(numbers[0], numbers[1]) < std::pair(since.major, since.minor);
  };
  for (const Since& since : algorithms_since)
    if (is_older(since)) settings.barred.push_back(since.what);
  if (is_older(ll128_since)) settings.barred_protocols.push_back(Protocol::ll128);
}

}  // namespace wt::collective
