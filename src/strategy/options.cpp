#include "strategy/options.h"

#include <fmt/format.h>

#include <array>

#include "collective/catalog.h"

namespace wt::strategy {

namespace {

std::vector<std::string_view> all_reduce_names() {
  std::vector<std::string_view> names;
  for (const collective::Algorithm* row : collective::algorithms_of(collective::Operation::all_reduce))
    names.push_back(row->name);
  return names;
}

constexpr std::array<json::Named<CommunicationImplementation>, 3> implementation_rows{
    {{"auto", CommunicationImplementation::automatic},
     {"ring", CommunicationImplementation::ring},
     {"nccl", CommunicationImplementation::nccl}}};

}  // namespace

const Words<CommunicationImplementation> implementations{.noun = "an implementation",
                                                         .rows = implementation_rows};

void visit_algorithm(KeyVisitor& visit, std::optional<AlgorithmName>& algorithm) {
  visit(json::Key{.name = "algorithm",
                  .meaning =
                      "which all-reduce of `list algorithms` runs; what the platform's own library takes "
                      "where absent",
                  .names = all_reduce_names},
        algorithm);
}

void Buckets::keys(KeyVisitor& visit) {
  visit(json::optional(
            "overlap",
            "true: gradients are reduced in buckets while the backward pass goes on, as PyTorch does; "
            "false: none before all are there, as in a loop that clips them by their common norm; "
            "absent: as TensorFlow does, whose packs are reduced as soon as they are complete"),
        overlap);
  visit(json::optional("bucket_cap", "a bucket is closed when it has reached so much; 25 MiB where absent"),
        bucket_cap);
}

void Buckets::check(const Report& report) const {
  if (bucket_cap && !are_used())
    report("strategy.bucket_cap", "without \"overlap\" there are no buckets",
           "leave it out, or add \"overlap\": true");
  if (bucket_cap && *bucket_cap == Bytes(0))
    report("strategy.bucket_cap", "a bucket of nothing never fills",
           "write how much a bucket holds: \"25 MiB\"");
}

Packing Buckets::packing() const {
  Packing packing{.overlap = are_used(), .after_backward = overlap == false};
  if (bucket_cap) packing.bucket_cap = *bucket_cap;
  return packing;
}

void CommunicationOptions::keys(KeyVisitor& visit) {
  visit_word(
      visit,
      json::optional("implementation",
                     "which collectives: TensorFlow's own ring, or NCCL; auto is the ring, on GPUs too"),
      implementation, implementations);
  visit(json::optional("bytes_per_pack",
                       "gradients are packed into buffers that hold more than this; 0 B: into one"),
        bytes_per_pack);
  visit(
      json::optional(
          "timeout",
          "how long a collective may take, from the first that enters it: of one that takes longer "
          "TensorFlow "
          "ends the job; absent: any time, and a lost worker is found out by asking, after half a minute or "
          "more"),
      timeout);
}

void Hints::keys(KeyVisitor& visit) {
  visit_object(
      visit,
      json::optional("communication_options", "hints of multi_worker_mirrored, which this strategy ignores"),
      communication_options);
}

std::vector<std::string> Hints::ignored(std::string_view strategy) const {
  if (!communication_options) return {};
  return {fmt::format(
      "\"communication_options\" are hints, which {} ignores; multi_worker_mirrored takes them", strategy)};
}

}  // namespace wt::strategy
