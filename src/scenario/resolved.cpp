#include "scenario/resolved.h"

#include <type_traits>

#include "base/json_writer.h"
#include "base/overloaded.h"
#include "scenario/choices.h"
#include "scenario/keys.h"
#include "scenario/names.h"

namespace wt::scenario {
namespace {

using json::write_value;

class ResolvedWriter {
 public:
  ResolvedWriter(json::Writer& out, std::filesystem::path folder, const Scenario& scenario)
      : out_(out),
        folder_(std::move(folder)),
        semantics_(scenario.semantics),
        loop_(scenario.training.loop),
        has_own_rate_(scenario.training.learning_rate_by_batch.empty()) {}

  template <class T>
  void operator()(const Key& key, const T& member) {
    if (!is_there(member)) return;
    out_.key(key.name);
    write(key, member);
  }

  void later(std::string_view, std::string_view) {}
  void exactly_one(Together) {}
  void at_most_one(Together) {}

 private:
  template <class T>
  static bool is_there(const T&) {
    return true;
  }
  template <class T>
  static bool is_there(const std::optional<T>& member) {
    return member.has_value();
  }
  template <class Name, class T>
  static bool is_there(const std::map<Name, T>& member) {
    return !member.empty();
  }
  static bool is_there(const Choice& member) { return member.written.has_value(); }
  static bool is_there(const OutputChoice& member) { return member.written.has_value(); }
  static bool is_there(const std::vector<std::string>& member) { return !member.empty(); }
  static bool is_there(const TensorNames& member) { return !member.names.empty(); }
  static bool is_there(const ColumnLists& member) { return !member.tensors.empty(); }
  static bool is_there(const ClassWeights& member) { return !member.of.empty(); }
  static bool is_there(const std::vector<Fault>& member) { return !member.empty(); }
  static bool is_there(const std::vector<train::Callback>& member) { return !member.empty(); }
  static bool is_there(const strategy::Word& member) { return member.index.has_value(); }
  static bool is_there(const strategy::Object& member) { return member.is_given; }
  static bool is_there(const strategy::WordOrObject& member) {
    return member.word.index.has_value() || member.object.is_given;
  }
  static bool is_there(const ClusterChoice& member) { return member.written.has_value(); }
  static bool is_there(const PlatformChoice& member) { return member.written.has_value(); }

  template <class T>
  requires std::is_arithmetic_v<T>
  void write(const Key&, T value) { out_.value(value); }
  void write(const Key&, const std::string& value) { out_.value(value); }

  template <class T>
  requires requires { Names<T>::rows; }
  void write(const Key&, T value) { out_.value(scenario::name_of(value)); }

  template <class T>
  void write(const Key& key, const std::optional<T>& value) {
    write(key, *value);
  }

  void write(const Key&, const InputPath& file) {
    const std::filesystem::path path = std::filesystem::absolute(file.path).lexically_normal();
    out_.value(path.lexically_proximate(std::filesystem::absolute(folder_).lexically_normal()).string());
  }
  void write(const Key& key, const InputFiles& files) {
    if (files.patterns.size() == 1) return write(key, InputPath{files.patterns.front()});
    out_.begin_array();
    for (const std::string& pattern : files.patterns) write(key, InputPath{pattern});
    out_.end_array();
  }
  void write(const Key&, const OutputPath& file) { out_.value(file.path); }
  void write(const Key&, const NcclSetting& setting) { out_.value(setting.text); }

  void write(const Key& key, const Choice& choice) {
    Problems problems;
    if (key.name == "loss") {
      model::Loss loss = *model::read_loss(*choice.written, problems);
      if (is_per_row(*choice.written, loop_)) loss.options.reduction = model::LossReduction::none;
      write_loss(out_, loss);
    } else if (key.name == "optimizer") {
      write_optimizer(out_, *model::read_optimizer(*choice.written, problems, semantics_), has_own_rate_);
    } else {
      write_metric(out_, *model::read_metric(*choice.written, problems, semantics_));
    }
    WT_EXPECT(!problems.any(), "\"{}\" was parsed with a problem", key.name);
  }

  void write(const Key&, const TensorNames& tensors) {
    if (tensors.names.size() == 1) return static_cast<void>(out_.value(tensors.names.front()));
    out_.begin_array(json::Layout::one_line);
    for (const std::string& name : tensors.names) out_.value(name);
    out_.end_array();
  }

  void write(const Key&, const train::UpdateFrequency& frequency) {
    if (frequency.steps && *frequency.steps > 1) return static_cast<void>(out_.value(*frequency.steps));
    out_.value(frequency.steps ? "batch" : "epoch");
  }

  void write(const Key& key, const LabelKinds& labels) {
    if (labels.kinds.size() == 1) return write(key, labels.kinds.front());
    out_.begin_array(json::Layout::one_line);
    for (const LabelKind kind : labels.kinds) write(key, kind);
    out_.end_array();
  }

  void write(const Key& key, const ColumnLists& columns) {
    if (columns.tensors.size() == 1) return write(key, columns.tensors.front());
    out_.begin_array(json::Layout::one_line);
    for (const std::vector<std::string>& tensor : columns.tensors) write(key, tensor);
    out_.end_array();
  }

  void write(const Key& key, const ClassLists& classes) {
    out_.begin_object();
    for (const auto& [column, words] : classes) {
      out_.key(column);
      write(key, words);
    }
    out_.end_object();
  }

  void write(const Key& key, const OutputChoice& choice) {
    const std::vector<json::Value> each = choice.each();
    if (choice.written->kind() != json::Kind::array && !choice.is_by_name())
      return write(key, Choice{each.front()});
    write_by_output(choice.names(), each.size(), json::Layout::lines,
                    [&](std::size_t i) { write(key, Choice{each[i]}); });
  }

  // A list, or an object by the names of outputs.
  template <class Write>
  void write_by_output(const std::vector<std::string>& names, std::size_t count, json::Layout layout,
                       Write write_one) {
    if (names.empty())
      out_.begin_array(layout);
    else
      out_.begin_object(layout);
    for (std::size_t i = 0; i < count; ++i) {
      if (!names.empty()) out_.key(names[i]);
      write_one(i);
    }
    if (names.empty())
      out_.end_array();
    else
      out_.end_object();
  }

  void write(const Key& key, const std::vector<Choice>& choices) {
    out_.begin_array();
    for (const Choice& choice : choices) write(key, choice);
    out_.end_array();
  }

  void write(const Key& key, const OutputMetrics& metrics) {
    if (!metrics.is_by_output)
      return write(key, metrics.lists.empty() ? std::vector<Choice>{} : metrics.lists.front());
    write_by_output(metrics.names, metrics.lists.size(), json::Layout::lines,
                    [&](std::size_t i) { write(key, metrics.lists[i]); });
  }

  void write(const Key&, const std::map<std::int64_t, double>& rates) {
    out_.begin_object(json::Layout::one_line);
    for (const auto& [batch, rate] : rates) out_.member(std::to_string(batch), rate);
    out_.end_object();
  }

  void write(const Key&, const std::vector<double>& numbers) {
    out_.begin_array(json::Layout::one_line);
    for (const double number : numbers) out_.value(number);
    out_.end_array();
  }

  void write(const Key&, const ClassWeights& weights) {
    out_.begin_object(json::Layout::one_line);
    for (const auto& [of, weight] : weights.of) out_.member(std::to_string(of), weight);
    out_.end_object();
  }

  void write(const Key&, const std::vector<train::Callback>& callbacks) {
    out_.begin_array();
    for (const train::Callback& callback : callbacks) {
      out_.begin_object().member(callback_type.name, train::name_of(callback));
      std::visit([&](const auto& kind) { list(kind); }, callback);
      out_.end_object();
    }
    out_.end_array();
  }

  void write(const Key&, const OutputNumbers& numbers) {
    write_by_output(numbers.names, numbers.values.size(), json::Layout::one_line,
                    [&](std::size_t i) { out_.value(numbers.values[i]); });
  }

  void write(const Key&, const Numbers& numbers) {
    std::size_t next = 0;
    write_numbers(numbers, 0, next);
  }
  void write_numbers(const Numbers& numbers, std::size_t depth, std::size_t& next) {
    if (depth == numbers.shape.size()) {
      out_.value(numbers.values[next++]);
      return;
    }
    out_.begin_array(json::Layout::one_line);
    for (std::int64_t i = 0; i < numbers.shape[depth]; ++i) write_numbers(numbers, depth + 1, next);
    out_.end_array();
  }

  void write(const Key&, const PlatformChoice& platform) {
    const json::Value& written = *platform.written;
    const json::Value* file = written.kind() == json::Kind::object ? written.find("file") : nullptr;
    if (file == nullptr && written.kind() == json::Kind::object) return write_value(out_, written);
    if (file == nullptr) return write_platform_file(platform, written);
    out_.begin_object();
    for (const json::Member& member : written.members()) {
      out_.key(member.key);
      if (&member.value == file)
        write_platform_file(platform, *file);
      else
        write_value(out_, member.value);
    }
    out_.end_object();
  }
  // The name of a platform stays as it is, and a path becomes relative to the folder of the result.
  void write_platform_file(const PlatformChoice& platform, const json::Value& name) {
    if (name.kind() == json::Kind::string && name.string().ends_with(".json"))
      write({}, InputPath{(std::filesystem::path(platform.folder) / name.string()).string()});
    else
      write_value(out_, name);
  }
  void write(const Key&, const ClusterChoice& cluster) { write_value(out_, *cluster.written); }
  void write(const Key&, strategy::AnyStrategy strategy) {
    out_.begin_object();
    out_.member(strategy_type.name, strategy->name());
    strategy::KeysFor<ResolvedWriter> keys(*this);
    strategy->keys(keys);
    out_.end_object();
  }
  void write(const Key&, const strategy::Word& word) { out_.value(word.names[*word.index]); }
  void write(const Key&, const strategy::Object& object) { write_object(object, json::Layout::lines); }
  void write(const Key& key, const strategy::WordOrObject& member) {
    if (member.word.index)
      write(key, member.word);
    else
      write_object(member.object, json::Layout::one_line);
  }
  void write_object(const strategy::Object& object, json::Layout layout) {
    out_.begin_object(layout);
    strategy::KeysFor<ResolvedWriter> keys(*this);
    object.keys(keys);
    out_.end_object();
  }
  void write(const Key& key, const ComputeChoice& choice) {
    std::visit([&](const auto& form) { write(key, form); }, choice.form);
  }
  void write(const Key&, const strategy::AlgorithmName& algorithm) { out_.value(algorithm.name); }
  void write(const Key&, Bytes bytes) { out_.value(print(bytes)); }
  void write(const Key&, const MemoryLimit& limit) { out_.value(print(limit.bytes)); }
  void write(const Key&, const Seconds& time) { out_.value(print(time)); }
  void write(const Key&, BytesPerSecond rate) { out_.value(print(rate)); }
  void write(const Key&, Watts power) { out_.value(print(power)); }
  void write(const Key&, const Money& money) { out_.value(print(money)); }
  void write(const Key&, const cost::HourlyRate& rate) { out_.value(print(rate)); }
  void write(const Key&, const cost::EnergyPrice& price) { out_.value(print(price)); }
  template <class T>
  requires requires(ResolvedWriter& visit, T& content) { keys_of(visit, content); }
  void write(const Key&, const std::map<std::string, T>& by_name) {
    out_.begin_object();
    for (const auto& [name, content] : by_name) {
      out_.key(name);
      write({}, content);
    }
    out_.end_object();
  }
  void write(const Key&, const std::map<std::string, cost::Price>& prices) {
    out_.begin_object();
    for (const auto& [platform, price] : prices) {
      out_.key(platform);
      write({}, price);
    }
    out_.end_object();
  }
  void write(const Key&, const DecodeRate& decode) {
    const auto* bytes = std::get_if<BytesPerSecond>(&decode.rate);
    out_.value(bytes != nullptr ? print(*bytes)
                                : json::print_number(std::get<double>(decode.rate)) + " samples/s");
  }
  void write(const Key& key, const std::vector<Fault>& faults) {
    out_.begin_array();
    for (const Fault& fault : faults) write(key, fault);
    out_.end_array();
  }
  void write(const Key&, const std::vector<std::string>& words) {
    out_.begin_array(json::Layout::one_line);
    for (const std::string& word : words) out_.value(word);
    out_.end_array();
  }
  void write(const Key&, const std::vector<std::int64_t>& numbers) {
    out_.begin_array(json::Layout::one_line);
    for (const std::int64_t number : numbers) out_.value(number);
    out_.end_array();
  }
  void write(const Key&, const std::map<std::string, std::int64_t>& numbers) {
    out_.begin_object(json::Layout::one_line);
    for (const auto& [name, number] : numbers) out_.member(name, number);
    out_.end_object();
  }
  void write(const Key& key, const std::map<std::string, LogicalDevices>& devices) {
    out_.begin_object();
    for (const auto& [name, logical] : devices) {
      out_.key(name);
      write(key, logical);
    }
    out_.end_object();
  }

  void write(const Key& key, const LogicalDevices& devices) {
    out_.begin_array();
    for (const LogicalDevice& device : devices.cut) write(key, device);
    out_.end_array();
  }

  void write(const Key&, const Dataset& dataset) {
    out_.begin_object().member("type", source_names[dataset.source.index()]);
    std::visit([&](const auto& source) { list(source); }, dataset.source);
    list(dataset);
    out_.end_object();
  }

  void write(const Key&, const Model& model) {
    out_.begin_object();
    std::visit(overloaded{[&](const model::ZooChoice& zoo) {
                            out_.member("zoo", zoo.model->name);
                            list(zoo);
                          },
                          [&](const KerasModel& keras) {
                            out_.key("keras_json");
                            std::visit(
                                overloaded{[&](const InputPath& file) { write({}, file); },
                                           [&](const json::Value& value) { write_value(out_, value); }},
                                keras.keras_json);
                          },
                          [&](const SavedKerasModel& saved) { (*this)(saved_model, saved.keras); },
                          [&](const InlineModel& model_here) {
                            out_.member("name", model_here.name);
                            write_value(out_.key("layers"), *model_here.layers);
                          }},
               model.form);
    (*this)(initial_weights, model.weights);
    out_.end_object();
  }

  template <class T>
  requires requires(ResolvedWriter& visit, T& content) { keys_of(visit, content); }
  void write(const Key&, const T& content) {
    out_.begin_object();
    list(content);
    out_.end_object();
  }

  // By value: keys_of also serves the parser, and takes members that can be changed.
  template <class T>
  void list(T content) {
    keys_of(*this, content);
  }

  json::Writer& out_;
  std::filesystem::path folder_;
  model::Semantics semantics_;
  Loop loop_;
  bool has_own_rate_;
};

}  // namespace

std::string resolved(const Scenario& scenario, const std::filesystem::path& folder) {
  json::Writer out;
  ResolvedWriter writer(out, folder, scenario);
  out.begin_object();
  if (!scenario.description.empty()) out.member("description", scenario.description);
  Scenario copy = scenario;
  keys_of(writer, copy);
  out.end_object();
  return out.text();
}

}  // namespace wt::scenario
