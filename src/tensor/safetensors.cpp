#include "tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/free_memory.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace wt {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of a file are little-endian");

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // the limit of the format's own library
constexpr std::string_view metadata_key = "__metadata__";

// The supported types, in the order in which the format's own library writes them.
constexpr std::array<json::Named<Type>, 8> types{{{"I64", Type::int64},
                                                  {"F64", Type::float64},
                                                  {"F32", Type::float32},
                                                  {"I32", Type::int32},
                                                  {"BF16", Type::bfloat16},
                                                  {"F16", Type::float16},
                                                  {"U8", Type::uint8},
                                                  {"BOOL", Type::boolean}}};

std::size_t rank_of(Type type) {
  return static_cast<std::size_t>(
      std::find_if(types.begin(), types.end(), [&](const auto& row) { return row.value == type; }) -
      types.begin());
}

// A tensor as the header describes it. `begin` and `end` are offsets in bytes from the end of the header.
struct Entry {
  std::string name{};
  TensorSpec spec{};
  std::int64_t begin{0};
  std::int64_t end{0};
  Place place{};
};

[[noreturn]] void refuse(const std::string& file, std::string fact, std::string remedy = {}) {
  Place place;
  place.file = file;
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

std::string read_header(const InputFile& file, const std::string& path) {
  const std::string not_one = "this is not a safetensors file";
  if (!file.is_regular()) refuse(path, "not a regular file");
  if (file.size() < length_bytes) refuse(path, fmt::format("{}: it has only {} bytes", not_one, file.size()));
  std::array<std::byte, length_bytes> prefix{};
  file.read_at(0, prefix);
  const auto length = std::bit_cast<std::uint64_t>(prefix);
  if (length > longest_header) {
    refuse(path,
           fmt::format("{}: its header would have {} bytes, more than {}", not_one, length, longest_header));
  }
  if (length > file.size() - length_bytes) {
    refuse(path,
           fmt::format("the header should have {} bytes, but only {} follow", length,
                       file.size() - length_bytes),
           "the file was cut off, or is not a safetensors file");
  }
  std::string header(length, '\0');
  file.read_at(length_bytes, std::as_writable_bytes(std::span(header)));
  if (!header.starts_with('{')) refuse(path, not_one + ": its header does not begin with {");
  return header;
}

// The size of a tensor in bytes, or nothing if it exceeds 64 bits.
std::optional<std::int64_t> bytes_of(const std::vector<std::int64_t>& extents, Type type) {
  std::int64_t bytes = bytes_per_element(type);
  for (std::int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

// Reads the type, the shape and the offsets of a tensor. Returns false and adds a problem if they are not
// consistent.
bool read_description(json::Reader reader, Problems& problems, Entry& entry) {
  entry.spec.type = reader.one_of("dtype", types);
  const auto extents = reader.required<std::vector<std::int64_t>>("shape", {.at_least = 0});
  const auto offsets = reader.required<std::vector<std::int64_t>>("data_offsets", {.at_least = 0});
  reader.finish();
  if (problems.any()) return false;
  const std::optional<std::int64_t> bytes = bytes_of(extents, entry.spec.type);
  if (extents.size() > Shape::max_rank) {
    reader.problem("shape", fmt::format("the shape has {} axes", extents.size()),
                   fmt::format("at most {} are supported", Shape::max_rank));
  } else if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    reader.problem("data_offsets", "the data_offsets must be two numbers, a begin and an end");
  } else if (!bytes) {
    reader.problem("shape", "the shape is larger than any memory");
  } else if (*bytes != offsets[1] - offsets[0]) {
    reader.problem("data_offsets", fmt::format("type and shape need {} bytes, but the data_offsets span {}",
                                               *bytes, offsets[1] - offsets[0]));
  } else {
    entry.spec.shape = Shape(std::span<const std::int64_t>(extents));
    entry.begin = offsets[0];
    entry.end = offsets[1];
  }
  return !problems.any();
}

void read_entry(const json::Member& member, Problems& problems, std::vector<Entry>& entries) {
  Entry entry{member.key, {}, 0, 0, member.key_place()};
  Problems own;
  if (read_description(json::Reader(member.value, own), own, entry)) entries.push_back(std::move(entry));
  for (Problem problem : own.found()) {
    problem.fact = fmt::format("tensor \"{}\": {}", printable(member.key), problem.fact);
    problems.add(std::move(problem));
  }
}

// Checks that the tensors fill the rest of the file without gaps and overlaps. Sorts the entries by their
// offsets.
void check_layout(std::vector<Entry>& entries, std::int64_t data_bytes, const std::string& path,
                  Problems& problems) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
    return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
  });
  std::int64_t end = 0;
  const Entry* previous = nullptr;
  for (const Entry& entry : entries) {
    if (entry.begin > end) {
      problems.add(
          entry.place,
          fmt::format("there is a gap of {} bytes before \"{}\"", entry.begin - end, printable(entry.name)),
          "the format allows no gaps");
    } else if (entry.begin < end) {
      problems.add(entry.place, fmt::format("\"{}\" overlaps \"{}\" by {} bytes", printable(entry.name),
                                            printable(previous->name), end - entry.begin));
    }
    end = std::max(end, entry.end);
    previous = &entry;
  }
  if (end == data_bytes || problems.any()) return;
  Place place;
  place.file = path;
  problems.add(place,
               fmt::format("the header describes {} bytes of numbers, the file has {}", end, data_bytes),
               end > data_bytes ? "the file was cut off" : "the format allows nothing after the last tensor");
}

std::map<std::string, std::string> read_metadata(const json::Value& value, Problems& problems) {
  std::map<std::string, std::string> metadata;
  if (value.kind() != json::Kind::object) {
    problems.add(value.place(), fmt::format("expected an object, found {}", describe(value.kind())));
    return metadata;
  }
  for (const json::Member& member : value.members()) {
    metadata[member.key] = json::convert<std::string>(member.value, problems).value_or("");
  }
  return metadata;
}

std::string print_header(const std::vector<std::pair<std::string, Tensor>>& tensors,
                         const std::map<std::string, std::string>& metadata) {
  json::Writer writer(json::Layout::compact);
  writer.begin_object();
  if (!metadata.empty()) {
    writer.key(metadata_key).begin_object();
    for (const auto& [key, text] : metadata) writer.member(key, text);
    writer.end_object();
  }
  std::int64_t begin = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::int64_t end = begin + tensor.spec().bytes().count();
    writer.key(name)
        .begin_object()
        .member("dtype", types[rank_of(tensor.type())].name)
        .key("shape")
        .begin_array();
    for (std::int64_t extent : tensor.shape()) writer.value(extent);
    writer.end_array().key("data_offsets").begin_array().value(begin).value(end).end_array().end_object();
    begin = end;
  }
  std::string header = writer.end_object().text();
  header.resize((header.size() + length_bytes - 1) / length_bytes * length_bytes, ' ');
  return header;
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& path, const Place& named_at) {
  const InputFile file(path, named_at);
  std::string header = read_header(file, path.string());
  const std::uint64_t data_begin = length_bytes + header.size();
  const json::Value tree = json::parse(std::move(header), path.string());
  TensorFile content;
  Problems problems;
  std::vector<Entry> entries;
  for (const json::Member& member : tree.members()) {
    if (member.key == metadata_key) {
      content.metadata = read_metadata(member.value, problems);
    } else {
      read_entry(member, problems, entries);
    }
  }
  problems.throw_if_any();
  check_layout(entries, static_cast<std::int64_t>(file.size() - data_begin), path.string(), problems);
  problems.throw_if_any();
  require_memory(Bytes(file.size() - data_begin), fmt::format("reading \"{}\"", printable(path.string())),
                 "name a smaller file", named_at);
  for (const Entry& entry : entries) {
    Tensor tensor = Tensor::zeros(entry.spec);
    file.read_at(data_begin + static_cast<std::uint64_t>(entry.begin), tensor.bytes());
    content.tensors.emplace(entry.name, std::move(tensor));
  }
  return content;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& content) {
  std::vector<std::pair<std::string, Tensor>> tensors(content.tensors.begin(), content.tensors.end());
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& left, const auto& right) {
    return rank_of(left.second.type()) < rank_of(right.second.type());
  });
  for (const auto& [name, tensor] : tensors) {
    WT_EXPECT(tensor.has_numbers() && name != metadata_key, "\"{}\" cannot be saved", name);
  }
  const std::string header = print_header(tensors, content.metadata);
  OutputFile file(path);
  const auto length = std::bit_cast<std::array<std::byte, length_bytes>>(std::uint64_t{header.size()});
  file.write(length);
  file.write(header);
  for (const auto& [name, tensor] : tensors) file.write(tensor.bytes());
  file.commit();
}

}  // namespace wt
