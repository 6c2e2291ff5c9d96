#pragma once
// A turn of a job: links go to links of equal bandwidth, parts to parts that are alike, and the job is its
// own image.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/parts.h"

namespace wt::simulate {

class Turn {
 public:
  // The turn that takes a part to another, if there is one. `kinds` are the parts'. Requires: job and parts
  // outlive it, and these two are of one kind.
  static std::optional<Turn> find(const Job& job, const Parts& parts, const std::vector<std::int32_t>& kinds,
                                  std::size_t from, std::size_t to);

  std::int32_t link(std::int32_t link) const { return link_[static_cast<std::size_t>(link)]; }
  std::size_t part(std::size_t part) const { return static_cast<std::size_t>(part_[part]); }

  // So many turns bring every part back, none of them sooner. 0: some come back before others.
  std::int32_t order() const;

 private:
  Turn(const Job& job, const Parts& parts);
  bool take(std::size_t part, std::size_t image);
  bool take_any(std::size_t part, const std::vector<std::int32_t>& kinds);
  bool take_route(std::size_t mine, std::size_t other);
  bool take_link(std::size_t link, std::size_t image);
  void forget();

  const Job* job_;
  const Parts* parts_;
  std::vector<std::int32_t> link_, from_;  // by link: its image, and whose image it is
  std::vector<std::int32_t> part_;         // by part: its image
  std::vector<bool> taken_;
  std::vector<std::size_t> noted_{};  // links of the part at hand
};

}  // namespace wt::simulate
