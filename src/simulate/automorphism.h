#pragma once
// A map of a job onto itself: links go to links of equal bandwidth, parts go to parts that are alike, and
// each route goes to the route of the corresponding activity.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/parts.h"

namespace wt::simulate {

class Automorphism {
 public:
  // Searches for an automorphism that maps part `from` to part `to`, and takes the first candidate for every
  // other part without going back on a choice, so it may miss one that exists. `kinds` are those of the
  // parts. Requires: job and parts outlive the result, and the two parts are alike.
  static std::optional<Automorphism> find(const Job& job, const Parts& parts,
                                          const std::vector<std::int32_t>& kinds, std::size_t from,
                                          std::size_t to);

  // The images. That of an unused link is `none`.
  std::int32_t link(std::int32_t link) const { return link_[static_cast<std::size_t>(link)]; }
  std::size_t part(std::size_t part) const { return static_cast<std::size_t>(part_[part]); }

  // The number of parts in every orbit of parts; 0 when the orbits differ in size.
  std::int32_t order() const;

 private:
  Automorphism(const Job& job, const Parts& parts);
  bool map_part(std::size_t part, std::size_t image);
  bool map_to_any(std::size_t part, const std::vector<std::int32_t>& kinds);
  bool map_route(std::size_t activity, std::size_t image);
  bool map_link(std::size_t link, std::size_t image);
  void undo();

  const Job* job_;
  const Parts* parts_;
  std::vector<std::int32_t> link_, source_;  // by link: its image, and the link whose image it is
  std::vector<std::int32_t> part_;           // by part: its image
  std::vector<bool> is_image_;               // by part
  std::vector<std::size_t> mapped_{};        // links that the part in progress has mapped
};

}  // namespace wt::simulate
