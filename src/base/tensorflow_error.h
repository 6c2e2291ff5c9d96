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
// Python's KeyError: a dictionary has no such key, or has it twice. Python prints its text between quotes.
class KeyError : public InputError {
 public:
  explicit KeyError(std::string text) : InputError(std::move(text)) {}
};

// tf.errors.OpError: an operation fails while it runs, and not while the program builds it. The classes below derive from
// it, as TensorFlow's do.
class OpError : public InputError {
 public:
  explicit OpError(std::string text) : InputError(std::move(text)) {}
  // The name of the class in TensorFlow, which its texts contain.
  virtual std::string_view type() const { return "OpError"; }
};
class InvalidArgumentError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "InvalidArgumentError"; }
};
class NotFoundError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "NotFoundError"; }
};
class FailedPreconditionError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "FailedPreconditionError"; }
};
class DataLossError : public OpError {
 public:
  using OpError::OpError;
  std::string_view type() const override { return "DataLossError"; }
};
class OutOfRangeError : public OpError {  // A dataset has no more elements.
 public:
  using OpError::OpError;
  std::string_view type() const override { return "OutOfRangeError"; }
};

}  // namespace wt
