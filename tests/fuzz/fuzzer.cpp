// libFuzzer's entry points. One program has all targets, since linking one takes as long as fuzzing several:
//
//   windtunnel_fuzz --list                     prints the names of the targets
//   windtunnel_fuzz --seeds TARGET FOLDER      writes the target's seeds into the folder
//   windtunnel_fuzz --dictionary TARGET FILE   writes the words that occur in the seeds, for libFuzzer's option -dict
//   windtunnel_fuzz --longest TARGET           prints how many bytes an input may have
//   windtunnel_fuzz --target=json CORPUS ...   fuzzes; what follows are libFuzzer's options and folders
//
// (llvm.org/docs/LibFuzzer.html)

#include <fmt/format.h>

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "fuzz/mutation.h"
#include "fuzz/oracle.h"

// Without the address sanitizer there is no such function, and memory isn't counted.
extern "C" __attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*taken)(const volatile void*, std::size_t), void (*given_back)(const volatile void*));
extern "C" __attribute__((weak)) std::size_t __sanitizer_get_allocated_size(const volatile void* pointer);

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace wt::fuzz;

const Target* target = nullptr;

// ---- Memory, as the address sanitizer counts it

std::atomic<std::size_t> held{0}, most_held{0};

void count_taken(const volatile void*, std::size_t size) {
  const std::size_t now = held += size;
  for (std::size_t most = most_held; most < now && !most_held.compare_exchange_weak(most, now);) continue;
}
void count_given_back(const volatile void* pointer) { held -= __sanitizer_get_allocated_size(pointer); }

// Tables that are made once, files in pieces, and a machine of 65,536 virtual devices, which four bytes of a scenario ask for.
constexpr std::size_t always_allowed = 64'000'000;

std::string fault_of_memory(std::size_t taken, std::size_t bytes) {
  const std::size_t allowed = always_allowed + target->memory_factor * bytes;
  if (target->memory_factor == 0 || taken <= allowed) return {};
  return fmt::format("{} bytes of memory for an input of {}, and {} are allowed", taken, bytes, allowed);
}

void end_with(const std::string& fault) {
  std::fprintf(stderr, "fault of %s: %s\n", std::string(target->name).c_str(), fault.c_str());
  std::abort();
}

// ---- The program's own options

void list() {
  for (const Target& each : targets()) std::printf("%s\n", std::string(each.name).c_str());
}

void write_seeds(const Target& named, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const Seed& seed : seeds_of(named))
    std::ofstream(folder / fmt::format("{}-{}", number++, seed.name), std::ios::binary) << seed.bytes;
}

// Of files that are no text, too: they contain names.
void write_dictionary(const Target& named, const std::filesystem::path& file) {
  constexpr std::size_t shortest = 3, longest = 32;
  std::set<std::string> words;
  for (const Seed& seed : seeds_of(named)) {
    std::string word;
    for (const char letter : seed.bytes + " ") {
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_') {
        word += letter;
        continue;
      }
      if (word.size() >= shortest && word.size() <= longest) words.insert(word);
      word.clear();
    }
  }
  std::ofstream out(file);
  for (const std::string& word : words) out << '"' << word << "\"\n";
}

// The program's own options; false: it is to fuzz.
bool is_served(const std::vector<std::string>& words) {
  if (words.size() < 2) return false;
  const Target* named = words.size() > 2 ? target_of(words[2]) : nullptr;
  if (words[1] == "--list") return list(), true;
  if (named == nullptr) return false;
  if (words[1] == "--longest") return std::printf("%zu\n", named->longest), true;
  if (words.size() < 4) return false;
  if (words[1] == "--seeds") return write_seeds(*named, words[3]), true;
  if (words[1] == "--dictionary") return write_dictionary(*named, words[3]), true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view option = "--target=";
  const std::string_view first = *count > 1 ? (*words)[1] : "";
  if (is_served({*words, *words + *count})) std::exit(EXIT_SUCCESS);
  target = first.starts_with(option) ? target_of(first.substr(option.size())) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "name a target first: --target=json; --list prints all\n");
    std::exit(EXIT_FAILURE);
  }
  if (__sanitizer_install_malloc_and_free_hooks != nullptr)
    __sanitizer_install_malloc_and_free_hooks(count_taken, count_given_back);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t before = held;
  most_held = before;
  std::string fault = fault_of(*target, bytes);
  if (fault.empty()) fault = fault_of_memory(most_held - before, size);
  if (!fault.empty()) end_with(fault);
  return 0;
}

// Half of the mutants are libFuzzer's own, which knows with which numbers and words the input was compared.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (seed % 2 == 0 || !has_structure(*target, bytes)) return LLVMFuzzerMutate(data, size, most);
  Random random(seed);
  const std::string changed = mutant(*target, bytes, random);
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
