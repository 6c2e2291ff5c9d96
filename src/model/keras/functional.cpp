#include "model/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "model/keras/inbound.h"
#include "model/layers/reader.h"

namespace wt::model::keras {

namespace {

using json::Kind;
using json::Value;

// An entry of the list of layers: a layer and its calls.
struct Entry {
  LayerPtr layer{};
  std::vector<Inbound> calls{};
  std::size_t first_node = 0;   // the node of the graph that is the first of these calls; the others follow
  std::int64_t first_call = 0;  // the number that the file gives to the first of these calls
  Place place{};
};

// Reads the layers and their calls, makes a node of every call, resolves the references to calls, and sorts
// the nodes topologically.
class GraphReader {
 public:
  explicit GraphReader(Importing& importing) : importing_(importing) {}

  void add_layers(const Value::Elements& entries) {
    for (const Value& entry : entries) add_layer(entry);
    std::size_t nodes = 0;
    for (Entry& entry : entries_) {
      entry.first_node = nodes;
      nodes += entry.calls.size();
    }
    calls_ = nodes;
  }

  // Returns none after a problem.
  std::optional<Functional::Graph> graph(const std::vector<Reference>& inputs,
                                         const std::vector<Reference>& outputs) {
    note_first_calls(outputs);
    Functional::Graph graph;
    graph.nodes.resize(calls_);
    for (const Entry& entry : entries_) bind_calls(entry, graph);
    for (const Reference& input : inputs) graph.inputs.push_back(bind(input).node);
    for (const Reference& output : outputs) graph.outputs.push_back(bind(output));
    if (importing_.problems.any()) return std::nullopt;
    return ordered(std::move(graph));
  }

 private:
  void add_layer(const Value& value) {
    LayerPtr layer = read_layer(value, importing_);
    if (layer == nullptr) return;
    const Value* own_name = value.find("name");
    const std::string name =
        own_name != nullptr && own_name->kind() == Kind::string ? own_name->string() : layer->name();
    Entry entry{layer, {}, 0, 0, value.place()};
    json::Reader reader(value, importing_.problems);
    for (const Value& node : reader.array("inbound_nodes"))
      entry.calls.push_back(read_inbound(node, callee_of(value), importing_.problems));
    if (layer->class_name() == "InputLayer" && entry.calls.empty())
      entry.calls.push_back({{}, {}, value.place()});
    if (!numbers_.emplace(name, entries_.size()).second)
      importing_.problems.add(value.place(),
                              fmt::format("there are two layers named \"{}\"", printable(name)),
                              "rename one, and the calls that refer to it");
    entries_.push_back(std::move(entry));
  }

  // Keras counts the call that is made when a nested model is constructed as its call 0, so the calls in the
  // outer model are numbered from 1. A nested Sequential may be numbered from 0 or from 1, depending on the
  // version of Keras; the highest number in use shows which.
  void note_first_calls(const std::vector<Reference>& outputs) {
    std::map<std::string, std::set<std::int64_t>> used;
    const auto note = [&](const Reference& reference) { used[reference.layer].insert(reference.call); };
    for (const Entry& entry : entries_)
      for (const Inbound& call : entry.calls) std::ranges::for_each(call.inputs, note);
    std::ranges::for_each(outputs, note);
    for (const auto& [name, number] : numbers_) {
      Entry& entry = entries_[number];
      const std::set<std::int64_t>& calls = used[name];
      if (entry.layer->parts().empty() || calls.empty() || calls.contains(0)) continue;
      const bool is_sequential = entry.layer->class_name() == "Sequential";
      const auto count = static_cast<std::int64_t>(entry.calls.size());
      entry.first_call = !is_sequential || calls.contains(count) ? 1 : 0;
    }
  }

  void bind_calls(const Entry& entry, Functional::Graph& graph) {
    for (std::size_t i = 0; i < entry.calls.size(); ++i) {
      Functional::Node node{entry.layer, {}, entry.calls[i].options};
      for (const Reference& input : entry.calls[i].inputs) node.inputs.push_back(bind(input));
      const bool is_input = entry.layer->class_name() == "InputLayer";
      if (node.inputs.empty() != is_input)
        importing_.problems.add(entry.calls[i].place,
                                fmt::format("layer \"{}\" ({}) is called on {}", entry.layer->name(),
                                            entry.layer->class_name(), is_input ? "a tensor" : "nothing"));
      graph.nodes[entry.first_node + i] = std::move(node);
    }
  }

  Functional::Reference bind(const Reference& reference) {
    const auto found = numbers_.find(reference.layer);
    if (found == numbers_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, number] : numbers_) known.push_back(name);
      importing_.problems.add(reference.place,
                              fmt::format("there is no layer named \"{}\"", printable(reference.layer)),
                              did_you_mean(reference.layer, known));
      return {};
    }
    const Entry& entry = entries_[found->second];
    const std::int64_t call = reference.call - entry.first_call;
    const auto calls = static_cast<std::int64_t>(entry.calls.size());
    if (call < 0 || call >= calls || reference.output < 0) {
      importing_.problems.add(
          reference.place,
          fmt::format("call {}, output {} of layer \"{}\" does not exist", reference.call, reference.output,
                      printable(reference.layer)),
          fmt::format("number of its calls: {}, counted from {}", calls, entry.first_call));
      return {};
    }
    return {entry.first_node + static_cast<std::size_t>(call), static_cast<std::size_t>(reference.output)};
  }

  // Sorts the nodes topologically, and by their order in the file where the topological order leaves a
  // choice. Returns none, after a problem, if the calls form a cycle.
  std::optional<Functional::Graph> ordered(Functional::Graph graph) {
    const std::size_t count = graph.nodes.size();
    std::vector<std::vector<std::size_t>> readers(count);
    std::vector<std::size_t> missing(count), place_of(count);
    std::set<std::size_t> ready;
    for (std::size_t node = 0; node < count; ++node) {
      missing[node] = graph.nodes[node].inputs.size();
      for (const Functional::Reference& input : graph.nodes[node].inputs) readers[input.node].push_back(node);
      if (missing[node] == 0) ready.insert(node);
    }
    Functional::Graph sorted;
    while (!ready.empty()) {
      const std::size_t node = *ready.begin();
      ready.erase(ready.begin());
      place_of[node] = sorted.nodes.size();
      sorted.nodes.push_back(graph.nodes[node]);
      for (const std::size_t reader : readers[node])
        if (--missing[reader] == 0) ready.insert(reader);
    }
    if (sorted.nodes.size() < count) {
      report_cycle(missing);
      return std::nullopt;
    }
    const auto moved = [&](Functional::Reference& reference) { reference.node = place_of[reference.node]; };
    for (Functional::Node& node : sorted.nodes) std::ranges::for_each(node.inputs, moved);
    for (std::size_t input : graph.inputs) sorted.inputs.push_back(place_of[input]);
    std::ranges::for_each(graph.outputs, moved);
    sorted.outputs = std::move(graph.outputs);
    return sorted;
  }

  void report_cycle(const std::vector<std::size_t>& missing) {
    for (const Entry& entry : entries_)
      for (std::size_t i = 0; i < entry.calls.size(); ++i)
        if (missing[entry.first_node + i] > 0) {
          importing_.problems.add(
              entry.calls[i].place,
              fmt::format("layer \"{}\" depends on a cycle of calls", entry.layer->name()),
              "remove the cycle: no call may depend on its own output");
          return;
        }
  }

  Importing& importing_;
  std::vector<Entry> entries_{};
  std::map<std::string, std::size_t, std::less<>> numbers_{};
  std::size_t calls_ = 0;
};

}  // namespace

LayerPtr read_functional(const Value& config, Importing& importing) {
  LayerReader reader(config, importing.problems);
  for (const auto* key : {"dtype", "build_config"}) reader.value(key);
  const std::string name = reader.name();
  const bool trainable = reader.trainable();
  const std::size_t before = importing.problems.found().size();
  GraphReader graph_reader(importing);
  graph_reader.add_layers(reader.array("layers"));
  const auto references = [&](std::string_view key) {
    const Value* structure = reader.value(key);
    if (structure != nullptr) return read_references(*structure, importing.problems);
    reader.array(key);  // reports that the key is missing
    return std::vector<Reference>{};
  };
  const std::vector<Reference> inputs = references("input_layers");
  const std::vector<Reference> outputs = references("output_layers");
  reader.finish(importing.passed);
  if (importing.problems.found().size() > before) return nullptr;
  auto graph = graph_reader.graph(inputs, outputs);
  if (!graph) return nullptr;
  return std::make_shared<Functional>(name, std::move(*graph), trainable);
}

}  // namespace wt::model::keras
