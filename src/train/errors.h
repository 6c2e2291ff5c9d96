#pragma once
// Errors that TensorFlow raises while a program trains, with the names by which a Python program catches
// them. what() is TensorFlow's text. device/error.h has those of calls that configure devices.

#include "device/error.h"

namespace wt::train {

using wt::OutOfRangeError;

// tf.errors.UnknownError: a function of the program has thrown an exception of its own.
class UnknownError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "UnknownError"; }
};

// tf.distribute.experimental.coordinator.ClosureInputError, which is no OpError: an input of a closure, such as the iterator
// of its worker, could not be made there.
class ClosureInputError : public InputError {
 public:
  explicit ClosureInputError(const OpError& original);
};

// Python's NotImplementedError, which is a RuntimeError.
class NotImplementedError : public device::RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

}  // namespace wt::train
