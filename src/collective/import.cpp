#include "collective/import.h"

#include "base/error.h"
#include "collective/msccl.h"
#include "collective/print.h"
#include "collective/verify.h"

namespace wt::collective {

Expanded import_schedule(const std::string& text, std::int64_t elements, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '<') return parse_msccl(text, elements, file);
  Expanded schedule = parse_schedule(text, file);
  if (elements > 0) schedule.contract.cut.elements = elements * schedule.contract.cut.rows;
  return schedule;
}

Expanded import_verified(const std::string& text, std::int64_t elements, const std::string& file) {
  Expanded schedule = import_schedule(text, elements, file);
  Problems problems;
  for (const Finding& finding : verify(schedule))
    if (finding.fault != Fault::useless && finding.fault != Fault::redundant)
      problems.add({.file = file}, finding.text);
  problems.throw_if_any();
  return schedule;
}

}  // namespace wt::collective
