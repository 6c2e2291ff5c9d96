#include "communication/constants.h"

#include <array>
#include <utility>
#include <vector>

#include "base/installation.h"
#include "base/json_reader.h"

namespace wt::communication {

namespace {

using collective::Protocol;
using json::Reader;

constexpr std::array<json::Named<Protocol>, 3> protocols{
    {{"ll", Protocol::ll}, {"ll128", Protocol::ll128}, {"simple", Protocol::simple}}};

const json::Range<Seconds> time{.at_least = Seconds(0)};
const json::Range<BytesPerSecond> rate{.above = BytesPerSecond(0)};
const json::Range<Bytes> size{.above = Bytes(0)};
const json::Range<double> share{.above = 0, .at_most = 1};

void finish(Reader& reader) {
  reader.required<std::string>("source");
  reader.finish();
}

PerProtocol steps_of(Reader& reader) {
  PerProtocol steps;
  for (const auto& [name, protocol] : protocols)
    if (const auto found = reader.maybe<Seconds>(name, time)) steps[protocol] = *found;
  return steps;
}

PerPattern patterns(Reader reader) {
  PerPattern result;
  for (const std::string name : {"ring", "tree"}) {
    Reader each = reader.object(name);
    result[name] = steps_of(each);
    each.finish();
  }
  finish(reader);
  return result;
}

std::map<Protocol, double> payload_of(Reader reader) {
  std::map<Protocol, double> payload;
  for (const auto& [name, protocol] : protocols) payload[protocol] = reader.required<double>(name, share);
  finish(reader);
  return payload;
}

Loops loops(Reader reader) {
  const Loops loops{.start = reader.required<Seconds>("start", time),
                    .loop = reader.required<Seconds>("loop", time),
                    .rate = reader.required<BytesPerSecond>("rate", rate),
                    .channels = reader.required<int>("channels", {.at_least = 1}),
                    .chunk = reader.required<Bytes>("chunk", size)};
  reader.finish();
  return loops;
}

TreeLoops tree_loops(Reader reader) {
  const TreeLoops loops{.loop = reader.required<Seconds>("loop", time),
                        .channels = reader.required<int>("channels", {.at_least = 1})};
  reader.finish();
  return loops;
}

Generation generation(Reader reader) {
  Generation generation{.simple = reader.required<Seconds>("simple", time),
                        .ll_rate = reader.required<BytesPerSecond>("ll_rate", rate),
                        .ll_network = reader.required<BytesPerSecond>("ll_network", rate),
                        .ring_blocks = reader.maybe<BytesPerSecond>("ring_blocks", rate),
                        .ll128_from = reader.maybe<Bytes>("ll128_from", size)};
  generation.tree_share = reader.optional<double>("tree_share", 1, share);
  if (generation.ll128_from) generation.ll128_payload = reader.required<double>("ll128_payload", share);
  if (auto found = reader.optional_object("nvls")) generation.nvls = loops(std::move(*found));
  if (auto found = reader.optional_object("nvls_joined")) generation.nvls_joined = loops(std::move(*found));
  if (auto found = reader.optional_object("nvls_tree")) generation.nvls_tree = tree_loops(std::move(*found));
  finish(reader);
  return generation;
}

std::map<std::string, PerProtocol, std::less<>> generations_of(Reader reader) {
  std::map<std::string, PerProtocol, std::less<>> result;
  for (const std::string name : {"volta", "ampere", "hopper", "blackwell", "cdna2", "cdna3", "cdna4"})
    if (auto each = reader.optional_object(name)) {
      result[name] = steps_of(*each);
      each->finish();
    }
  reader.finish();
  return result;
}

Network network(Reader reader) {
  Network network{.step = steps_of(reader),
                  .ll_rate = reader.maybe<BytesPerSecond>("ll_rate", rate),
                  .ll128_rate = reader.maybe<BytesPerSecond>("ll128_rate", rate),
                  .chunk = reader.maybe<Bytes>("chunk", size),
                  .stored = reader.optional<double>("stored", 0, json::Range<double>{.at_least = 0}),
                  .branched = reader.optional<double>("branched", 1, share)};
  if (auto generations = reader.optional_object("generations"))
    network.of_generation = generations_of(std::move(*generations));
  network.has_nvls_tree = reader.optional<bool>("nvls_tree", true);
  network.has_ll = network.step.contains(Protocol::ll);
  network.has_ll128 = network.step.contains(Protocol::ll128);
  finish(reader);
  return network;
}

Launch launch(Reader reader) {
  const Launch launch{.call = reader.optional<Seconds>("call", {}, time),
                      .per_device = reader.optional<Seconds>("per_device", {}, time)};
  finish(reader);
  return launch;
}

template <class Row>
std::map<std::string, Row, std::less<>> table(Reader& reader, std::string_view key, Row (*read)(Reader),
                                              Problems& problems) {
  std::map<std::string, Row, std::less<>> rows;
  const json::Value* found = reader.value(key);
  if (found == nullptr || found->kind() != json::Kind::object) {
    reader.problem(key, "expected an object of named rows");
    return rows;
  }
  for (const json::Member& member : found->members()) rows[member.key] = read(Reader(member.value, problems));
  return rows;
}

Transfer transfer(Reader reader) {
  const Transfer transfer{.latency = reader.required<Seconds>("latency", time),
                          .rate = reader.required<BytesPerSecond>("rate", rate)};
  reader.finish();
  return transfer;
}

Grpc grpc(Reader reader) {
  const Grpc grpc{.ring = transfer(reader.object("ring")),
                  .pull = transfer(reader.object("pull")),
                  .push = transfer(reader.object("push")),
                  .dispatch = reader.required<Seconds>("dispatch", time)};
  finish(reader);
  return grpc;
}

Staging staging(Reader reader) {
  const Staging staging{.ll = reader.required<double>("ll", share),
                        .cache = reader.required<Bytes>("cache", size),
                        .beyond_cache = reader.required<double>("beyond_cache", share)};
  finish(reader);
  return staging;
}

LlChannel ll_channel(Reader reader) {
  const LlChannel channel{.rate = reader.required<BytesPerSecond>("rate", rate),
                          .bytes = reader.required<Bytes>("bytes", size)};
  finish(reader);
  return channel;
}

Synchronization synchronization(Reader reader) {
  const Synchronization synchronization{
      .spread = reader.required<double>("spread", json::Range<double>{.at_least = 0, .at_most = 1}),
      .process = reader.required<Seconds>("process", time)};
  finish(reader);
  return synchronization;
}

}  // namespace

Constants read_constants(const std::filesystem::path& file) {
  Problems problems;
  const json::Value text = json::parse_file(file);
  Reader reader(text, problems);
  Constants constants{.base = patterns(reader.object("base")),
                      .payload = payload_of(reader.object("payload")),
                      .nvlink = patterns(reader.object("nvlink")),
                      .pcie = patterns(reader.object("pcie")),
                      .xgmi = patterns(reader.object("xgmi")),
                      .staging = staging(reader.object("staged"))};
  Reader copies = reader.object("host_copies");
  constants.host_copies_below = copies.required<Bytes>("below", size);
  constants.host_copies_share = copies.required<double>("share", share);
  finish(copies);
  constants.generations = table(reader, "generations", generation, problems);
  constants.networks = table(reader, "networks", network, problems);
  constants.launches = table(reader, "launch", launch, problems);
  constants.ll_channel = ll_channel(reader.object("ll_channel"));
  constants.synchronization = synchronization(reader.object("synchronization"));
  constants.grpc = grpc(reader.object("grpc"));
  reader.finish();
  problems.throw_if_any();
  return constants;
}

namespace {

const Constants* others = nullptr;  // that stand in the place of the file's; null: none do

}  // namespace

const Constants& constants() {
  static const Constants all = read_constants(data_folder("platforms") / "communication.json");
  return others != nullptr ? *others : all;
}

OtherConstants::OtherConstants(const Constants& other) : before_(std::exchange(others, &other)) {}
OtherConstants::~OtherConstants() { others = before_; }

}  // namespace wt::communication
