#include "base/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"

namespace wt {

namespace {

namespace fs = std::filesystem;

// Output goes to files and not to pipes, which would have to be read while the program runs.
class Streams {
 public:
  explicit Streams(const fs::path& folder) : out_(folder / "results"), error_(folder / "messages") {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, out_.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, error_.c_str(), flags, 0600);
  }
  ~Streams() { ::posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  std::string results() const { return read_text(out_); }
  std::string messages() const { return read_text(error_); }

 private:
  posix_spawn_file_actions_t actions_{};
  fs::path out_, error_;
};

// The program gets signals as a shell's child does, whatever this process has blocked.
class Attributes {
 public:
  Attributes() {
    sigset_t none{};
    ::sigemptyset(&none);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

int exit_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::optional<fs::path> program_on_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

Ended run_program(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  const Streams streams(folder.path());
  const Attributes attributes;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words.front().c_str(), streams.actions(), attributes.get(),
                                  arguments.data(), environ);
  if (error != 0)
    throw MachineError("run", fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
  const int exit = exit_of(child);
  return {.exit = exit, .results = streams.results(), .messages = streams.messages()};
}

}  // namespace wt
