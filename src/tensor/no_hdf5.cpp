// In place of hdf5.cpp where the HDF5 library is missing.

#include <fmt/format.h>

#include "tensor/hdf5.h"

namespace wt {
namespace {

constexpr std::string_view remedy =
    "install libhdf5-dev and build again: `apt-get install libhdf5-dev`, then remove build/release; or keep "
    "weights as "
    "safetensors";

[[noreturn]] void refuse(const std::string& file, const Place& place) {
  throw InputError(Problem{place,
                           fmt::format("{} is an HDF5 file, and this program was built without HDF5", file),
                           std::string(remedy)});
}

}  // namespace

struct Hdf5File::State {};

Hdf5File::Hdf5File(const std::filesystem::path& path, const Place& named_at) : name_(path.string()) {
  refuse(name_, named_at);
}
Hdf5File::Hdf5File(std::string_view, std::string name) : name_(std::move(name)) { refuse(name_, {}); }
Hdf5File::~Hdf5File() = default;

Tensor Hdf5File::read(std::string_view, const TensorSpec&) const { refuse(name_, {}); }
std::vector<std::string> Hdf5File::texts(std::string_view, std::string_view) const { refuse(name_, {}); }
std::string hdf5_image(const Hdf5Content&) { refuse("the file of weights", {}); }

}  // namespace wt
