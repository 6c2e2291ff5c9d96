#include "platform/formats/import.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "platform/formats/import_simgrid.h"

namespace wt::platform {

bool is_xml(std::string_view path) { return path.ends_with(".xml"); }

Foreign format_of(const xml::Document& document) {
  Problems problems;
  const xml::Element root = document.root(problems);
  if (root.name() == "platform") return Foreign::simgrid;
  if (root.name() == "system") return Foreign::nccl;
  throw InputError(Problem{root.place(),
                           fmt::format("<{}> is not the root of a known format", printable(root.name())),
                           "SimGrid's platforms begin with <platform>, NCCL's topologies with <system>"});
}

Loaded load_simgrid(const xml::Document& document, std::string name, const Parameters& parameters) {
  Problems problems;
  Built built = build_simgrid(document, parameters, problems);
  problems.throw_if_any();
  return {Platform(std::move(name), std::move(built.topology)), "a SimGrid platform",
          std::move(built.warnings)};
}

}  // namespace wt::platform
