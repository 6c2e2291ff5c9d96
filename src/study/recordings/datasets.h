#pragma once
// What recordings of the kind `data` have in common: how elements are recorded, and the strategies that datasets are
// distributed over.

#include <functional>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "data/distribute.h"
#include "study/recordings/comparison.h"

namespace wt::recordings {

// Python's end of an iteration, where an iterator here gives nothing.
class StopIteration : public InputError {
 public:
  StopIteration() : InputError("the iteration has ended") {}
};

// The names of the components of an element; none for elements of one component.
using ComponentNames = std::vector<std::string>;

// Recorded numbers as text: [[0, 1], [2]].
std::string text_of(const json::Value& recorded);
// The same of an element, and of what each replica got. Rows of bytes are texts (data/text_lines.h).
std::string text_of(const data::Element& element, const ComponentNames& names = {});
std::string text_of(const std::vector<data::Element>& replicas, const ComponentNames& names = {});

inline constexpr std::int64_t no_limit = 1'000;

// The elements of epochs, at most so many of each: [epoch, epoch, ...].
struct Epochs {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::int64_t limit = no_limit;
};
std::string text_of(const data::Dataset& dataset, const Epochs& epochs);
std::string text_of(const data::DistributedDataset& dataset, const Epochs& epochs,
                    const ComponentNames& names = {});

// The text of an element_spec, with rows of bytes as texts.
std::string recorded_spec(const std::string& element_spec);

// Calls what a recording has under this key, and compares the text that it returns, or the error.
void compare_call(const Recording& recording, Comparison& comparison, const std::string& key,
                  const std::function<std::string()>& call);

// The distribution over "mirrored3", "central2", "one1" or "default".
data::Distribution distribution_named(const std::string& strategy);

// What was recorded of a distributed dataset, with keys that begin with `tag`: its spec, its elements by each way to get
// them, and the errors at their end.
inline constexpr std::int64_t most_steps = 12;
void compare_distributed(const Recording& recording, Comparison& comparison, const std::string& tag,
                         const data::DistributedDataset& dataset, const ComponentNames& names = {});

// "AUTO". Throws InputError for another name than those of the policies.
data::AutoShardPolicy policy_named(const std::string& wanted);

// The keys of values and errors.
std::vector<std::string> keys_of(const Recording& recording);

// Text files of these rows, which last as long as this object.
class TextFiles {
 public:
  void add(std::int64_t first, std::int64_t count);  // the lines first, first + 1, ...
  data::Dataset lines() const;
  data::Dataset lines(data::Interleaving interleaving) const;

 private:
  TemporaryFolder folder_{};
  std::vector<std::string> paths_{};
};

}  // namespace wt::recordings
