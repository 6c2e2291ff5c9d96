#include "platform/formats/export_simgrid.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "base/error.h"
#include "platform/formats/simgrid_units.h"

namespace wt::platform {

namespace {

constexpr std::int64_t most_pairs = 300'000;  // about 100 MB of text

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::vector<Endpoint> endpoints(const Platform& platform) {
  std::vector<Endpoint> all;
  for (std::int32_t device = 0; device < platform.devices(); ++device) all.push_back(platform.device(device));
  for (std::int32_t host = 0; host < platform.hosts(); ++host) all.push_back(platform.host(host));
  return all;
}

class SimgridWriter {
 public:
  explicit SimgridWriter(const Platform& platform) : platform_(platform) {}

  std::string write() {
    begin();
    for (const Endpoint endpoint : endpoints(platform_)) add_host(endpoint);
    add_routes();  // also collects the links in use, which stand before the routes in the file
    text_ += links_;
    text_ += routes_;
    text_ += "  </zone>\n</platform>\n";
    return std::move(text_);
  }

 private:
  template <class... Values>
  static void add(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  }

  void begin() {
    text_ = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
    text_ +=
        "<!-- Each link is one direction of a wire. SimGrid weights flows by latency, so that its shares of "
        "common links differ.\n";
    text_ += "     Memory and kernels are not described; the speed is the float32 peak. -->\n";
    text_ += "<platform version=\"4.1\">\n  <config>\n";
    text_ += "    <prop id=\"network/model\" value=\"CM02\"/>\n";
    text_ += "    <prop id=\"network/crosstraffic\" value=\"0\"/>\n";
    text_ += "    <prop id=\"network/TCP-gamma\" value=\"0\"/>\n  </config>\n";
    add(text_, "  <zone id=\"{}\" routing=\"Full\">\n", escaped(platform_.name()));
  }

  void add_host(Endpoint endpoint) {
    const device::DeviceType& type = platform_.type(endpoint);
    const auto peak = type.peak.find(device::Precision::float32);
    WT_EXPECT(peak != type.peak.end(), "{} has no float32 peak", type.id);
    add(text_, "    <host id=\"{}\" speed=\"{}\"><prop id=\"type\" value=\"{}\"/></host>\n",
        escaped(platform_.name(endpoint)), simgrid::print(peak->second), escaped(type.id));
  }

  void add_routes() {
    used_.assign(static_cast<std::size_t>(platform_.links()), false);
    const std::vector<Endpoint> all = endpoints(platform_);
    for (const Endpoint from : all)
      for (const Endpoint to : all)
        if (from != to) add_route(from, to);
  }

  void add_route(Endpoint from, Endpoint to) {
    add(routes_, "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", escaped(platform_.name(from)),
        escaped(platform_.name(to)));
    for (const LinkId link : platform_.route(from, to).links) {
      if (!used_[index(link)]) add_link(link);
      used_[index(link)] = true;
      add(routes_, "<link_ctn id=\"{}\"/>", escaped(platform_.name(link)));
    }
    routes_ += "</route>\n";
  }

  void add_link(LinkId id) {
    const Link& link = platform_.link(id);
    add(links_, "    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}\"/>\n", escaped(platform_.name(id)),
        simgrid::print(link.bandwidth), simgrid::print(link.latency));
  }

  const Platform& platform_;
  std::string text_{};
  std::string links_{};
  std::string routes_{};
  std::vector<bool> used_{};
};

}  // namespace

std::string to_simgrid(const Platform& platform) {
  const std::int64_t count = std::int64_t{platform.devices()} + platform.hosts();
  if (count * (count - 1) > most_pairs)
    throw InputError(fmt::format("{} has {} routes, and SimGrid's XML lists every one", platform.name(),
                                 count * (count - 1)),
                     fmt::format("export at most {} routes, as with --set machines=2", most_pairs));
  return SimgridWriter(platform).write();
}

}  // namespace wt::platform
