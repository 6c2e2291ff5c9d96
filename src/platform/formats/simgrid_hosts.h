#pragma once
// From SimGrid's hosts to machines: each host becomes a machine of one device with types of its own. All
// machines share one wiring, so hosts may differ in types and speed, but not in the kind of device, the PCIe
// bandwidth and the memory bandwidth.

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

  // The extent of properties: those that are read during the lifetime of a Scope apply to the hosts that are
  // added during it. Scopes nest as the elements of the file do.
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

  void read_property(xml::Element& prop);  // properties without the prefix "windtunnel:" are ignored
  void add(const std::string& name, FlopsPerSecond speed, const xml::Element& element);
  Built build(Zones zones, std::vector<Problem> warnings);

 private:
  enum Property { of_device, of_host, of_pcie, properties };
  static constexpr std::array<std::string_view, properties> names{"type", "host", "pcie"};
  using Level = std::array<std::shared_ptr<const Placed<std::string>>, properties>;

  // The three properties and the speed: hosts that agree in them have the same types.
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
  std::optional<Found> first_{};  // of the first host; the wiring of all machines is made from it
  std::vector<Individual> individuals_{};
  std::optional<Place> assumed_at_{};  // the first host without a property that names its CPU
  bool reported_unlike_ = false;
};

}  // namespace wt::platform
