// model/ describes networks and their training in Keras' vocabulary: layers, initializers, losses,
// optimizers, metrics, Keras' JSON files, and a zoo of well-known networks.
//
// A layer is plain configuration that can be called on symbols, and a model is a layer that calls other
// layers. The call happens while a step is traced (program/trace.h). The layer requests its weights from a
// Building, which makes them variables of the step, and appends the nodes that compute its output. For
// example,
//
//   const Sequential model("linear", {input_layer({2}), dense({.units = 1})});
//   const Forward traced = forward(model, 32);  // a batch of 32 rows
//
// traces a step with the input x float32[32,2], the variables dense/kernel float32[2,1] and dense/bias
// float32[1], and the nodes matmul and bias_add, whose result is y float32[32,1].
//
// A layer holds no tensors. The values of its weights are kept by train/state.h, and the Initializer of each
// weight determines the first value. Weight names are unique within a step, as in Keras 2. This folder
// depends neither on devices nor on plans or datasets.
//
// Formulas, defaults and names are those of the sources of Keras 2.15. Where Keras 3.4 or TensorFlow 2.0
// differs, model/semantics.h has a switch. Read next: model/sequential.h and model/functional.h, which
// compose layers, then model/loss.h, model/optimizer.h and model/metric.h, which complete a training step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/constraint.h"
#include "model/initializer.h"
#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

class Layer;

// What a layer does where its policy (Layer::compute_in) names halves: float16 or bfloat16. Its variables are float32
// all the same, and so are their gradients.
enum class UnderHalves : std::uint8_t {
  computes,       // rounds its inputs and its weights, and computes with halves
  rounds_inputs,  // rounds its inputs and its outputs; its weights stay float32: BatchNormalization
  rounds_output,  // takes its inputs as they are and rounds its outputs; its weights stay float32: Embedding
  follows  // takes its inputs as they are: halves, or float32 if one of them is; a function such as add
};

// What a layer does with inputs of integers under Switch::whole_numbers_join_real_ones.
enum class WholeNumbers : std::uint8_t {
  keeps,    // takes them as they are, or refuses them: Reshape, Embedding, Conv2D
  joins,    // makes real numbers of them where another input has real numbers: Add
  converts  // always makes real numbers of them: LayerNormalization
};

// One axis of Python's x[...]: a range start:stop:step, whose ends may be open or negative, one index, which drops the
// axis, an axis of extent 1 that is added, or the axes that are left as they are ("...").
struct Slice {
  enum class Kind : std::uint8_t { range, index, new_axis, ellipsis };
  Kind kind = Kind::range;
  std::optional<std::int64_t> start{};  // of an index: its number
  std::optional<std::int64_t> stop{};
  std::int64_t step = 1;
};

// Keyword arguments of an operation that are numbers, or lists of them: {"axis", {1}}.
using Keywords = std::map<std::string, std::vector<double>, std::less<>>;

// Keyword arguments of one call of a layer, such as `layer(x, training=False)` in Keras.
struct CallOptions {
  std::optional<bool> training{};  // overrides the step's mode for this call and everything inside it
  // The last inputs of the call are the masks of these inputs: boolean[batch, time], false where a step of a sequence is
  // to be skipped. An input without one has the mask that it carries (Building::mask_of).
  std::vector<std::size_t> masked_inputs{};
  bool attention_mask_is_last = false;   // attention: a mask of pairs is the last input but for such a mask
  bool use_causal_mask = false;          // attention: a query sees its own position and those before it
  bool return_attention_scores = false;  // attention: the scores are a second output
  // Numbers among the arguments of an operation, such as the 2 in `x * 2`, by their position.
  std::vector<std::pair<std::size_t, double>> constants{};
  Keywords keywords{};          // of an operation
  std::vector<Slice> slices{};  // of the operation x[...]
};

// Penalty on a weight w, which is added to the loss: l1 * sum |w| + l2 * sum w^2, and `orthogonal` times the mean |cosine|
// between two rows, or two columns, of a matrix w.
struct Regularizer {
  double l1 = 0;
  double l2 = 0;
  double orthogonal = 0;
  bool compares_rows = true;  // otherwise columns
};

// How a weight begins, what its size costs, and what is done to it after each update: Keras' kernel_initializer,
// kernel_regularizer and kernel_constraint.
struct WeightRule {
  Initializer initializer = zeros;
  std::optional<Regularizer> regularizer{};
  std::optional<Constraint> constraint{};
};

// A variable that a layer, an optimizer or a metric keeps between steps.
struct Weight {
  std::string name{};  // "conv2d/kernel"
  TensorSpec spec{};
  Initializer initializer{};
  VariableOptions options{};
  std::optional<Regularizer> regularizer{};
  std::optional<Constraint> constraint{};
};

// Three faults of Keras 3 under tf.distribute that change numbers, for steps that repeat them (train/keras_faults.h).
struct Replication {
  // Under central storage a metric's state is one variable, to which each replica assigns what it was and what has come
  // to it, and TensorFlow adds up what they assign: what it was counts once for each replica, again in every step.
  std::int64_t copies_in_totals = 1;
  // All replicas draw the same numbers: their masks of Dropout are equal.
  bool draws_the_same = false;
};

// The context in which layers are called while one step is traced. It creates each weight as a variable of
// the step the first time a layer requests it; a layer that is called twice therefore shares its weights. It
// also collects the penalties that the layers' regularizers add to the loss.
class Building {
 public:
  Building(Trace& trace, bool training, Semantics semantics = default_semantics, Replication replication = {})
      : trace_(trace), semantics_(semantics), replication_(replication), now_{.training = training} {}
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  Trace& trace() { return trace_; }
  Semantics semantics() const { return semantics_; }
  const Replication& replication() const { return replication_; }
  // The type that a layer without a policy of its own computes in.
  Type policy() const { return now_.policy; }
  bool training() const { return now_.training; }  // Keras' `training` argument: dropout and batch statistics
  bool frozen() const { return now_.frozen; }      // inside a layer or model that is not trainable

  // Returns the symbol of the weight, and creates the weight on its first request. Throws InputError if a
  // weight of this name exists and has another shape or type, or belongs to another layer. A weight of halves is kept as
  // float32, and the symbol is its copy in halves, as Keras' AutoCastVariable.
  Symbol weight(const Weight& weight);
  Symbol weight(std::string name, const TensorSpec& spec, const WeightRule& rule) {
    return weight({std::move(name), spec, rule.initializer, {}, rule.regularizer, rule.constraint});
  }

  // The symbol of a weight that was created before. Throws InputError if there is none of this name.
  Symbol symbol(std::string_view name) const;

  // Sets the value that the weight has from the next step on. A second update in one step replaces the first.
  void update(Symbol weight, Symbol value);

  // The class of the first layer that has updated a weight while it was called; empty if none has.
  const std::string& assigning_layer() const { return assigning_layer_; }

  // The value that the weight has at this point of the step: that of its last update in the step, or without
  // any the value that it had before the step. A shared batch normalization that is called twice while training
  // reads its moving averages here, so the second call continues where the first ended, as in Keras.
  Symbol latest(Symbol weight) const;

  // Assigns a value to a weight as soon as a layer requests it for the first time, so that the step computes with that
  // value, as Keras' SpectralNormalization does. An optimizer then updates the assigned value.
  using Assignment = std::function<Symbol(Symbol weight)>;
  void assign_before_use(std::string weight, Assignment assignment) {
    assignments_.insert_or_assign(std::move(weight), std::move(assignment));
  }
  // The values that the step computes with, in place of the weights: gradients are taken with respect to them.
  std::vector<Symbol> values_in_use(const std::vector<Symbol>& weights) const;

  // Returns the state of a random stream that belongs to one layer: int64[2], the stream's number and the
  // step's. The numbers that are drawn from it differ from step to step and from replica to replica. Every
  // call with the same name returns the same symbol. An unset seed is derived from the run's seed and the
  // name.
  Symbol random_stream(const std::string& name, std::optional<std::int64_t> seed);

  // The mask that a tensor carries, boolean[batch, time]: false where a step of a sequence is to be skipped. Layers
  // such as Masking attach it, and most layers hand that of their first input on to their outputs.
  std::optional<Symbol> mask_of(Symbol x) const;
  void set_mask(Symbol x, Symbol mask) { masks_.insert_or_assign(x.value, mask); }

  // Of the innermost layer that is being called: its keyword arguments, and the mask that it was given or that its
  // first input carries.
  const CallOptions& options() const { return now_.options; }
  std::optional<Symbol> mask() const { return now_.mask; }

  // Adds a term to the loss, as Keras' add_loss does: the penalties on the outputs of layers.
  void add_loss(Symbol loss) { losses_.push_back(loss); }

  // Completes the updates of an optimizer: moves them to the values that were assigned before use, and applies the
  // constraints of the weights that were updated.
  void complete_updates();

  const std::vector<Weight>& weights() const { return weights_; }  // in the order of creation
  std::vector<Symbol> trainable() const;                           // in the order of creation
  std::optional<Symbol> regularization();  // the sum of all penalties; none if there are none

 private:
  friend class Layer;
  // The state that a layer's call sets, and restores when it returns.
  struct Circumstances {
    bool training = false;
    bool frozen = false;
    Type policy = Type::float32;
    const Layer* caller = nullptr;  // the innermost layer being called; null outside all layers
    CallOptions options{};
    std::optional<Symbol> mask{};
  };
  struct Owned {
    Symbol symbol{};
    const Layer* owner = nullptr;  // the layer that created the weight; null for an optimizer or a metric
  };

  Symbol in_halves(const Weight& weight);

  Trace& trace_;
  Semantics semantics_;
  Replication replication_;
  Circumstances now_{};
  std::vector<Weight> weights_{};
  std::map<std::string, Owned, std::less<>> symbols_{};
  std::map<ValueId, Symbol> updated_{};  // by the value of the weight
  std::string assigning_layer_{};
  std::map<ValueId, Symbol> masks_{};                    // by the value that carries the mask
  std::map<std::pair<ValueId, Type>, Symbol> halves_{};  // copies of weights, by the weight's value
  std::vector<Symbol> losses_{};
  std::map<std::string, Assignment, std::less<>> assignments_{};  // by the name of the weight
  std::map<ValueId, Symbol> assigned_{};                          // by the value of the weight
};

// Base class of layers and models. A layer holds its configuration, and its weights are variables of the
// step. Models are layers, so they can be nested. A subclassed model in Keras' sense is a class that derives
// from Layer and calls other layers in `call`.
class Layer {
 public:
  explicit Layer(std::string name, bool trainable = true) : name_(std::move(name)), trainable_(trainable) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  virtual std::string_view class_name() const = 0;  // "Conv2D"
  const std::string& name() const { return name_; }
  bool trainable() const { return trainable_; }  // false freezes everything inside

  // Keras' dtype policy: float32 for "float32", float16 for "mixed_float16", bfloat16 for "mixed_bfloat16". A layer
  // without one has that of the model around it.
  void compute_in(Type type) { policy_ = type; }
  std::optional<Type> policy() const { return policy_; }

  // Keras' activity_regularizer: each call adds the penalty on its outputs, divided by the number of rows, to the loss.
  void penalise_activity(const Regularizer& regularizer) { activity_regularizer_ = regularizer; }

  // Keras' data_format "channels_first": the channels are the axis behind the batch, and the layer computes with them as
  // the last axis.
  void put_channels_first() { has_channels_first_ = true; }

  // Names a layer that was constructed without a name. The first model that contains the layer calls this.
  // Requires: the layer has no name.
  void give_name(std::string name);

  // The layers of which a model consists; empty for a layer that is not a model.
  virtual std::vector<std::shared_ptr<Layer>> parts() const { return {}; }

  // Shapes and types of the inputs, without the batch axis. An extent of 0 means that any extent is accepted.
  // Empty if the layer accepts inputs of any shape.
  virtual std::vector<TensorSpec> input_specs() const { return {}; }

  // Names of a functional model's outputs: each is named after the layer that computes it. Empty for other
  // layers.
  virtual std::vector<std::string> output_names() const { return {}; }

  // Calls the layer. The nodes that it appends belong to a scope named after the layer. Throws LayerError.
  std::vector<Symbol> operator()(Building& building, const std::vector<Symbol>& inputs,
                                 const CallOptions& options = {}) const;
  Symbol operator()(Building& building, Symbol input) const;  // Requires: one output.

 protected:
  // Appends the layer's nodes and returns its outputs. Throws InputError if the inputs do not fit. operator()
  // adds the layer's class and name to the errors that are thrown here, those of the kernels' shape checks
  // included.
  virtual std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const = 0;

  // The mask of the outputs, unless `call` has attached one (Building::set_mask). As in Keras, a layer that does not
  // override this drops masks.
  virtual std::optional<Symbol> mask_of_outputs(Building&, const std::vector<Symbol>&) const { return {}; }

  virtual UnderHalves under_halves() const { return UnderHalves::computes; }
  virtual WholeNumbers whole_numbers() const { return WholeNumbers::keeps; }

  bool has_channels_first() const { return has_channels_first_; }

  // Throws a LayerError that reads `[Conv2D] layer "conv2d_1": fact`.
  [[noreturn]] void refuse(std::string_view fact, std::string_view remedy = {}) const;
  void require_positive(std::string_view what, std::int64_t value) const;

  // Returns the single input, for layers that take one. Throws LayerError if there are more or fewer inputs,
  // or if the rank differs. The rank includes the batch axis.
  Symbol only(const std::vector<Symbol>& inputs) const;
  Symbol only(const std::vector<Symbol>& inputs, int rank) const;

 private:
  std::vector<Symbol> inputs_by_policy(Building& building, std::vector<Symbol> inputs, Type policy) const;
  bool makes_real_numbers(const Building& building, const std::vector<Symbol>& inputs) const;
  void attach_mask(Building& building, const std::vector<Symbol>& inputs,
                   const std::vector<Symbol>& outputs) const;
  void add_activity_penalty(Building& building, const std::vector<Symbol>& outputs) const;

  std::string name_;
  bool trainable_ = true;
  std::optional<Type> policy_{};
  std::optional<Regularizer> activity_regularizer_{};
  bool has_channels_first_ = false;
};

// An InputError of one layer. The JSON reader uses the layer to find the place in the file.
class LayerError : public InputError {
 public:
  LayerError(const Layer& layer, std::vector<Problem> problems)
      : InputError(std::move(problems)), layer_(&layer) {}
  const Layer* layer() const { return layer_; }

 private:
  const Layer* layer_;
};

struct Output;

// Whether a layer in the model, or the model itself, has the policy of this type.
bool computes_in(const Layer& model, Type type);

// A shared pointer to a layer that can be called as in Keras' functional API:
//
//   const Output x = dense({.units = 64})(input({28}));
//
// Such a call computes nothing. It is recorded, and model/functional.h makes a model of the recorded calls.
class LayerPtr : public std::shared_ptr<Layer> {
 public:
  using std::shared_ptr<Layer>::shared_ptr;
  LayerPtr(std::shared_ptr<Layer> layer) : std::shared_ptr<Layer>(std::move(layer)) {}

  Output operator()(const Output& input, const CallOptions& options = {}) const;
  Output operator()(const std::vector<Output>& inputs, const CallOptions& options = {}) const;
};

// Gives every unnamed layer of a model its default name in Keras: dense, dense_1, max_pooling2d, and input_1
// for inputs. The numbers begin anew in each model and skip names that are in use, also in nested models.
// Weight names are flat as in Keras 2: the kernel of a nested model's layer dense is dense/kernel, so all
// layers inside one outer model need different names. Throws InputError if two of `layers` have the same
// name.
void name_layers(const Layer& model, const std::vector<LayerPtr>& layers);

// Converts a class name to Keras' spelling of layer names: Conv2D becomes conv2d, MaxPooling2D max_pooling2d,
// and ReLU re_lu.
std::string snake_case(std::string_view class_name);

}  // namespace wt::model
