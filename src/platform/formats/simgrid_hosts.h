#pragma once
// What SimGrid's hosts become: machines of one device, each with its own types.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "platform/build.h"
#include "platform/formats/xml.h"
#include "platform/formats/zones.h"
#include "platform/load.h"
#include "platform/topology.h"

namespace wt::platform {

class SimgridHosts {
 public:
  SimgridHosts(const Parameters& parameters, Problems& problems);

  // Properties that are read while it lives hold for hosts that are added meanwhile.
  class Scope {
   public:
    explicit Scope(SimgridHosts& hosts) : hosts_(hosts) { hosts_.levels_.push_back(hosts_.levels_.back()); }
    ~Scope() { hosts_.levels_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SimgridHosts& hosts_;
  };
  Scope enter() { return Scope(*this); }

  void read_property(xml::Element& prop);  // other people's properties are left alone
  void add(const std::string& name, FlopsPerSecond speed, const xml::Element& element);
  Built build(Zones zones, std::vector<Problem> warnings);

 private:
  enum Property { of_device, of_host, of_pcie, properties };
  static constexpr std::array<std::string_view, properties> names{"type", "host", "pcie"};
  using Level = std::array<std::shared_ptr<const Placed<std::string>>, properties>;

  // Everything that makes hosts different.
  using Sort = std::tuple<std::string, std::string, std::string, double>;

  struct Found {
    std::shared_ptr<const MachineTypes> types{};
    std::optional<BytesPerSecond> pcie{};
  };

  Found find(const Level& level, FlopsPerSecond speed, const xml::Element& element);
  const device::DeviceType* type_named(const Placed<std::string>& id);
  std::optional<BytesPerSecond> read_pcie(const Level& level, const device::DeviceType& type,
                                          const xml::Element& element);
  void check_alike(const Found& found, const xml::Element& element);

  Problems& problems_;
  std::vector<Level> levels_;
  std::map<Sort, Found> sorts_{};
  std::optional<Found> first_{};  // all are wired like it
  std::vector<Individual> individuals_{};
  std::optional<Place> assumed_at_{};  // of the first host whose CPU nothing names
  bool told_unlike_ = false;
};

}  // namespace wt::platform
