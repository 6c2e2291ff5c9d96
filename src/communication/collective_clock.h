#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "communication/bound.h"
#include "communication/collective_question.h"
#include "communication/collective_row.h"
#include "communication/timing.h"

namespace wt::communication {

// One of the catalog's, what the machine's own library chooses, or a schedule from a file: windtunnel's text form,
// or MSCCL's XML.
struct CollectiveChoice {
  const collective::Algorithm* algorithm = nullptr;
  bool is_automatic = false;
  std::string file{};
  std::string text{};
};

// Every move of all groups, with its start and end.
struct Recording {
  Played played{};
  plan::Timeline timeline{};
};

// Runs collectives among groups of a platform's devices, all groups at once. Every refusal is an InputError.
class CollectiveClock {
 public:
  CollectiveClock(CollectiveQuestion question, std::vector<Group> groups);
  CollectiveClock(const CollectiveClock&) = delete;
  CollectiveClock& operator=(const CollectiveClock&) = delete;

  CollectiveRow time(const CollectiveChoice& choice, Bytes size);
  collective::Expanded schedule(const CollectiveChoice& choice, Bytes size) const;  // the first group's
  Call library_call(Bytes size) const;  // what the first group's library does
  Recording record(const CollectiveChoice& choice, Bytes size) const;

  // Whole ones, and equal parts, as nccl-tests has it. InputError where there are none, or too many.
  std::int64_t elements(Bytes size) const;
  const CollectiveQuestion& question() const { return question_; }

 private:
  // How one size is carried out.
  struct Carried {
    std::string algorithm{};
    std::string runner_up{};
    std::vector<Call> calls{};                        // by group
    std::optional<collective::Expanded> from_file{};  // else the calls' own
    collective::Contract contract{};
  };
  Carried carried(const CollectiveChoice& choice, Bytes size) const;
  void choose(Carried& carried, const CollectiveChoice& choice, Bytes size) const;
  Call call(const Group& group, const collective::Algorithm& algorithm, Bytes size,
            std::optional<collective::Protocol> protocol) const;
  collective::Request request(Bytes size) const;
  collective::Expanded read(const CollectiveChoice& choice, Bytes size) const;
  Timing timed(const Carried& carried) const;
  Played played(const Carried& carried) const;
  Seconds in_place(const Carried& carried) const;

  CollectiveQuestion question_;
  const std::vector<Group> groups_;
  const Group& first_ = groups_.front();
  Bounds bounds_{first_};
};

}  // namespace wt::communication
