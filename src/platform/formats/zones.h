#pragma once
// Networks as SimGrid describes them: zones in zones, each with a rule how its members reach each other,
// joined by gateways. Routes are put together when they are asked for.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "platform/fabric.h"

namespace wt::platform {

struct Zones {
  struct NamedLink {
    std::string name{};
    Link link{};
    bool is_shared = true;  // false: every flow has the whole bandwidth (SimGrid's FATPIPE)
    Place place{};
  };

  enum class Rule : std::uint8_t { stated, shortest, star };

  // What a route can begin, end or pass at: a host, a router, or a whole zone.
  struct Member {
    std::string name{};
    std::int32_t zone = -1;    // that it is in
    std::int32_t inside = -1;  // the zone that it is
    std::int32_t port = -1;    // of a host
    Place place{};
  };

  // Between two members of a zone. Where one is a zone, the gateway says where it is left or entered.
  struct Passage {
    std::vector<std::int32_t> links{};
    std::int32_t leaves = -1;
    std::int32_t enters = -1;
  };

  // A star's member: from it to the centre, and back.
  struct Ray {
    std::vector<std::int32_t> up{};
    std::vector<std::int32_t> down{};
  };

  struct Zone {
    Rule rule = Rule::stated;
    std::int32_t member = -1;  // what it is in the zone around it
    std::int32_t depth = 0;
    std::vector<std::int32_t> members{};
    std::map<std::pair<std::int32_t, std::int32_t>, Passage> passages{};
    std::map<std::int32_t, Ray> rays{};
    std::vector<std::int32_t> centre{};  // of a star: its backbone
    std::vector<std::vector<std::int32_t>>
        before{};  // of shortest: on the way from one place in `members` to another
    Place place{};
  };

  std::vector<NamedLink> links{};
  std::vector<Member> members{};
  std::vector<Zone> zones{};
  std::vector<std::int32_t> hosts{};  // members, in the order of their ports
};

class ZoneFabric : public Fabric {
 public:
  // Hosts that don't reach each other go to `problems`, links that nothing uses to `warnings`.
  ZoneFabric(Zones zones, Problems& problems, std::vector<Problem>& warnings);

  std::int32_t links() const override { return static_cast<std::int32_t>(shared_.size()); }
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
  std::vector<std::int32_t> number_{};  // of a shared link, among them; -1: it isn't
  std::vector<std::int32_t> shared_{};  // links
};

}  // namespace wt::platform
