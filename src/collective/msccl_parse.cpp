#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <pugixml.hpp>

#include "base/narrow.h"
#include "base/utf8.h"
#include "collective/msccl_program.h"

namespace wt::collective::msccl {

namespace {

// A file beyond these limits is a mistake, and its verification would only exhaust the memory.
constexpr int most_gpus = 1 << 12, most_chunks_of_file = 1 << 16, most_slots = 1 << 24;
constexpr std::size_t most_steps = 4096, most_problems = 50;

// MSCCL's step types: send, receive, receive-copy-send, receive-reduce-copy, receive-reduce-copy-send,
// receive-reduce-send, copy, reduce, and no operation.
constexpr std::array<StepType, 9> types{{
    {"s", false, false, true},
    {"r", true, false, false},
    {"rcs", true, false, true},
    {"rrc", true, true, false},
    {"rrcs", true, true, true},
    {"rrs", true, true, true, false},
    {"cpy", false, false, false},
    {"re", false, true, false},
    {"nop", false, false, false},
}};

// print.h writes the name of a schedule as a word of a line.
std::string one_word(std::string name) {
  std::ranges::replace_if(
      name, [](char letter) { return letter == ' ' || letter == '\t'; }, '_');
  return name;
}

std::optional<Operation> operation_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Operation>, 5> names{{
      {"allreduce", Operation::all_reduce},
      {"reduce_scatter", Operation::reduce_scatter},
      {"allgather", Operation::all_gather},
      {"broadcast", Operation::broadcast},
      {"reduce", Operation::reduce},
  }};
  for (const auto& [msccl, operation] : names)
    if (msccl == name) return operation;
  return std::nullopt;
}

std::size_t offset_of(const pugi::xml_node& node) {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()));
}

class Reader {
 public:
  Reader(Source& source, std::int64_t elements) : source_(source), elements_(elements) { read_file(); }

  Program take() { return std::move(program_); }

 private:
  void read_file();
  void read_algorithm(const pugi::xml_node& algorithm);
  void read_gpu(const pugi::xml_node& gpu);
  void read_block(const pugi::xml_node& node, int gpu);
  void read_step(const pugi::xml_node& node, int gpu, Block& block);
  int slot(const pugi::xml_node& step, int gpu, const char* buffer, const char* offset, int count);
  std::string_view word(const pugi::xml_node& node, const char* name);
  int number(const pugi::xml_node& node, const char* name, int least, int most);
  void fail(const pugi::xml_node& node, std::string fact, std::string remedy = {}) {
    source_.fail(offset_of(node), std::move(fact), std::move(remedy));
  }

  Source& source_;
  std::int64_t elements_;
  Program program_{};
  Contract& contract_ = program_.contract;
  bool in_place_ = true;
};

std::string_view Reader::word(const pugi::xml_node& node, const char* name) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) fail(node, fmt::format("<{}> has no attribute \"{}\"", node.name(), name));
  return attribute.value();
}

int Reader::number(const pugi::xml_node& node, const char* name, int least, int most) {
  const std::string_view text = word(node, name);
  if (!node.attribute(name)) return least;
  char* end = nullptr;
  const long value = std::strtol(text.data(), &end, 10);
  if (text.empty() || *end != '\0' || value < least || value > most) {
    fail(node, fmt::format("{}=\"{}\" is not a number from {} to {}", name, text, least, most));
    return least;
  }
  return narrow<int>(value);
}

void Reader::read_file() {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(source_.text().data(), source_.text().size());
  if (!result) {
    source_.fail(fmt::format("this is not XML: {}", result.description()));
    return;
  }
  const pugi::xml_node algorithm = document.child("algo");
  if (!algorithm) {
    source_.fail("the file has no element <algo>",
                 "give a program in MSCCL's XML, whose outermost element is <algo>");
    return;
  }
  read_algorithm(algorithm);
}

void Reader::read_algorithm(const pugi::xml_node& algorithm) {
  program_.name = one_word(printable(algorithm.attribute("name").value()));
  const std::string_view collective = word(algorithm, "coll");
  const std::optional<Operation> operation = operation_of(collective);
  if (!operation)
    fail(algorithm, fmt::format("unknown collective \"{}\"", printable(collective)),
         "known: allreduce, reduce_scatter, allgather, broadcast, reduce");
  contract_.operation = operation.value_or(Operation::all_reduce);
  contract_.ranks = number(algorithm, "ngpus", 1, most_gpus);
  const int chunks = number(algorithm, "nchunksperloop", 1, most_chunks_of_file);
  contract_.cut = {.elements = elements_ > 0 ? elements_ : chunks, .chunks = chunks};
  contract_.root = algorithm.attribute("root").as_int(0);
  in_place_ = algorithm.attribute("inplace").as_int(0) != 0;
  const bool by_rank = operation == Operation::all_gather || operation == Operation::reduce_scatter;
  if (operation && by_rank && chunks % contract_.ranks != 0)
    fail(algorithm,
         fmt::format("{} chunks cannot be divided equally among {} GPUs", chunks, contract_.ranks));
  if (contract_.root < 0 || contract_.root >= contract_.ranks)
    fail(algorithm, fmt::format("GPU {} can't be the root of {} GPUs", contract_.root, contract_.ranks));
  if (contract_.cut.elements < chunks)
    fail(algorithm,
         fmt::format("a vector of {} elements has fewer elements than chunks, {}", elements_, chunks),
         "take a longer vector");
  int scratch = 0;
  for (const pugi::xml_node& gpu : algorithm.children("gpu"))
    scratch = std::max(scratch, number(gpu, "s_chunks", 0, most_chunks_of_file));
  contract_.input_slot = in_place_ ? 0 : chunks;
  contract_.scratch = contract_.input_slot + scratch;
  if (std::int64_t{contract_.ranks} * contract_.slots() > most_slots)
    fail(algorithm, fmt::format("{} GPUs with {} slots each are too many to verify: the limit is {} slots",
                                contract_.ranks, contract_.slots(), most_slots));
  if (source_.problems().any()) return;
  for (const pugi::xml_node& gpu : algorithm.children("gpu")) read_gpu(gpu);
}

void Reader::read_gpu(const pugi::xml_node& gpu) {
  const int id = number(gpu, "id", 0, contract_.ranks - 1);
  for (const pugi::xml_node& block : gpu.children("tb")) read_block(block, id);
}

void Reader::read_block(const pugi::xml_node& node, int gpu) {
  const BlockId id{gpu, number(node, "id", 0, most_chunks_of_file)};
  if (program_.blocks.contains(id))
    return fail(node, fmt::format("GPU {} has two thread blocks with id {}", gpu, id.block));
  Block& block = program_.blocks[id];
  block.send = number(node, "send", -1, contract_.ranks - 1);
  block.receive = number(node, "recv", -1, contract_.ranks - 1);
  block.channel = number(node, "chan", 0, most_chunks_of_file);
  for (const pugi::xml_node& step : node.children("step")) read_step(step, gpu, block);
  if (block.steps.size() > most_steps)
    fail(node, fmt::format("a thread block has at most {} steps, and this one has {}", most_steps,
                           block.steps.size()));
}

void Reader::read_step(const pugi::xml_node& node, int gpu, Block& block) {
  const std::string_view name = word(node, "type");
  const auto type =
      std::find_if(types.begin(), types.end(), [&](const StepType& each) { return each.name == name; });
  if (type == types.end())
    return fail(node, fmt::format("unknown step type \"{}\"", name),
                "known: s, r, rcs, rrc, rrcs, rrs, cpy, re, nop");
  number(node, "s", narrow<int>(block.steps.size()), narrow<int>(block.steps.size()));
  if (type->sends && block.send < 0) fail(node, "this step sends, but its thread block has send=\"-1\"");
  if (type->receives && block.receive < 0)
    fail(node, "this step receives, but its thread block has recv=\"-1\"");
  BlockStep step{.type = &*type};
  step.offset = offset_of(node);
  step.after_block = number(node, "depid", -1, most_chunks_of_file);
  step.after_step = number(node, "deps", -1, 1 << 20);
  if (name != "nop") {
    step.count = number(node, "cnt", 1, contract_.slots());
    const bool reads = name != "r" && name != "rcs", writes = name != "s";
    if (reads) step.source = slot(node, gpu, "srcbuf", "srcoff", step.count);
    // The destination of "rrs", which stores nothing, and of "s", which is stored by the receiver, is
    // ignored.
    if (writes && type->keeps) step.target = slot(node, gpu, "dstbuf", "dstoff", step.count);
  }
  block.steps.push_back(std::move(step));
}

// The first slot that a buffer and an offset in the XML denote. The input buffer of an all-gather and the
// output buffer of a reduce-scatter hold only the GPU's own part of the vector.
int Reader::slot(const pugi::xml_node& step, int gpu, const char* buffer, const char* offset, int count) {
  const int part = gpu * (contract_.cut.chunks / contract_.ranks);
  const int place = number(step, offset, 0, contract_.slots() - 1);
  const std::string_view name = word(step, buffer);
  int first = 0;
  if (name == "i")
    first = contract_.input_slot + (contract_.operation == Operation::all_gather ? part : 0) + place;
  else if (name == "o")
    first = (contract_.operation == Operation::reduce_scatter ? part : 0) + place;
  else if (name == "s")
    first = contract_.cut.chunks + contract_.input_slot + place;
  else
    fail(step, fmt::format("unknown buffer \"{}\"", name), "known: i (input), o (output), s (scratch)");
  const int end = name == "s"   ? contract_.slots()
                  : name == "i" ? contract_.input_slot + contract_.cut.chunks
                                : contract_.cut.chunks;
  if (first + count > end) {
    fail(step,
         fmt::format("chunks {} to {} are beyond the end of buffer \"{}\"", place, place + count - 1, name));
    return 0;
  }
  return first;
}

}  // namespace

void Source::fail(std::string fact, std::string remedy) {
  Place place;
  place.file = file_;
  problems_.add(std::move(place), std::move(fact), std::move(remedy));
}

void Source::fail(std::size_t offset, std::string fact, std::string remedy) {
  if (problems_.found().size() >= most_problems) return;
  const std::size_t at = std::min(offset, text_.size());
  const std::size_t begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
  const std::size_t end = std::min(text_.find('\n', at), text_.size());
  const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t word = std::min(text_.find_first_of(" >/\n", at), text_.size()) - at;
  problems_.add({file_, narrow<int>(lines) + 1, narrow<int>(at - begin) + 1, text_.substr(begin, end - begin),
                 std::max(1, narrow<int>(word))},
                std::move(fact), std::move(remedy));
}

Program parse(Source& source, std::int64_t elements) { return Reader(source, elements).take(); }

}  // namespace wt::collective::msccl
