#pragma once
// What a call did: it returned something, or it threw an error. Recorded programs write both down beside their values,
// {"type": "ValueError", "sentence": ..., "python": false}, or {"type": null, "returned": "[2]"}.

#include "device/error.h"
#include "program/placement.h"
#include "study/recordings/comparison.h"
#include "train/errors.h"

namespace wt::recordings {

struct Outcome {
  std::string returned{};   // as Python prints it
  std::string type{};       // of the error in TensorFlow; empty: none was thrown
  std::string sentence{};   // of the error, and of each of its problems the first
  bool has_remedy = false;  // which stands apart here, and ends the sentence in TensorFlow
};

// The sentence of an error that was thrown here.
Outcome refused(std::string type, const InputError& error);

// Calls `call`, which returns what Python would print.
template <class Call>
Outcome outcome_of(const Call& call) {
  try {
    return {.returned = call()};
  } catch (const device::ValueError& error) {
    return refused("ValueError", error);
  } catch (const train::NotImplementedError& error) {
    return refused("NotImplementedError", error);
  } catch (const device::RuntimeError& error) {
    return refused("RuntimeError", error);
  } catch (const InvalidArgumentError& error) {
    return refused("InvalidArgumentError", error);
  } catch (const NotFoundError& error) {
    return refused("NotFoundError", error);
  } catch (const InputError& error) {
    return refused("InputError", error);
  }
}

// The kind of error has to be the recorded one, but an InputError stands for every error about what the user wrote.
// Where Python itself raised the recorded error, any error here is one of the same meaning.
void compare_outcome(Comparison& comparison, const std::string& what, const Outcome& ours,
                     const json::Value& theirs);

// Whether an error was recorded there, and not only looked for.
bool is_error(const json::Value& recorded);

}  // namespace wt::recordings
