#pragma once
// TensorFlow's errors for calls that configure devices, with the names by which a Python program catches
// them. what() is exactly TensorFlow's text, because programs print and compare it.

#include "base/tensorflow_error.h"

namespace wt::device {

// The call comes too late, because the devices are initialised.
class RuntimeError : public InputError {
 public:
  explicit RuntimeError(std::string text) : InputError(std::move(text)) {}
};

using wt::ValueError;

// The runtime can't create the configured devices.
using wt::OpError;

// There is not enough memory for a tensor on its device.
class ResourceExhaustedError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "ResourceExhaustedError"; }
};

}  // namespace wt::device
