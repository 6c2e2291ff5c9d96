#include <fmt/format.h>

#include <ostream>

#include "base/file.h"
#include "base/rough.h"
#include "cli/arguments.h"
#include "cli/verify.h"
#include "study/evidence/records.h"

namespace wt::cli {

Exit verify_evidence(const VerifyEvidenceOptions& options, const Streams& streams) {
  const std::vector<evidence::Record> records =
      evidence::make_records(evidence::read_measurements(options.folder));
  if (records.empty())
    throw InputError(
        fmt::format("no row in \"{}\" is a training throughput of a known system", options.folder));
  const std::string text = evidence::print_records(records);
  if (options.as.empty()) {
    streams.results << text;
    return Exit::done;
  }
  write_text(options.as, text);
  streams.messages << fmt::format("{} written to {}\n",
                                  counted(static_cast<std::int64_t>(records.size()), "row"), options.as);
  return Exit::done;
}

Command verify_evidence_command(CLI::App& verify) {
  return declare(verify, "evidence",
                 "Writes how far predicted is from published training throughput, "
                 "which `recommend` reads; takes minutes",
                 verify_evidence, [](CLI::App& command, VerifyEvidenceOptions& options) {
                   command
                       .add_option("FOLDER", options.folder,
                                   "Folder of CSV files with measurements: tests/measurements")
                       ->required();
                   command.add_option("--as", options.as, "The file to write; default: prints it");
                 });
}

}  // namespace wt::cli
