#pragma once
// XML of others as platforms: SimGrid's platforms (<platform>) are built as they stand, NCCL's topologies
// (<system>) become platform files of ours.

#include "platform/formats/xml.h"
#include "platform/load.h"

namespace wt::platform {

enum class Foreign : std::uint8_t { simgrid, nccl };

bool is_xml(std::string_view path);  // ends in ".xml"

// Throws InputError where the first element is neither's.
Foreign format_of(const xml::Document& document);

// What an XML doesn't say; empty: taken from its compute capability, and from the CPU's model.
struct Products {
  std::string device{};
  std::string host{};
};

// A platform file, and where the translator had to assume.
struct Translated {
  std::string json{};
  std::vector<Problem> warnings{};
};

// Both throw InputError with everything that is wrong.
Translated translate_nccl(const xml::Document& document, const Products& products = {});
Loaded load_simgrid(const xml::Document& document, std::string name, const Parameters& parameters = {});

}  // namespace wt::platform
