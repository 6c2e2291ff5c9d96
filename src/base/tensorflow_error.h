#pragma once
// Errors that TensorFlow raises while a program builds or runs operations and datasets, with the names by which a Python
// program catches them. what() is TensorFlow's text, because programs print and compare it.

#include "base/error.h"

namespace wt {

// Python's ValueError: the arguments of the call are invalid at any time.
class ValueError : public InputError {
 public:
  explicit ValueError(std::string text) : InputError(std::move(text)) {}
};

// tf.errors.InvalidArgumentError and so on.
class InvalidArgumentError : public InputError {
 public:
  explicit InvalidArgumentError(std::string text) : InputError(std::move(text)) {}
};
class NotFoundError : public InputError {
 public:
  explicit NotFoundError(std::string text) : InputError(std::move(text)) {}
};
class FailedPreconditionError : public InputError {
 public:
  explicit FailedPreconditionError(std::string text) : InputError(std::move(text)) {}
};
class DataLossError : public InputError {
 public:
  explicit DataLossError(std::string text) : InputError(std::move(text)) {}
};
class OutOfRangeError : public InputError {  // A dataset has no more elements.
 public:
  explicit OutOfRangeError(std::string text) : InputError(std::move(text)) {}
};

}  // namespace wt
