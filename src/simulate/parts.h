#pragma once
// A job's parts: activities that wait for each other, directly or through others. No activity of one part
// knows of another part's, but on the links that they share.

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/job.h"

namespace wt::simulate {

class Parts {
 public:
  // Of a job with more than `most` parts, one too many of them. Requires: the job outlives it.
  Parts(const Job& job, std::size_t most);

  // In the order of their first activities; each in ascending order.
  std::size_t size() const { return parts_.size(); }
  std::span<const std::int32_t> operator[](std::size_t part) const { return parts_[part]; }

  // Equal but for the names of their links.
  bool are_alike(std::size_t a, std::size_t b) const;

  // By part: the first one that is like it.
  std::vector<std::int32_t> kinds() const;

 private:
  bool are_activities_alike(std::int32_t mine, std::int32_t other) const;
  std::int32_t position(std::int32_t activity) const { return position_[static_cast<std::size_t>(activity)]; }

  const Job& job_;
  std::vector<std::int32_t> position_;  // by activity, in its part
  std::vector<std::vector<std::int32_t>> parts_{};
};

}  // namespace wt::simulate
