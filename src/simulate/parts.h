#pragma once
// The parts of a job: the connected components of its activities under "waits for" and "is behind".
// Activities of different parts influence each other only through the links that they share. The lanes of a
// collective are parts.

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/job.h"

namespace wt::simulate {

class Parts {
 public:
  // Stops after `most` + 1 parts, so that a job with very many parts costs little. Requires: the job outlives
  // this.
  Parts(const Job& job, std::size_t most);

  // In the order of their first activities. Each part is in ascending order.
  std::size_t size() const { return parts_.size(); }
  std::span<const std::int32_t> operator[](std::size_t part) const { return parts_[part]; }

  // True when the parts differ only in which links they use.
  bool are_alike(std::size_t a, std::size_t b) const;

  // By part: the first part that is like it.
  std::vector<std::int32_t> kinds() const;

 private:
  bool are_activities_alike(std::int32_t mine, std::int32_t other) const;
  std::int32_t position(std::int32_t activity) const { return position_[static_cast<std::size_t>(activity)]; }

  const Job& job_;
  std::vector<std::int32_t> position_;  // by activity, in its part
  std::vector<std::vector<std::int32_t>> parts_{};
};

}  // namespace wt::simulate
