#pragma once
// Predicts the time of a published collective, as its system's library would carry it out.

#include "communication/group.h"
#include "communication/timing.h"
#include "study/evidence/nccl_systems.h"

namespace wt::evidence {

struct NcclRow {
  Bytes bytes{};
  Seconds published{};
  Seconds by_class{};                   // predicted with the constants of the hardware's class
  Seconds by_tiny{};                    // predicted with the time of the smallest message, too
  std::string algorithm{}, protocol{};  // which NCCL is assumed to choose
  // Of systems that say these by the row: the devices, and the algorithm that was forced, by NCCL's name.
  int devices = 0;
  std::string forced{};
};

class NcclPredictor {
 public:
  // Throws InputError if the system's platform has fewer devices than the rows.
  NcclPredictor(NcclSystem system, collective::Operation operation);

  // With the class's launch time, or with the given one. Also records the algorithm and protocol in the row.
  Seconds time(NcclRow& row, std::optional<Seconds> launch_time = {}) const;
  // The launch time with which the smallest message takes the published time.
  Seconds launch_time(const NcclRow& smallest) const;

 private:
  communication::Group group_for(const NcclRow& row) const;
  collective::Choice choice_for(const NcclRow& row, const communication::Group& group) const;
  std::int64_t elements(Bytes bytes, int ranks) const;

  const NcclSystem system_;
  const collective::Operation operation_;
  const platform::Platform platform_;
  const communication::Group group_;
};

}  // namespace wt::evidence
