#pragma once
// TensorFlow's refusals of a call that configures devices, by the names a program catches them by. what() is
// TensorFlow's own text and nothing else: programs print and compare it.

#include "base/error.h"

namespace wt::device {

// The call comes too late: devices are initialised.
class RuntimeError : public InputError {
 public:
  explicit RuntimeError(std::string text) : InputError(std::move(text)) {}
};

// What is asked for makes no sense, now or ever.
class ValueError : public InputError {
 public:
  explicit ValueError(std::string text) : InputError(std::move(text)) {}
};

// The runtime refuses to make the devices that it was told to make (tf.errors.OpError and what derives from
// it).
class OpError : public InputError {
 public:
  explicit OpError(std::string text) : InputError(std::move(text)) {}
};

// A tensor found no place on its device.
class ResourceExhaustedError : public OpError {
 public:
  using OpError::OpError;
};

}  // namespace wt::device
