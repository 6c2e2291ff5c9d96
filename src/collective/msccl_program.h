#pragma once
// An MSCCL program in memory: msccl_parse.cpp makes it of the XML, and msccl_moves.cpp makes moves of it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collective/expand.h"

namespace wt::collective::msccl {

// The kind of a step. It receives chunks, or reads them in its source slots. It copies or adds them to its
// target slots. It may send the result. "rrcs", for example, is receive, reduce, copy and send.
struct StepType {
  std::string_view name{};
  bool receives = false, reduces = false, sends = false;
  bool keeps = true;  // false: The result is only sent on, and no slot of this GPU changes.
};

struct BlockId {
  int gpu = 0, block = 0;
  auto operator<=>(const BlockId&) const = default;
};

struct BlockStep {
  const StepType* type = nullptr;
  // `count` slots of this GPU: they are read from `source` on, or written from `target` on.
  int source = 0, target = 0, count = 0;
  int after_block = -1, after_step = -1;  // the step of this GPU that must be done before; -1: none
  std::size_t offset = 0;                 // in the file
};

// A thread block, which works off its steps in order.
struct Block {
  int send = -1, receive = -1;  // the GPUs that it sends to and receives from; -1: none
  int channel = 0;
  std::vector<BlockStep> steps{};
};

struct Program {
  std::string name{};
  Contract contract{};
  std::map<BlockId, Block> blocks{};
};

// The text of a file and the mistakes found in it, up to a limit.
class Source {
 public:
  Source(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  const std::string& text() const { return text_; }
  void fail(std::string fact, std::string remedy = {});                      // about the file as a whole
  void fail(std::size_t offset, std::string fact, std::string remedy = {});  // about what stands there
  const Problems& problems() const { return problems_; }

 private:
  const std::string& text_;
  const std::string& file_;
  Problems problems_{};
};

// Both report mistakes to `source`; after a mistake the result is incomplete.
Program parse(Source& source, std::int64_t elements);
Expanded moves_of(Program program, Source& source);

}  // namespace wt::collective::msccl
