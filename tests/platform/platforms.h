#pragma once
// Platforms for tests: those of platforms/ with parameters, and small ones that a test contains as text.

#include <initializer_list>
#include <string>
#include <vector>

#include "platform/load.h"

namespace wt::platform {

inline Loaded loaded(const std::string& name, std::initializer_list<const char*> parameters = {}) {
  Parameters set;
  for (const char* text : parameters) set.push_back(parse_parameter(text));
  return load(name, set);
}

inline Platform platform_of(const std::string& name, std::initializer_list<const char*> parameters = {}) {
  return loaded(name, parameters).platform;
}

inline Platform written(const std::string& text) {
  return from_json(json::parse(text, "test.json")).platform;
}

// The names of the links of a route.
inline std::vector<std::string> names(const Platform& platform, Endpoint from, Endpoint to) {
  std::vector<std::string> links;
  for (const LinkId link : platform.route(from, to).links) links.push_back(platform.name(link));
  return links;
}
inline std::vector<std::string> names(const Platform& platform, int from, int to) {
  return names(platform, platform.device(from), platform.device(to));
}

inline std::vector<Endpoint> endpoints(const Platform& platform) {
  std::vector<Endpoint> all;
  for (int device = 0; device < platform.devices(); ++device) all.push_back(platform.device(device));
  for (int host = 0; host < platform.hosts(); ++host) all.push_back(platform.host(host));
  return all;
}

}  // namespace wt::platform
