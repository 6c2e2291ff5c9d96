#pragma once
// Platforms from the XML of other programs. A SimGrid platform (<platform>) is built directly
// (import_simgrid.h). An NCCL topology (<system>), which describes one machine, is translated to a platform
// file of this project's format (nccl_topology.h, import_nccl.cpp), which is then read like any other.

#include "platform/formats/xml.h"
#include "platform/load.h"

namespace wt::platform {

// The formats of other programs.
enum class Foreign : std::uint8_t { simgrid, nccl };

bool is_xml(std::string_view path);  // whether it ends in ".xml"

// Recognised by the root element. Throws InputError for any other root element.
Foreign format_of(const xml::Document& document);

// Ids of device types, because an NCCL topology does not name its products. Empty: the importer assumes a
// product from the compute capability of the GPUs or from the model of the CPU, and warns.
struct Products {
  std::string device{};
  std::string host{};
};

// A platform file, and a warning for each assumption of the translator.
struct Translated {
  std::string json{};
  std::vector<Problem> warnings{};
};

// Both functions throw InputError with everything that is wrong.
Translated translate_nccl(const xml::Document& document, const Products& products = {});
Loaded load_simgrid(const xml::Document& document, std::string name, const Parameters& parameters = {});

}  // namespace wt::platform
