#pragma once
// data/ provides the training data: datasets with the transformations of tf.data, readers for IDX
// (Fashion-MNIST), safetensors, CSV and TFRecord files, synthetic data that a model can learn, and the
// distribution of batches over replicas.
//
//   const Dataset data = Dataset::from_tensor_slices({images, labels}).shuffle(1000, {1, 2}).batch(32);
//   for (Iterator elements = data.iterate(epoch); std::optional<Element> batch = elements.next();) ...
//
// An element is a list of tensors, usually features and labels: {float32[32,28,28,1], int32[32]}. A dataset
// is a chain of nodes (node.h), one per transformation, and an iterator opens a chain of streams over it.
// While rows come from a source with random access (rows.h), the streams pass row numbers only, and the
// contents of rows are read when they are batched or returned.
//
// For the same seeds, the elements and their order are TensorFlow's; tests compare them with TensorFlow's own
// expected values. There is no `prefetch`: it would change when an element is computed, but not which
// elements come. The time that an input pipeline takes is simulated elsewhere. This folder contains nothing
// about models or devices.
//
// Read next: rows.h, then dataset.cpp and transforms.cpp, then distribute.h; csv.h, tfrecord.h and text_lines.h for
// files.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/rows.h"
#include "tensor/tensor.h"

namespace wt::data {

// The special values of Dataset::cardinality, which are those of TensorFlow. The cardinality of a generator
// is unknown.
inline constexpr std::int64_t infinite_cardinality = -1;
inline constexpr std::int64_t unknown_cardinality = -2;

inline constexpr std::int64_t forever = -1;  // the argument of `repeat` for an endless dataset

// The type and the shape of one component of the elements, like tf.TensorSpec. An extent that can differ
// between elements is `unknown_extent`. The number of rows of a batch is unknown because the last batch may
// be smaller, unless the batches were made with drop_remainder.
inline constexpr std::int64_t unknown_extent = -1;
struct ComponentSpec {
  Type type = Type::float32;
  std::vector<std::int64_t> extents{};

  bool describes(const TensorSpec& tensor) const;  // whether a component may be such a tensor
  // The spec of one row of a batched component. Requires: there is an axis 0, and the extents of all other
  // axes are known.
  TensorSpec row() const;
  friend bool operator==(const ComponentSpec&, const ComponentSpec&) = default;
};

ComponentSpec exactly(const TensorSpec& spec);  // a spec with all extents known
std::string print(const ComponentSpec& spec);   // "float32[?,28,28,1]"
// As TensorFlow prints an element_spec: "TensorSpec(shape=(None, 28, 28, 1), dtype=tf.float32, name=None)".
std::string tensor_spec(const ComponentSpec& spec);
// The same for all components of what each replica gets: "PerReplicaSpec(TensorSpec(...), TensorSpec(...))" for two. With
// names it is a dictionary, else a tuple.
std::string element_spec(const std::vector<ComponentSpec>& specs, std::int64_t replicas = 1,
                         const std::vector<std::string>& names = {});

// The seed pair that TensorFlow derives from the `seed` argument of `shuffle` and the global seed. The
// default is TensorFlow's for a program that doesn't call tf.random.set_seed.
Seed shuffle_seed(std::int64_t seed, std::int64_t global = 87654321);

struct Node;
class Stream;
struct Files;

// One iteration over a dataset, like a Python iterator.
class Iterator {
 public:
  Iterator(std::shared_ptr<const Node> node, std::uint64_t epoch);
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;
  ~Iterator();

  // The next element, or nothing after the last one. The caller must not change an element, because it may
  // share its numbers with the dataset.
  std::optional<Element> next();

 private:
  std::shared_ptr<const Node> node_;
  std::unique_ptr<Stream> stream_;
};

// Returns the elements of a generated dataset one after another, and nothing at the end. It isn't called
// after the end.
using Generator = std::function<std::optional<Element>()>;
using Mapping = std::function<Element(Element)>;
using Predicate = std::function<bool(const Element&)>;

// tf.data.experimental.SHARD_HINT, the arguments of a `shard` that AutoShardPolicy.HINT replaces by the number of workers
// and the index of each (autoshard.h).
inline constexpr std::int64_t shard_hint = -1;

// The arguments of padded_batch, for each component. Without shapes, all axes are as long as the longest of the batch;
// so is an axis whose extent is unknown_extent. Without values it is padded with zeros.
struct Padding {
  std::vector<std::vector<std::int64_t>> shapes{};
  std::vector<Tensor> values{};  // scalars of the components' types
  bool drop_remainder = false;
};

// The arguments of window.
struct Windows {
  std::int64_t size = 1;
  std::optional<std::int64_t> shift{};  // between the first elements of windows; the size if unset
  std::int64_t stride = 1;              // between the elements of a window
  bool drop_remainder = false;
};

// How many datasets are read in turn, and how many elements of each before the next one.
struct Interleaving {
  std::int64_t cycle_length = 1;
  std::int64_t block_length = 1;
};

// A dataset like tf.data.Dataset. It is an immutable value, and its copies are the same dataset. The elements
// and their order depend on the dataset and the number of the epoch only, so any epoch can be repeated.
class Dataset {
 public:
  explicit Dataset(std::shared_ptr<const Node> node);

  static Dataset from_rows(std::shared_ptr<const Rows> rows);  // one element per row, in their order
  // One element per row of the files, one file after the other or several in turn. Requires: there is a file, and all
  // have the same specs.
  static Dataset from_files(std::vector<std::shared_ptr<const Rows>> files,
                            std::vector<std::string> names = {});
  static Dataset from_files(std::vector<std::shared_ptr<const Rows>> files, std::vector<std::string> names,
                            Interleaving interleaving);
  static Dataset from_tensors(const Element& element);  // a single element
  // One element per row. Throws ValueError for a scalar, and for tensors with different numbers of rows.
  static Dataset from_tensor_slices(const Element& tensors);
  // `begin` is called at the beginning of each iteration. An element that doesn't match the specs is an
  // InputError.
  static Dataset from_generator(std::vector<ComponentSpec> specs, std::function<Generator()> begin);

  static Dataset range(std::int64_t stop);  // the scalars 0, 1, 2, ... as int64
  static Dataset range(std::int64_t start, std::int64_t stop, std::int64_t step = 1);
  // The components of one element of each dataset, until the first of them ends.
  static Dataset zip(std::vector<Dataset> datasets);
  // An element of the dataset whose number comes next. The end is that of `choices`, or of the dataset chosen.
  static Dataset choose_from_datasets(std::vector<Dataset> datasets, const Dataset& choices);

  // Transformations throw InvalidArgumentError and so on with TensorFlow's text for arguments that it refuses.

  // For the same seeds, the order is TensorFlow's. Elements are drawn from a buffer that holds the next
  // `buffer_size` elements, so an element comes at most buffer_size - 1 positions early.
  Dataset shuffle(std::int64_t buffer_size, Seed seed, bool reshuffle_each_iteration = true) const;
  Dataset batch(std::int64_t rows, bool drop_remainder = false) const;
  Dataset padded_batch(std::int64_t rows, const Padding& padding = {}) const;
  Dataset repeat(std::int64_t count = forever) const;
  Dataset take(std::int64_t count) const;  // -1: all elements
  Dataset skip(std::int64_t count) const;  // -1: all elements
  // Applies a function to each element. The first form is for functions that keep the specs of the elements.
  Dataset map(Mapping function) const;
  Dataset map(std::vector<ComponentSpec> specs, Mapping function) const;

  // Every n-th element, from the one with the index on; shard(shard_hint, shard_hint) for AutoShardPolicy.HINT.
  Dataset shard(std::int64_t shards, std::int64_t index) const;
  // The elements of the first complete iteration, kept in memory: a shuffle before it has one order.
  Dataset cache() const;
  Dataset concatenate(const Dataset& other) const;  // Throws InputError if the specs differ.
  Dataset filter(Predicate predicate) const;
  Dataset take_while(Predicate predicate) const;
  Dataset unique() const;                           // each element once
  Dataset enumerate(std::int64_t start = 0) const;  // with its number as a first component
  // The function gets the state and an element, and returns the next state and what becomes of the element.
  Dataset scan(Element state, std::vector<ComponentSpec> specs,
               std::function<std::pair<Element, Element>(Element state, Element element)> function) const;
  Dataset unbatch() const;
  // The rows of batches, in batches of these sizes in turn (split.h, the even rule).
  Dataset rebatch(std::vector<std::int64_t> sizes, bool drop_remainder = false) const;
  // Each batch in pieces for the replicas (split.h, the legacy rule), one after the other.
  Dataset split_batches(std::int64_t replicas) const;
  // Windows of elements, each stacked like a batch: TensorFlow's windows are datasets, and this is what becomes of
  // them by `.flat_map(lambda window: window.batch(size))`.
  Dataset window(const Windows& windows) const;
  // The elements of the datasets that the function makes of each element.
  Dataset interleave(std::vector<ComponentSpec> specs, std::function<Dataset(Element)> function,
                     Interleaving interleaving) const;
  Dataset flat_map(std::vector<ComponentSpec> specs, std::function<Dataset(Element)> function) const;

  const std::vector<ComponentSpec>& specs() const;
  std::int64_t cardinality() const;  // the number of elements, or one of the special values above
  // The number of rows in all batches, or of elements before a `batch`; or one of the special values. Behind
  // a `take` or `skip` of batches it is unknown, because the last batch may be smaller.
  std::int64_t rows() const;
  // The batch size that TensorFlow infers before it splits batches over replicas. It is the first extent of
  // the components if that is known and equal for all of them, and otherwise the batch size of the last
  // `batch` transformation. The inference doesn't look behind a `map`.
  std::optional<std::int64_t> batch_size() const;

  // The files that the elements are read from, or null. Transformations keep them, so that the files of a
  // whole pipeline can be sharded over workers, as TensorFlow rewrites a pipeline.
  const Files* files() const;

  // The implementation, for the other files of this folder.
  const std::shared_ptr<const Node>& node() const { return node_; }

  // Iterates over one epoch. A shuffle with reshuffle_each_iteration has another order in every epoch.
  Iterator iterate(std::uint64_t epoch = 0) const;

 private:
  std::shared_ptr<const Node> node_;
};

// A dataset that is read from `count` files. `read` builds the dataset of some of the files, given by their
// numbers, with all transformations of the whole one.
struct Files {
  std::int64_t count = 0;
  std::function<Dataset(std::span<const std::int64_t> files)> read{};
  std::vector<std::string> names{};  // of the files; none if they aren't known
};

}  // namespace wt::data
