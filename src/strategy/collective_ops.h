#pragma once
// tf.distribute's CollectiveOps: what TensorFlow's collective runtime offers a strategy, and which of its
// kernels runs (tensorflow/core/common_runtime/collective_param_resolver_local.cc).

#include <span>
#include <string_view>

#include "collective/operation.h"
#include "strategy/multi_worker_mirrored.h"

namespace wt::strategy {

enum class CollectiveType : std::uint8_t { reduce, gather, broadcast, all_to_all, reduce_scatter, permute };

struct CollectiveOp {
  CollectiveType type{};
  std::string_view nccl{};  // the kernel where NCCL was chosen
  std::string_view own{};   // TensorFlow's own; empty: there is none
  collective::Operation operation{};
  std::string_view
      algorithm{};  // what its own kernel does, of collective/catalog.h; empty: one message per rank
};
std::span<const CollectiveOp> collective_ops();  // in the order of the enumerators
const CollectiveOp& collective_op(CollectiveType type);

// Throws InputError in TensorFlow's words if there is no such kernel. Requires: `chosen` is ring or nccl.
std::string_view kernel_of(CollectiveType type, CommunicationImplementation chosen);

// Throws InputError in TensorFlow's words: its ring adds no int32 on GPUs.
void require_reducible(Type type, CommunicationImplementation chosen, device::Kind kind);

// Adds a permutation among replicas, in their order: a message for each pair, and zeros for each replica that
// is no pair's target. Throws InputError if a pair names a replica that doesn't exist.
void add_permute(plan::Plan& plan, const Permute& permute, std::span<const plan::Operand> inputs,
                 std::span<const plan::Operand> outputs, const plan::Label& label);

}  // namespace wt::strategy
