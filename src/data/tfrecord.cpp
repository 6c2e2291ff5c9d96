#include "data/tfrecord.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "data/empty_rows.h"
#include "data/example.h"
#include "data/feature_numbers.h"
#include "data/record_file.h"

namespace wt::data {
namespace {

// Reads the records of one file into tensors.
class RecordReader {
 public:
  RecordReader(const RecordRows& wanted, const std::vector<TensorSpec>& rows, const NamedFile& file)
      : wanted_(wanted), file_(file.path, file.named_at), count_(std::ssize(file_.records())) {
    tensors_ = empty_rows(rows, count_, file_.name());
  }

  std::shared_ptr<const Rows> read() {
    for (row_ = 0; row_ < count_ && !is_full(); ++row_)
      read_record(file_.records()[static_cast<std::size_t>(row_)]);
    problems_.throw_if_any();
    return rows_of(std::move(tensors_));
  }

 private:
  bool is_full() const { return problems_.found().size() >= most_problems_of_data; }

  void read_record(const Record& record) {
    if (!record.is_intact)
      return add("its data have a wrong checksum", "the file is damaged: write it again");
    const std::optional<Example> example = parse_example(record.data);
    if (!example)
      return add("its data are no tf.train.Example", "write tf.train.Example(...).SerializeToString()");
    for (std::size_t i = 0; i < wanted_.tensors.size() && !is_full(); ++i) read_tensor(i, *example);
  }

  void read_tensor(std::size_t i, const Example& example) {
    const RecordTensor& tensor = wanted_.tensors[i];
    const RecordFeature& feature = wanted_.features[tensor.feature];
    const auto found = example.find(feature.name);
    if (found == example.end()) return add_missing(feature.name, example);
    const Tensor row = tensors_[i].rows(row_, row_ + 1);
    if (const auto fault = write_feature(found->second, feature, tensor, row.view()))
      add(fmt::format("the feature \"{}\" {}", printable(feature.name), fault->fact), fault->remedy);
  }

  void add_missing(const std::string& name, const Example& example) {
    std::vector<std::string> shown;
    for (const auto& [known, feature] : example) shown.push_back(printable(known));
    add(fmt::format("there is no feature \"{}\"", printable(name)),
        did_you_mean(name, std::vector<std::string_view>(shown.begin(), shown.end())));
  }

  void add(std::string fact, std::string remedy) {
    Place place;
    place.file = file_.name();
    const std::size_t begin = file_.records()[static_cast<std::size_t>(row_)].begin;
    problems_.add(std::move(place), fmt::format("record {}, at byte {}: {}", row_, begin, fact),
                  std::move(remedy));
  }

  const RecordRows& wanted_;
  RecordFile file_;
  std::int64_t count_;
  std::int64_t row_ = 0;
  Problems problems_{};
  std::vector<Tensor> tensors_{};
};

}  // namespace

Dataset read_tfrecords(const RecordRows& wanted) {
  Problems problems;
  std::vector<TensorSpec> rows;
  for (const RecordTensor& tensor : wanted.tensors) {
    const RecordFeature& feature = wanted.features[tensor.feature];
    std::optional<FeatureFault> fault;
    rows.push_back(row_of(tensor, feature, fault));
    if (fault)
      problems.add(tensor.named_at,
                   fmt::format("the feature \"{}\" {}", printable(feature.name), fault->fact), fault->remedy);
  }
  problems.throw_if_any();
  std::vector<std::shared_ptr<const Rows>> files;
  for (const NamedFile& file : wanted.files) files.push_back(RecordReader(wanted, rows, file).read());
  return Dataset::from_files(std::move(files), names_of(wanted.files));
}

}  // namespace wt::data
