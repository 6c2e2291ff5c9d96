// What is fuzzed: each kind of text and file that a user can give to the program, as a function of its bytes. Fuzzing
// calls such a function with inputs that nobody would write, and looks for what must hold whatever the input is
// (oracle.h). Three programs share the table of targets():
//
//   fuzz           libFuzzer searches by the branches that inputs take (fuzzer.cpp, run.sh)
//   test_fuzz      an ordinary test: all seeds, all inputs that once showed a defect (found/), and some mutants of both
//   FUZZ_ROUNDS=100000 test_fuzz    the same with more mutants, without libFuzzer and sanitizers, and so 20 times as fast
//
// A new format is a function of five lines in targets.cpp, a row of its table, and seeds.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wt::fuzz {

// The bytes of an input. Readers that take files get one in a folder of this process.
class Input {
 public:
  explicit Input(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& text() const { return bytes_; }
  // Writes the bytes to a file of this name, over those of the last input.
  std::filesystem::path file(const std::string& name) const;
  // The folder of such files. It has base.json, a small scenario that other inputs may name.
  static const std::filesystem::path& folder();

 private:
  std::string bytes_;
};

// How mutants of an input are made (mutation.h).
enum class Form : std::uint8_t {
  bytes,
  words,  // text that is divided by spaces, line breaks, quotes and brackets
  json,   // a tree; with a schema, keys and values that it allows
};

struct Target {
  std::string_view name{};
  // Reads the input, and returns what the program would print of it.
  std::string (*take)(const Input& input) = nullptr;
  Form form = Form::bytes;
  std::string_view schema{};  // a file of the repository
  // Files of the repository. A pattern ends in "*.json"; "files.tar.gz:*.h5" are files in an archive.
  std::vector<std::string_view> seeds{};
  std::size_t longest = 4096;  // bytes of an input
  std::size_t memory_factor =
      0;  // bytes of memory for a byte of the input; 0: the content says how large it is
};

std::span<const Target> targets();
const Target* target_of(std::string_view name);  // null: there is none

struct Seed {
  std::string name{};  // of its file
  std::string bytes{};
};

// Those of the table, those of seeds/<target>/, and what is in found/<target>/. In the order of their names.
std::vector<Seed> seeds_of(const Target& target);

}  // namespace wt::fuzz
