#pragma once
// Errors that TensorFlow raises while a program trains, with the names by which a Python program catches
// them. what() is TensorFlow's text. device/error.h has those of calls that configure devices.

#include "device/error.h"

namespace wt::train {

using wt::OutOfRangeError;

// tf.errors.UnknownError: a function of the program has thrown an exception of its own.
class UnknownError : public device::OpError {
 public:
  using OpError::OpError;
};

// Python's NotImplementedError, which is a RuntimeError.
class NotImplementedError : public device::RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

}  // namespace wt::train
