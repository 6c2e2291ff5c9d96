#include "simulate/automorphism.h"

namespace wt::simulate {

Automorphism::Automorphism(const Job& job, const Parts& parts)
    : job_(&job),
      parts_(&parts),
      link_(job.bandwidths.size(), none),
      source_(link_),
      part_(parts.size(), none),
      is_image_(parts.size(), false) {}

std::optional<Automorphism> Automorphism::find(const Job& job, const Parts& parts,
                                               const std::vector<std::int32_t>& kinds, std::size_t from,
                                               std::size_t to) {
  Automorphism map(job, parts);
  if (!map.map_part(from, to)) return std::nullopt;
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (map.part_[part] == none && !map.map_to_any(part, kinds)) return std::nullopt;
  return map;
}

bool Automorphism::map_to_any(std::size_t part, const std::vector<std::int32_t>& kinds) {
  for (std::size_t image = 0; image < parts_->size(); ++image)
    if (!is_image_[image] && kinds[image] == kinds[part] && map_part(part, image)) return true;
  return false;
}

bool Automorphism::map_part(std::size_t part, std::size_t image) {
  mapped_.clear();
  const auto mine = (*parts_)[part], others = (*parts_)[image];
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (!map_route(static_cast<std::size_t>(mine[i]), static_cast<std::size_t>(others[i]))) {
      undo();
      return false;
    }
  part_[part] = static_cast<std::int32_t>(image);
  is_image_[image] = true;
  return true;
}

bool Automorphism::map_route(std::size_t activity, std::size_t image) {
  const auto links = job_->route_of(job_->activities[activity]),
             images = job_->route_of(job_->activities[image]);
  for (std::size_t hop = 0; hop < links.size(); ++hop)
    if (!map_link(static_cast<std::size_t>(links[hop]), static_cast<std::size_t>(images[hop]))) return false;
  return true;
}

bool Automorphism::map_link(std::size_t link, std::size_t image) {
  if (link_[link] != none || source_[image] != none) return link_[link] == static_cast<std::int32_t>(image);
  if (job_->bandwidths[link] != job_->bandwidths[image]) return false;
  link_[link] = static_cast<std::int32_t>(image);
  source_[image] = static_cast<std::int32_t>(link);
  mapped_.push_back(link);
  return true;
}

void Automorphism::undo() {
  for (const std::size_t link : mapped_) {
    source_[static_cast<std::size_t>(link_[link])] = none;
    link_[link] = none;
  }
}

std::int32_t Automorphism::order() const {
  std::int32_t order = 0;
  for (std::size_t part = 0; part < part_.size(); ++part) {
    std::int32_t steps = 1;
    for (std::size_t at = this->part(part); at != part; at = this->part(at)) ++steps;
    if (part > 0 && steps != order) return 0;
    order = steps;
  }
  return order;
}

}  // namespace wt::simulate
