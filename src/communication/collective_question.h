#pragma once
// A question about the time of a collective: the operation, its sizes, and how the library is called.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/operation.h"
#include "collective/request.h"
#include "communication/timing.h"
#include "tensor/type.h"

namespace wt::communication {

// An element type of nccl-tests. Times depend on the size of an element alone, so types that tensors cannot have are
// timed as others.
struct ElementType {
  std::string_view name{};
  std::string_view alias{};  // the name in nccl-tests where it differs
  int bytes = 0;
  Type timed_as{};

  std::int64_t units() const {
    return bytes / bytes_per_element(timed_as);
  }  // elements of `timed_as` per element
};

struct CollectiveQuestion {
  collective::Operation operation{};
  ElementType type{};
  std::string reduction{};
  std::vector<Bytes> sizes{};
  int root = 0;
  collective::Options options{};
  CallOptions call{};
  std::optional<Seconds> tiny_message{};
  Folding folding{};
  // Choices of the user that have no effect on some machines, which then deserves a warning.
  bool names_launch = false;
  bool orders_ranks = false;
  bool lets_library_choose = false;
};

bool adds(collective::Operation operation);
bool has_root(collective::Operation operation);
bool is_shared_out(collective::Operation operation);  // every rank has an equal part of the vector

}  // namespace wt::communication
