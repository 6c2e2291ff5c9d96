#include "strategy/table.h"

#include <algorithm>
#include <array>

#include "strategy/automatic.h"

namespace wt::strategy {

// Each is defined in the file of its strategy, strategy/rows/<name>.cpp.
std::unique_ptr<Strategy> make_default();
std::unique_ptr<Strategy> make_one_device();
std::unique_ptr<Strategy> make_mirrored();
std::unique_ptr<Strategy> make_central_storage();
std::unique_ptr<Strategy> make_multi_worker_mirrored();
std::unique_ptr<Strategy> make_tpu();
std::unique_ptr<Strategy> make_parameter_server();
std::unique_ptr<Strategy> make_parameter_server_v1();  // beside it

namespace {

constexpr std::array all_rows{
    Row{"default", "one replica, nothing is spread", make_default},
    Row{"one_device", "everything on one device, which is named", make_one_device},
    Row{"mirrored", "copies on the devices of one machine, kept equal by all-reduced gradients",
        make_mirrored},
    Row{"central_storage", "variables on one device, the computation on the others of a machine",
        make_central_storage},
    Row{"multi_worker_mirrored", "copies on the devices of several machines", make_multi_worker_mirrored},
    Row{"tpu", "copies on the cores of a TPU slice", make_tpu},
    Row{"parameter_server", "variables on servers, workers that a coordinator feeds", make_parameter_server},
    Row{"parameter_server_v1", "variables on servers, workers with loops of their own",
        make_parameter_server_v1},
};

// Lists the names of the keys of an object.
struct KeyNames {
  std::vector<std::string_view> names{};

  template <class Member>
  void operator()(const json::Key& key, Member&) {
    names.push_back(key.name);
  }
  void later(std::string_view name, std::string_view) { names.push_back(name); }
  void at_most_one(json::Together) {}
};

}  // namespace

std::span<const Row> rows() { return all_rows; }

Word type_word(std::optional<std::size_t> index) {
  Word word{.noun = "a strategy", .index = index};
  for (const Row& row : all_rows) word.names.push_back(row.name);
  word.names.push_back(automatic.name);
  return word;
}

std::vector<std::string_view> option_names(const Row& row) {
  KeyNames found;
  KeysFor<KeyNames> keys(found);
  row.make()->keys(keys);
  return found.names;
}

std::vector<std::string_view> strategies_with(std::string_view option) {
  std::vector<std::string_view> found;
  for (const Row& row : all_rows)
    if (std::ranges::count(option_names(row), option) > 0) found.push_back(row.name);
  return found;
}

}  // namespace wt::strategy
