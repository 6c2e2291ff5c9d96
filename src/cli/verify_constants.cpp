// `windtunnel verify constants` fits all constants that published rows determine and writes them where this program
// reads them, one file after the other. Constants are read once by each process, so every fit has a process of its
// own, which reads what the one before it wrote.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <ostream>

#include "base/installation.h"
#include "base/output/place.h"
#include "cli/arguments.h"
#include "cli/verify.h"

namespace wt::cli {

namespace {

// Requires: this process has read no constants, so that the new one reads them from their files.
Exit run_apart(const std::function<Exit()>& fit, const Streams& streams) {
  streams.results.flush();
  streams.messages.flush();
  const pid_t child = ::fork();
  if (child < 0) throw MachineError("fork", "the system starts no further process");
  if (child == 0) {
    const Exit exit = guard(fit, streams.messages);
    streams.results.flush();
    streams.messages.flush();
    ::_exit(static_cast<int>(exit));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Exit>(WEXITSTATUS(status)) : Exit::our_fault;
}

}  // namespace

Exit verify_constants(const VerifyConstantsOptions& options, const Streams& streams) {
  const std::filesystem::path platforms = data_folder("platforms");
  const auto file = [&](const char* name) {
    const std::string path = (platforms / name).string();
    output::require_writable(path, "WINDTUNNEL_DATA");
    return path;
  };
  const std::string devices = file("devices.json"), communication = file("communication.json"),
                    evidence = file("evidence.json");
  const std::array<std::function<Exit()>, 3> fits{
      [&] { return verify_measurements({.folder = options.folder, .fit = devices}, streams); },
      [&] { return verify_scaling({.folder = options.folder, .fit = communication}, streams); },
      [&] { return verify_evidence({.folder = options.folder, .as = evidence}, streams); }};
  for (const std::function<Exit()>& fit : fits)
    if (const Exit exit = run_apart(fit, streams); exit != Exit::done) return exit;
  return Exit::done;
}

Command verify_constants_command(CLI::App& verify) {
  return declare(
      verify, "constants",
      "Fits all constants that published rows determine, prints their errors with each network and "
      "each device left out, and writes them into the platforms folder in use; takes minutes",
      verify_constants, [](CLI::App& command, VerifyConstantsOptions& options) {
        command.add_option("FOLDER", options.folder, "Folder of published measurements: tests/measurements")
            ->required();
      });
}

}  // namespace wt::cli
