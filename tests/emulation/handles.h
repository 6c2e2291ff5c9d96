#pragma once
// What CUDA gives out as opaque pointers. A pointer that was given back, or never given out, is recognised.

#include <algorithm>
#include <memory>
#include <vector>

namespace wt::emulation {

template <class T>
class Handles {
 public:
  T* add() { return all_.emplace_back(std::make_shared<T>()).get(); }
  std::shared_ptr<T> find(const T* handle) const {  // null: it is none
    const auto found = place(handle);
    return found == all_.end() ? nullptr : *found;
  }
  bool remove(const T* handle) {
    const auto found = place(handle);
    if (found == all_.end()) return false;
    all_.erase(found);
    return true;
  }
  std::size_t size() const { return all_.size(); }
  const std::vector<std::shared_ptr<T>>& all() const { return all_; }  // in the order in which they were made

 private:
  auto place(const T* handle) const {
    return std::ranges::find(all_, handle,
                             [](const std::shared_ptr<T>& each) -> const T* { return each.get(); });
  }

  std::vector<std::shared_ptr<T>> all_{};
};

}  // namespace wt::emulation
