#pragma once
// The memories of an emulated machine: a range of addresses for each GPU, and page-locked blocks of the host's. What
// was never written is full of NaNs, what was freed may not be touched. The host can't touch a GPU's memory: it is taken away from
// the process but for the time in which the machine works.

#include <cstddef>
#include <map>
#include <vector>

namespace wt::emulation {

class Memory {
 public:
  Memory(int devices, std::size_t bytes_of_each);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* allocate(int device, std::size_t size);  // null: there is no room
  bool free(void* data);                         // false: it is nothing that was allocated
  void* allocate_pinned(std::size_t size);
  bool free_pinned(void* data);

  static constexpr int host = -1;
  int home(const void* data) const;  // the device in whose range it lies, or `host`
  bool is_pinned(const void* data, std::size_t size) const;
  bool is_known(const void* data) const;  // a device's, or page-locked
  // Whether a GPU can find the bytes: all in one allocation, or page-locked.
  bool holds(const void* data, std::size_t size) const;

  std::size_t bytes() const { return bytes_; }
  std::size_t used(int device) const;
  std::size_t blocks() const;  // not yet freed

  // Whether the process may touch a device's memory.
  void open(int device);
  void close_all();

 private:
  using Blocks = std::map<std::byte*, std::size_t>;
  struct Range {
    std::byte* begin = nullptr;
    std::size_t used = 0;  // nothing behind was ever allocated
    bool is_open = false;
    Blocks blocks{};
  };
  void give_back(Range& own);
  static bool has(const Blocks& blocks, const void* data, std::size_t size);
  Range& range(int device) { return ranges_[static_cast<std::size_t>(device)]; }
  const Range& range(int device) const { return ranges_[static_cast<std::size_t>(device)]; }

  std::size_t bytes_;
  std::vector<Range> ranges_;  // by device
  Blocks pinned_{};
};

}  // namespace wt::emulation
