#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/collective_table.h"
#include "communication/bound.h"
#include "communication/timing.h"

namespace wt {

// One of the catalog's, what the machine's own library chooses, or a schedule from a file: windtunnel's text form,
// or MSCCL's XML.
struct CollectiveChoice {
  const collective::Algorithm* algorithm = nullptr;
  bool is_automatic = false;
  std::string file{};
  std::string text{};
};

// Runs collectives among groups of a platform's devices, all groups at once. Every refusal is an InputError.
class CollectiveClock {
 public:
  CollectiveClock(CollectiveQuestion question, std::vector<communication::Group> groups);
  CollectiveClock(const CollectiveClock&) = delete;
  CollectiveClock& operator=(const CollectiveClock&) = delete;

  CollectiveRow time(const CollectiveChoice& choice, Bytes size);
  collective::Expanded schedule(const CollectiveChoice& choice, Bytes size) const;  // the first group's
  std::string trace(const CollectiveChoice& choice, Bytes size) const;              // Chrome's format

  // Whole ones, and equal parts, as nccl-tests has it. InputError where there are none, or too many.
  std::int64_t elements(Bytes size) const;
  const CollectiveQuestion& question() const { return question_; }

 private:
  // How one size is carried out.
  struct Carried {
    std::string algorithm{};
    std::string runner_up{};
    std::vector<communication::Call> calls{};         // by group
    std::optional<collective::Expanded> from_file{};  // else the calls' own
    collective::Contract contract{};
  };
  Carried carried(const CollectiveChoice& choice, Bytes size) const;
  void choose(Carried& carried, const CollectiveChoice& choice, Bytes size) const;
  communication::Call call(const communication::Group& group, const collective::Algorithm& algorithm,
                           Bytes size, std::optional<collective::Protocol> protocol) const;
  collective::Request request(Bytes size) const;
  collective::Expanded read(const CollectiveChoice& choice, Bytes size) const;
  communication::Timing timed(const Carried& carried) const;
  communication::Played played(const Carried& carried) const;
  Seconds in_place(const Carried& carried) const;

  CollectiveQuestion question_;
  const std::vector<communication::Group> groups_;
  const communication::Group& first_ = groups_.front();
  communication::Bounds bounds_{first_};
};

}  // namespace wt
