#pragma once
// Where a thread is: outside of all scopes, in cross-replica context, in one replica of a run, or in an update of one
// copy of a variable. TensorFlow keeps such a stack for each thread (python/distribute/distribute_lib.py), and so does
// this file. A new thread is outside of all scopes.

#include <cstdint>
#include <optional>

#include "train/eager.h"

namespace wt::train {

class ReplicaThreads;
class Strategy;

// An entry of a thread's stack.
struct ThreadMode {
  enum class Kind : std::uint8_t { cross_replica, replica, update };

  const Strategy* strategy = nullptr;
  Kind kind = Kind::cross_replica;
  std::size_t replica = 0;  // that runs; of an update: the number of the copy
  ReplicaThreads* threads =
      nullptr;             // that meet in merge_call; null where a replica runs in the caller's thread
  Eager* eager = nullptr;  // that executes single operations here
  int functions = 0;       // that the thread was inside of where the replica began
};

// The inside of a tf.function, until the end of the block, for programs whose functions are plain C++. It matters for what
// TensorFlow refuses: under TPUStrategy only functions run, and a function inside of a run has no merge_call. A function
// that is compiled, and whose time can be simulated, is a train::Function.
class InsideFunction {
 public:
  InsideFunction();
  ~InsideFunction();
  InsideFunction(const InsideFunction&) = delete;
  InsideFunction& operator=(const InsideFunction&) = delete;
};
int functions_here();             // that this thread is inside of
void take_over_functions(int n);  // by a new thread from the one that began it

// An entry that lasts until it is destroyed.
class Entered {
 public:
  explicit Entered(const ThreadMode& mode);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
};

const ThreadMode* current_mode();  // null outside of all scopes
std::size_t number_of_modes();

// For methods that work outside of all scopes and in those of their strategy: enters the cross-replica context of the
// strategy if the thread is in none. Throws device::RuntimeError if it is in that of another one.
class EnteredOrAsserted {
 public:
  explicit EnteredOrAsserted(const Strategy& strategy);

 private:
  std::optional<Entered> entered_{};
};

// The strategy in whose scope a Keras model is made. Its methods refuse the scope of another one.
class MadeIn {
 public:
  MadeIn();
  // Throws device::RuntimeError inside the scope of another strategy.
  void require_no_other_scope() const;
  // Throws InputError outside of the strategy's scope, where Keras 3 makes an optimizer whose steps each replica counts.
  void require_same_scope() const;

 private:
  const Strategy* strategy_;  // null for none
};

// Single operations of this thread go here: to the device of its replica, or to this host outside of all scopes.
Eager& current_eager();

}  // namespace wt::train
