#include "cli/collective_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/plausible.h"
#include "base/suggest.h"
#include "communication/constants.h"

namespace wt::cli {

namespace {

using collective::Operation;

constexpr std::size_t most_sizes = 1000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

constexpr std::array<communication::ElementType, 12> types{{{"float32", "float", 4, Type::float32},
                                                            {"float64", "double", 8, Type::float64},
                                                            {"float16", "half", 2, Type::uint8},
                                                            {"bfloat16", "", 2, Type::uint8},
                                                            {"float8_e4m3", "f8e4m3", 1, Type::uint8},
                                                            {"float8_e5m2", "f8e5m2", 1, Type::uint8},
                                                            {"int8", "", 1, Type::uint8},
                                                            {"uint8", "", 1, Type::uint8},
                                                            {"int32", "", 4, Type::int32},
                                                            {"uint32", "", 4, Type::int32},
                                                            {"int64", "", 8, Type::int64},
                                                            {"uint64", "", 8, Type::int64}}};
constexpr std::array<std::string_view, 5> reductions{"sum", "prod", "max", "min", "avg"};

// The row with this name. Throws InputError if there is none; `kind` completes the sentence "X is not ...".
template <class Rows, class NameOf>
const auto& row_named(const Rows& rows, NameOf name_of, std::string_view wanted, std::string_view kind) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) {
    if (name_of(row) == wanted) return row;
    known.push_back(name_of(row));
  }
  throw InputError(fmt::format("\"{}\" is not {}", wanted, kind), did_you_mean(wanted, known));
}

Operation operation_named(std::string_view wanted) {
  const auto name = [](const collective::OperationRow& row) { return row.name; };
  return row_named(collective::operations(), name, wanted, "an operation").operation;
}

communication::ElementType element_type_named(std::string_view wanted) {
  for (const communication::ElementType& type : types)
    if (!type.alias.empty() && type.alias == wanted) return type;
  const auto name = [](const communication::ElementType& type) { return type.name; };
  return row_named(types, name, wanted, "an element type of collectives");
}

std::string reduction_named(std::string_view wanted) {
  const auto name = [](std::string_view each) { return each; };
  return std::string(row_named(reductions, name, wanted, "a reduction"));
}

collective::Protocol protocol_named(std::string_view wanted) {
  const auto name = [](const collective::ProtocolRow& row) { return row.name; };
  return row_named(collective::protocols(), name, wanted, "a protocol").protocol;
}

// ---- Sizes

// A number without a unit is in bytes, and K, M and G are binary units, as in nccl-tests.
Bytes size_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::string_view, 4> units{"", "K", "M", "G"};
  const auto found = std::ranges::find(units, unit);
  const bool is_beyond = error == std::errc::result_out_of_range && text[0] != '-';
  if ((error != std::errc() && !is_beyond) || found == units.end()) return parse<Bytes>(text);
  const std::int64_t unit_bytes = std::int64_t{1} << (10 * (found - units.begin()));
  if (is_beyond || number > most_bytes / unit_bytes)
    throw InputError(fmt::format("{} are more than {}", text, Bytes(most_bytes)), "give less");
  return Bytes(number) * unit_bytes;
}

std::vector<Bytes> sizes_of(const CollectiveOptions& options) {
  std::vector<Bytes> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(size_of(text));
  if (!sizes.empty()) return sizes;
  const Bytes begin = size_of(options.begin.value_or("1KiB")), end = size_of(options.end.value_or("1GiB"));
  const double factor = options.factor.value_or(2);
  if (!(factor > 1))
    throw InputError(fmt::format("-f {} never reaches the end", factor), "give a factor above 1");
  if (begin > end || begin < Bytes(1))
    throw InputError(fmt::format("the sizes can't go from {} to {}", begin, end),
                     "begin with the smaller size, above 0");
  for (double size = static_cast<double>(begin.count()); size <= static_cast<double>(end.count());
       size = std::max(size + 1, size * factor)) {
    if (sizes.size() == most_sizes)
      throw InputError(fmt::format("-f {} makes more than {} sizes", factor, most_sizes),
                       "give a larger factor");
    sizes.push_back(Bytes(static_cast<std::int64_t>(size)));
  }
  return sizes;
}

// ---- The call of the library

std::string launch_named(std::string_view wanted) {
  const auto name = [](const auto& row) { return std::string_view(row.first); };
  return row_named(communication::constants().launches, name, wanted, "a way to launch").first;
}

// As in nccl-tests, -g 8 means that one process drives eight devices.
communication::CallOptions call_options_of(const CollectiveOptions& options) {
  communication::CallOptions call;
  const int driven = options.devices_per_process.value_or(1);
  if (driven < 1) throw InputError(fmt::format("a process can't drive {} devices", driven), "give 1 or more");
  call.launch = launch_named(options.launch.value_or(driven > 1 ? "threads" : "mpi"));
  if (driven > 1 && call.launch != "threads")
    throw InputError(fmt::format("-g {}: with {} each device has a process of its own", driven, call.launch),
                     "use --launch threads, or leave -g out");
  if (options.devices_per_process) call.devices_per_process = driven;
  if (options.protocol) call.protocol = protocol_named(*options.protocol);
  const Operation operation = operation_named(options.operation);
  if (options.nccl_version) collective::set_version(call.settings, *options.nccl_version);
  if (options.nccl_algo) collective::set_algorithms(call.settings, operation, *options.nccl_algo);
  if (options.nccl_proto) collective::set_protocols(call.settings, operation, *options.nccl_proto);
  return call;
}

std::optional<Seconds> tiny_message_of(const CollectiveOptions& options) {
  if (!options.tiny_message) return std::nullopt;
  const auto time = parse<Seconds>(*options.tiny_message);
  if (time <= Seconds(0) || !is_plausible(time))
    throw InputError(fmt::format("a tiny all-reduce can't take {}", time), "give a time above 0");
  return time;
}

collective::Options options_of(const std::vector<std::string>& texts) {
  collective::Options options;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("--option {} has no value", text), "write it as segments=4");
    collective::set_option(options, text.substr(0, equals), text.substr(equals + 1));
  }
  return options;
}

}  // namespace

communication::CollectiveQuestion question_of(const CollectiveOptions& options) {
  using communication::Folding;
  return {.operation = operation_named(options.operation),
          .type = element_type_named(options.type),
          .reduction = reduction_named(options.reduction),
          .sizes = sizes_of(options),
          .root = options.root,
          .options = options_of(options.options),
          .call = call_options_of(options),
          .tiny_message = tiny_message_of(options),
          .folding = options.expanded ? Folding::expanded
                     : options.folded ? Folding::folded
                                      : Folding::automatic,
          .names_launch = options.launch || options.devices_per_process,
          .orders_ranks = options.rank_order.has_value(),
          .lets_library_choose = std::ranges::find(options.algorithms, "auto") != options.algorithms.end()};
}

}  // namespace wt::cli
