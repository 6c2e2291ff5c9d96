// Connectionist temporal classification (Graves et al., 2006): -ln of the probability that a sequence of classes, one for
// each step, reads as the label once repeated classes and blanks are dropped. Class 0 is the blank, and pads labels.
//
// The label "ab" is read from paths through the states - a - b -, where - is the blank: a path begins in one of the first
// two states, ends in one of the last two, and in each step stays, moves on by one, or by two to a letter unlike the one
// before. The probability of all paths to each state is a sum over the previous step's. Keras 3 has it.

#include <fmt/format.h>

#include "model/layers/spatial.h"
#include "model/losses/losses.h"
#include "model/mask.h"

namespace wt::model {

namespace {

constexpr double impossible = -1e30;  // the logarithm of a probability of 0, whose slopes stay finite

// Requires: all of one shape.
Symbol log_of_sum(const std::vector<Symbol>& logarithms) {
  Symbol largest = logarithms.front();
  for (const Symbol& x : logarithms) largest = maximum(largest, x);
  const Symbol shift = stop_gradient(largest);
  std::optional<Symbol> sum;
  for (const Symbol& x : logarithms) sum = sum ? *sum + exp(x - shift) : exp(x - shift);
  return log(*sum) + shift;
}

Symbol impossible_where(Symbol mask, Symbol x) {
  return select(mask, fill(*x.trace, x.spec(), impossible), x);
}

// Each state's number of the state before it, or the one before that.
Symbol from_before(Symbol states, std::int64_t steps) {
  const Shape shape = states.shape();
  const Symbol none = fill(*states.trace, {states.spec().type, {shape[0], steps}}, impossible);
  return concat({none, split(states, 1, {shape[1] - steps, steps})[0]}, 1);
}

class Paths {
 public:
  Paths(Symbol labels, Symbol logits)
      : rows_(logits.shape()[0]),
        steps_(logits.shape()[1]),
        classes_(logits.shape()[2]),
        states_(2 * labels.shape()[1] + 1) {
    const Symbol zeros = fill(*labels.trace, labels.spec(), 0);
    const std::int64_t length = labels.shape()[1];
    const auto interleaved = [&](Symbol even, Symbol odd) {
      const Shape column{rows_, length, 1};
      const Symbol pairs = concat({reshape(even, column), reshape(odd, column)}, 2);
      const Symbol last = fill(*labels.trace, {labels.spec().type, {rows_, 1}}, 0);
      return concat({reshape(pairs, {rows_, 2 * length}), last}, 1);
    };
    letters_ = interleaved(zeros, labels);
    // Probabilities of each state's class in each step, picked by products with ones and zeros.
    const Symbol shift = stop_gradient(reduce_max(logits, {2}, true));
    const Symbol shifted = logits - shift;
    const Symbol logarithms = shifted - log(reduce_sum(exp(shifted), {2}, true));
    const Symbol picks = as_type(one_hot(letters_, classes_), logits.spec().type);
    emitted_ = spatial::slices(matmul(logarithms, picks, {.transpose_b = true}), 1);
    length_ = reduce_sum(cast(negated(equal(labels, zeros)), Type::float32), {1}, true);
  }

  Symbol loss() const {
    const Symbol begin = impossible_where(greater(positions(), number(1)), emitted(0));
    Symbol reached = begin;
    for (std::int64_t step = 1; step < steps_; ++step)
      reached = log_of_sum({reached, from_before(reached, 1), skipped(reached)}) + emitted(step);
    const Symbol last = length_ * 2.0;
    const Symbol ends = either(equal(positions(), last), equal(positions(), last - 1.0));
    const Symbol whole = impossible_where(negated(ends), reached);
    const Symbol shift = stop_gradient(reduce_max(whole, {1}, true));
    return -(log(reduce_sum(exp(whole - shift), {1})) + reshape(shift, {rows_}));
  }

 private:
  Symbol emitted(std::int64_t step) const {
    return reshape(emitted_[static_cast<std::size_t>(step)], {rows_, states_});
  }

  Symbol number(double value) const { return fill(*letters_.trace, {Type::float32, {}}, value); }
  Symbol positions() const {
    const Symbol row = range(*letters_.trace, {Type::float32, {states_}}, 1);
    return broadcast_to(reshape(row, {1, states_}), {rows_, states_});
  }

  // From the state before the last one, where both are letters and unlike.
  Symbol skipped(Symbol reached) const {
    if (states_ < 3) return fill(*reached.trace, reached.spec(), impossible);
    const Symbol zero = number_like(letters_, 0);
    const Symbol before = concat({fill(*letters_.trace, {letters_.spec().type, {rows_, 2}}, 0),
                                  split(letters_, 1, {states_ - 2, 2})[0]},
                                 1);
    const Symbol is_barred = either(equal(letters_, zero), equal(letters_, before));
    return impossible_where(is_barred, from_before(reached, 2));
  }

  std::int64_t rows_, steps_, classes_, states_;
  Symbol letters_{};  // int32[rows, states], the class of each state
  Symbol length_{};   // float32[rows, 1], of the labels
  std::vector<Symbol> emitted_{};
};

LossValues ctc(const LossCall& call) {
  if (call.labels.shape().rank() != 2)
    throw InputError(
        fmt::format(
            "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in integer "
            "format. Received: y_true.shape={}",
            shape_in_python(call.labels.shape())),
        "pad the labels of all rows with 0 to one length");
  if (call.predictions.shape().rank() != 3)
    throw InputError(
        fmt::format("Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, "
                    "num_classes)`. Received: y_pred.shape={}",
                    shape_in_python(call.predictions.shape())),
        "give logits of each class for each step");
  return Paths(as_type(call.labels, Type::int32), call.predictions).loss();
}

constexpr std::array rows_of_sequence_losses{
    LossClass{
        .name = "CTC",
        .aliases = {"ctc"},
        .summary = "-ln of the probability of all paths that read as the label, from logits of each step",
        .labels = Labels::others,
        .keras2 = false,
        .values = ctc},
};

}  // namespace

std::span<const LossClass> sequence_losses() { return rows_of_sequence_losses; }

}  // namespace wt::model
