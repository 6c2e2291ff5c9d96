#include "simulate/turn.h"

namespace wt::simulate {

Turn::Turn(const Job& job, const Parts& parts)
    : job_(&job),
      parts_(&parts),
      link_(job.bandwidths.size(), nobody),
      from_(link_),
      part_(parts.size(), nobody),
      taken_(parts.size(), false) {}

std::optional<Turn> Turn::find(const Job& job, const Parts& parts, const std::vector<std::int32_t>& kinds,
                               std::size_t from, std::size_t to) {
  Turn turn(job, parts);
  if (!turn.take(from, to)) return std::nullopt;
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (turn.part_[part] == nobody && !turn.take_any(part, kinds)) return std::nullopt;
  return turn;
}

bool Turn::take_any(std::size_t part, const std::vector<std::int32_t>& kinds) {
  for (std::size_t image = 0; image < parts_->size(); ++image)
    if (!taken_[image] && kinds[image] == kinds[part] && take(part, image)) return true;
  return false;
}

bool Turn::take(std::size_t part, std::size_t image) {
  noted_.clear();
  const auto mine = (*parts_)[part], others = (*parts_)[image];
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (!take_route(static_cast<std::size_t>(mine[i]), static_cast<std::size_t>(others[i]))) {
      forget();
      return false;
    }
  part_[part] = static_cast<std::int32_t>(image);
  taken_[image] = true;
  return true;
}

bool Turn::take_route(std::size_t mine, std::size_t other) {
  const auto links = job_->route_of(job_->activities[mine]), images = job_->route_of(job_->activities[other]);
  for (std::size_t hop = 0; hop < links.size(); ++hop)
    if (!take_link(static_cast<std::size_t>(links[hop]), static_cast<std::size_t>(images[hop]))) return false;
  return true;
}

bool Turn::take_link(std::size_t link, std::size_t image) {
  if (link_[link] != nobody || from_[image] != nobody) return link_[link] == static_cast<std::int32_t>(image);
  if (job_->bandwidths[link] != job_->bandwidths[image]) return false;
  link_[link] = static_cast<std::int32_t>(image);
  from_[image] = static_cast<std::int32_t>(link);
  noted_.push_back(link);
  return true;
}

void Turn::forget() {
  for (const std::size_t link : noted_) {
    from_[static_cast<std::size_t>(link_[link])] = nobody;
    link_[link] = nobody;
  }
}

std::int32_t Turn::order() const {
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
