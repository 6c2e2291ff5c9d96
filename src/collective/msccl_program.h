#pragma once
// An MSCCL program as it is written: what stands between its XML (msccl_parse.cpp) and our moves
// (msccl_moves.cpp).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collective/expand.h"

namespace wt::collective::msccl {

// A step receives, or sends, or both; what came, or what lies in src, is put or added into dst.
struct StepType {
  std::string_view name{};
  bool receives = false, reduces = false, sends = false, keeps = true;
};

struct BlockId {
  int gpu = 0, block = 0;
  auto operator<=>(const BlockId&) const = default;
};

struct BlockStep {
  const StepType* type = nullptr;
  int source = 0, target = 0, count = 0;  // slots of this GPU; of a send the source, of what comes the target
  int after_block = -1, after_step = -1;
  std::size_t offset = 0;  // in the file
};

struct Block {
  int send = -1, receive = -1, channel = 0;
  std::vector<BlockStep> steps{};
};

struct Program {
  std::string name{};
  Contract contract{};
  std::map<BlockId, Block> blocks{};
};

// The text and what is wrong with it. Beyond so many problems more would only take time.
class Source {
 public:
  Source(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  const std::string& text() const { return text_; }
  void fail(std::string fact, std::string remedy = {});                      // the file as a whole
  void fail(std::size_t offset, std::string fact, std::string remedy = {});  // what stands there
  const Problems& problems() const { return problems_; }

 private:
  const std::string& text_;
  const std::string& file_;
  Problems problems_{};
};

Program parse(Source& source, std::int64_t elements);
Expanded moves_of(Program program, Source& source);

}  // namespace wt::collective::msccl
