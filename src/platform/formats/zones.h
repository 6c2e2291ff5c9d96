#pragma once
// Networks as SimGrid describes them: nested zones, each with a rule for the routes between its members. A
// zone that is itself a member of another zone is left and entered at gateways, which are hosts or routers
// inside it.
//
// The route from host a of zone A to host b of zone B, both inside zone W, consists of the route from a to
// the gateway of A, the links of W's route from A to B, and the route from the gateway of B to b. Only the
// stated routes are stored; a route between two hosts is composed at each call (SimGrid,
// NetZoneImpl::get_global_route).

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/narrow.h"
#include "platform/fabric.h"

namespace wt::platform {

struct Zones {
  struct NamedLink {
    std::string name{};
    Link link{};
    bool is_shared = true;  // false: every flow has the whole bandwidth (SimGrid's FATPIPE)
    Place place{};
  };

  // stated: only the stated routes exist (Full, None). shortest: stated routes are concatenated to the path
  // with the fewest links (Floyd, Dijkstra). star: each member has links to and from a centre (Cluster).
  enum class Rule : std::uint8_t { stated, shortest, star };

  // A host, a router, or a zone inside another zone. Members are numbered over all zones.
  struct Member {
    std::string name{};
    std::int32_t zone = -1;    // the zone around it; -1: none
    std::int32_t inside = -1;  // the zone that it is; -1: it is no zone
    std::int32_t port = -1;    // the port of a host; -1: it is no host
    Place place{};
  };

  // A stated route between two members of a zone.
  struct Passage {
    std::vector<std::int32_t> links{};
    std::int32_t leaves = -1;  // the gateway of the first member; the member itself if it is no zone
    std::int32_t enters = -1;  // the gateway of the second member; the member itself if it is no zone
  };

  // The links from a member of a star to the centre, and those back.
  struct Ray {
    std::vector<std::int32_t> up{};
    std::vector<std::int32_t> down{};
  };

  struct Zone {
    Rule rule = Rule::stated;
    std::int32_t member = -1;  // the number that it has as a member
    std::int32_t depth = 0;    // the number of zones around it
    std::vector<std::int32_t> members{};
    std::map<std::pair<std::int32_t, std::int32_t>, Passage> passages{};
    std::map<std::int32_t, Ray> rays{};
    std::vector<std::int32_t> centre{};  // of a star: the links of its backbone
    // Only for the rule `shortest`: before[from][to] is the last stop before `to` on the path from `from`.
    // All three are indices in `members`.
    std::vector<std::vector<std::int32_t>> before{};
    Place place{};
  };

  std::vector<NamedLink> links{};
  std::vector<Member> members{};
  std::vector<Zone> zones{};
  std::vector<std::int32_t> hosts{};  // members, in the order of their ports
};

class ZoneFabric : public Fabric {
 public:
  // Checks the routes between hosts: adds missing routes to `problems` and links that no route takes to
  // `warnings`. If there are more than 512 hosts, only the routes from and to the first one are checked.
  ZoneFabric(Zones zones, Problems& problems, std::vector<Problem>& warnings);

  std::int32_t links() const override { return narrow<std::int32_t>(shared_.size()); }
  const Link& link(std::int32_t link) const override { return named(link).link; }
  std::string name(std::int32_t link, const PortName&) const override { return named(link).name; }
  void route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const override;

 private:
  const Zones::NamedLink& named(std::int32_t link) const;
  bool add(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const;
  bool add_across(const Zones::Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                  std::int32_t last, std::vector<std::int32_t>& links) const;
  bool add_passage(const Zones::Passage& passage, std::int32_t from, std::int32_t to,
                   std::vector<std::int32_t>& links) const;
  bool add_star(const Zones::Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                std::int32_t last, std::vector<std::int32_t>& links) const;
  bool add_shortest(const Zones::Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                    std::int32_t last, std::vector<std::int32_t>& links) const;
  void find_shortest(Zones::Zone& zone) const;
  std::optional<Problem> problem_between(std::int32_t from, std::int32_t to, std::vector<bool>& used) const;

  Zones zones_;
  std::vector<std::int32_t> number_{};  // for each link its index in shared_; -1: it is not shared
  std::vector<std::int32_t> shared_{};  // the indices of the shared links, which are the links of this fabric
};

}  // namespace wt::platform
