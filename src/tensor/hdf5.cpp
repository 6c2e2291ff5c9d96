#include "tensor/hdf5.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/free_memory.h"
#include "base/utf8.h"

namespace wt {
namespace {

constexpr std::size_t most_objects =
    1'000'000;  // of a file, so that one that links in circles comes to an end
constexpr int deepest_nesting = 100;
constexpr hsize_t most_texts = 1'000'000;
constexpr std::size_t longest_text = 256'000'000;

[[noreturn]] void refuse(const std::string& file, std::string fact, std::string remedy = {}) {
  Place place;
  place.file = file;
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

// The library (1.10) overwrites its own memory when it reads some damaged files. So it reads in a process of its own,
// whose answer comes back through a pipe, and whose end by a signal is a damaged file. The answer begins with a letter: a
// value follows, or the fact and the remedy of an error.
constexpr char value_follows = 'v', error_follows = 'e';
constexpr rlim_t longest_reading = 20;  // seconds of a processor

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(EXIT_FAILURE);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

[[noreturn]] void answer(int descriptor, const std::function<std::string()>& body) {
  const rlimit no_core{0, 0}, time{longest_reading, longest_reading};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &time);
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDERR_FILENO);
  try {
    const std::string value = body();
    write_all(descriptor, {&value_follows, 1});
    write_all(descriptor, value);
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    write_all(descriptor, error_follows + problem.fact + '\0' + problem.remedy);
  } catch (...) {
    _exit(EXIT_FAILURE);
  }
  _exit(EXIT_SUCCESS);
}

std::string read_until_end(int descriptor) {
  std::string bytes;
  std::array<char, 1 << 16> piece{};
  for (;;) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
}

std::string in_another_process(const std::string& file, const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw MachineError("making a pipe", std::strerror(errno));
  const pid_t reader = fork();
  if (reader < 0) throw MachineError("starting a process that reads HDF5 files", std::strerror(errno));
  if (reader == 0) answer(ends[1], body);
  close(ends[1]);
  const std::string bytes = read_until_end(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(reader, &status, 0) < 0 && errno == EINTR) {
  }
  const bool is_complete = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS && !bytes.empty();
  if (!is_complete)
    refuse(file, "the HDF5 library fails on this file", "the file is damaged: download or save it again");
  if (bytes.front() == value_follows) return bytes.substr(1);
  const std::size_t end = bytes.find('\0');
  refuse(file, bytes.substr(1, end - 1), bytes.substr(end + 1));
}

// Texts that may hold anything but the character 0, which ends each.
std::string joined(const auto& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  return all;
}

std::vector<std::string> split(std::string_view all) {
  std::vector<std::string> texts;
  for (std::size_t end = all.find('\0'); end != std::string_view::npos; end = all.find('\0')) {
    texts.emplace_back(all.substr(0, end));
    all.remove_prefix(end + 1);
  }
  return texts;
}

// An identifier of the library with the function that gives it back. Negative identifiers are errors.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library prints its errors, which name its own functions. Ours name the file.
void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t type_in_memory(Type type) {
  switch (type) {
    case Type::float32:
      return H5T_NATIVE_FLOAT;
    case Type::float64:
      return H5T_NATIVE_DOUBLE;
    case Type::int32:
      return H5T_NATIVE_INT32;
    case Type::int64:
      return H5T_NATIVE_INT64;
    default:
      return H5T_NATIVE_UINT8;
  }
}

Handle file_access() { return {H5Pcreate(H5P_FILE_ACCESS), H5Pclose}; }

// A file that stays in memory.
Handle access_in_memory() {
  Handle access = file_access();
  constexpr std::size_t growth = 1 << 16;
  WT_EXPECT(access.is_open() && H5Pset_fapl_core(access, growth, 0) >= 0, "HDF5 has no files in memory");
  return access;
}

// The names of what a group holds, and whether each is a group or a dataset.
struct Child {
  std::string name{};
  bool is_group = false;
};

herr_t add_name(hid_t, const char* name, const H5L_info_t* info, void* names) {
  auto& all = *static_cast<std::vector<std::pair<std::string, bool>>*>(names);
  if (all.size() > most_objects) return -1;
  all.emplace_back(name, info->type == H5L_TYPE_HARD);
  return 0;
}

std::vector<Child> children_of(hid_t group, const std::string& path, const std::string& file) {
  std::vector<std::pair<std::string, bool>> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names) < 0)
    refuse(file, fmt::format("the group \"{}\" cannot be read", printable(path)), "the file is damaged");
  std::vector<Child> children;
  for (auto& [name, is_hard] : names) {
    if (!is_hard)
      refuse(file, fmt::format("\"{}/{}\" is a link", printable(path), printable(name)),
             "Keras writes none: name a file that Keras wrote");
    H5O_info_t info;
    if (H5Oget_info_by_name(group, name.c_str(), &info, H5P_DEFAULT) < 0)
      refuse(file, fmt::format("\"{}/{}\" cannot be read", printable(path), printable(name)),
             "the file is damaged");
    if (info.type == H5O_TYPE_GROUP || info.type == H5O_TYPE_DATASET)
      children.push_back({std::move(name), info.type == H5O_TYPE_GROUP});
  }
  return children;
}

// Collects the paths of everything below a group.
class Walk {
 public:
  Walk(const std::string& file, std::set<std::string, std::less<>>& groups,
       std::set<std::string, std::less<>>& datasets)
      : file_(file), groups_(groups), datasets_(datasets) {}

  void visit(hid_t group, const std::string& path, int depth) {
    if (depth > deepest_nesting || groups_.size() + datasets_.size() > most_objects)
      refuse(file_, fmt::format("\"{}\" is nested too deeply, or holds too much", printable(path)),
             "name a file that Keras wrote");
    groups_.insert(path);
    for (const Child& child : children_of(group, path, file_)) {
      const std::string inner = path.empty() ? child.name : path + "/" + child.name;
      if (!child.is_group) {
        datasets_.insert(inner);
        continue;
      }
      const Handle opened(H5Gopen2(group, child.name.c_str(), H5P_DEFAULT), H5Gclose);
      if (!opened.is_open())
        refuse(file_, fmt::format("the group \"{}\" cannot be read", printable(inner)),
               "the file is damaged");
      visit(opened, inner, depth + 1);
    }
  }

 private:
  const std::string& file_;
  std::set<std::string, std::less<>>& groups_;
  std::set<std::string, std::less<>>& datasets_;
};

std::string print_extents(const std::vector<hsize_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ","));
}

bool is_of_other_files(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  return H5Pget_external_count(creation) != 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
}

std::vector<std::string> read_long_texts(hid_t attribute, hid_t type, std::size_t count) {
  std::vector<char*> pointers(count, nullptr);
  std::vector<std::string> texts;
  const Handle memory(H5Tcopy(type), H5Tclose);
  const bool is_read = H5Aread(attribute, memory, static_cast<void*>(pointers.data())) >= 0;
  for (char* pointer : pointers) {
    texts.emplace_back(pointer == nullptr ? "" : pointer);
    if (pointer != nullptr) H5free_memory(pointer);
  }
  if (!is_read) texts.clear();
  return texts;
}

std::vector<std::string> read_fixed_texts(hid_t attribute, hid_t type, std::size_t count, std::size_t width) {
  std::string bytes(count * width, '\0');
  if (H5Aread(attribute, type, bytes.data()) < 0) return {};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = bytes.substr(i * width, width);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

Handle make_groups(hid_t file, const std::string& path) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0)
    return {H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose};
  return {H5Gcreate2(file, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

// All groups down to this one.
Handle group_at(hid_t file, const std::string& path) {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
    make_groups(file, path.substr(0, at));
  return path.empty() ? Handle(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose) : make_groups(file, path);
}

void write_text(hid_t group, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* pointer = text.c_str();
  WT_EXPECT(attribute.is_open() && H5Awrite(attribute, type, static_cast<const void*>(&pointer)) >= 0,
            "{} cannot be written", name);
}

void write_dataset(hid_t group, const std::string& name, const Tensor& tensor) {
  std::vector<hsize_t> extents;
  for (const std::int64_t extent : tensor.shape()) extents.push_back(static_cast<hsize_t>(extent));
  const Handle space(extents.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);  // the same content gives the same bytes
  const hid_t type = type_in_memory(tensor.type());
  const Handle dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                       H5Dclose);
  WT_EXPECT(dataset.is_open(), "the dataset {} cannot be made", name);
  if (tensor.spec().elements() == 0) return;
  WT_EXPECT(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()) >= 0,
            "{} cannot be written", name);
}

}  // namespace

struct Hdf5File::State {
  std::string image{};  // empty: the file itself
};

namespace {

// Only the process that reads may call this.
Handle opened(const std::string& name, const std::string& image) {
  be_quiet();
  const auto open_image = [&]() -> hid_t {
    const Handle access = access_in_memory();
    // The library copies the bytes, but the type of its argument is not const.
    if (H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()) < 0) return H5I_INVALID_HID;
    return H5Fopen("image", H5F_ACC_RDONLY, access);
  };
  Handle file(image.empty() ? H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : open_image(), H5Fclose);
  if (!file.is_open())
    refuse(name, "this is not an HDF5 file, or it was cut off", "download or save it again");
  return file;
}

std::string names_in(const std::string& name, const std::string& image) {
  const Handle file = opened(name, image);
  std::set<std::string, std::less<>> groups, datasets;
  Walk(name, groups, datasets).visit(Handle(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose), "", 0);
  std::string names;
  for (const std::string& group : groups) names += "g" + group + '\0';
  for (const std::string& dataset : datasets) names += "d" + dataset + '\0';
  return names;
}

std::string numbers_in(const std::string& name, const std::string& image, const std::string& own,
                       const TensorSpec& spec) {
  const Handle file = opened(name, image);
  const Handle dataset(H5Dopen2(file, own.c_str(), H5P_DEFAULT), H5Dclose);
  const std::string damaged = fmt::format("the dataset \"{}\" cannot be read", printable(own));
  if (!dataset.is_open()) refuse(name, damaged, "the file is damaged");
  if (is_of_other_files(dataset))
    refuse(name, fmt::format("the numbers of \"{}\" are in other files", printable(own)),
           "name a file that Keras wrote");
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) refuse(name, damaged, "the file is damaged");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  const bool is_equal = std::ranges::equal(extents, spec.shape, [](hsize_t found, std::int64_t wanted) {
    return found == static_cast<hsize_t>(wanted);
  });
  if (!is_equal || H5Sget_simple_extent_type(space) == H5S_NULL)
    refuse(name, fmt::format("\"{}\" has the shape {}", printable(own), print_extents(extents)),
           fmt::format("the model has {} there", print(spec)));
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != (is_floating(spec.type) ? H5T_FLOAT : H5T_INTEGER))
    refuse(name, fmt::format("\"{}\" holds numbers of another kind", printable(own)),
           fmt::format("the model has {} there", print(spec)));
  std::string numbers(static_cast<std::size_t>(spec.bytes().count()), '\0');
  if (spec.elements() > 0 &&
      H5Dread(dataset, type_in_memory(spec.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
    refuse(name, damaged, "the file is damaged");
  return numbers;
}

std::vector<std::string> texts_in(const std::string& name, const std::string& image, const std::string& path,
                                  const std::string& own) {
  const Handle file = opened(name, image);
  const std::string object = path.empty() ? "/" : path;
  if (H5Aexists_by_name(file, object.c_str(), own.c_str(), H5P_DEFAULT) <= 0) return {};
  const Handle found(H5Aopen_by_name(file, object.c_str(), own.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const std::string what = fmt::format("the attribute \"{}\" of \"{}\"", printable(own), printable(object));
  if (!found.is_open()) refuse(name, what + " cannot be read", "the file is damaged");
  const Handle type(H5Aget_type(found), H5Tclose);
  const Handle space(H5Aget_space(found), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count == 0) return {};
  if (H5Tget_class(type) == H5T_FLOAT) return {};  // how Keras writes an empty list
  if (H5Tget_class(type) != H5T_STRING || count < 0 || static_cast<hsize_t>(count) > most_texts)
    refuse(name, what + " is not a text, or a list of texts", "name a file that Keras wrote");
  const auto number = static_cast<std::size_t>(count);
  const std::size_t width = H5Tget_size(type);
  if (H5Tis_variable_str(type) <= 0 && width > longest_text / number)
    refuse(name, what + " is too long", "name a file that Keras wrote");
  std::vector<std::string> texts = H5Tis_variable_str(type) > 0
                                       ? read_long_texts(found, type, number)
                                       : read_fixed_texts(found, type, number, width);
  if (texts.empty()) refuse(name, what + " cannot be read", "the file is damaged");
  return texts;
}

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path, const Place& named_at)
    : name_(path.string()), state_(std::make_unique<State>()) {
  const InputFile file(path, named_at);  // says why a file can't be opened
  if (!file.is_regular()) refuse(name_, "not a regular file");
  list();
}

Hdf5File::Hdf5File(std::string_view image, std::string name)
    : name_(std::move(name)), state_(std::make_unique<State>()) {
  if (!is_hdf5(image)) refuse(name_, "this is not an HDF5 file", "download or save it again");
  state_->image = image;
  list();
}

Hdf5File::~Hdf5File() = default;

void Hdf5File::list() {
  for (const std::string& name :
       split(in_another_process(name_, [&] { return names_in(name_, state_->image); })))
    (name.starts_with('g') ? groups_ : datasets_).insert(name.substr(1));
}

Tensor Hdf5File::read(std::string_view path, const TensorSpec& spec) const {
  const std::string own(path);
  WT_EXPECT(datasets_.contains(own), "{} has no {}", name_, own);
  require_memory(spec.bytes(), fmt::format("reading \"{}\"", printable(name_)), "name a smaller file");
  const std::string numbers =
      in_another_process(name_, [&] { return numbers_in(name_, state_->image, own, spec); });
  Tensor tensor = Tensor::zeros(spec);
  const std::span<std::byte> bytes = tensor.bytes();
  if (numbers.size() != bytes.size())
    refuse(name_, fmt::format("the dataset \"{}\" cannot be read", printable(own)), "the file is damaged");
  std::ranges::copy(std::as_bytes(std::span(numbers)), bytes.begin());
  return tensor;
}

std::vector<std::string> Hdf5File::texts(std::string_view group, std::string_view attribute) const {
  const std::string path(group), own(attribute);
  WT_EXPECT(groups_.contains(path), "{} has no group {}", name_, path);
  return split(in_another_process(name_, [&] { return joined(texts_in(name_, state_->image, path, own)); }));
}

std::string hdf5_image(const Hdf5Content& content) {
  be_quiet();
  const Handle access = access_in_memory();
  const Handle file(H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  WT_EXPECT(file.is_open(), "HDF5 makes no file in memory");
  for (const auto& [path, attributes] : content.groups) {
    const Handle group = group_at(file, path);
    for (const auto& [name, text] : attributes) write_text(group, name, text);
  }
  for (const auto& [path, tensor] : content.datasets) {
    const std::size_t slash = path.rfind('/');
    const bool is_outside = slash == std::string::npos;
    const Handle group = group_at(file, is_outside ? "" : path.substr(0, slash));
    write_dataset(group, is_outside ? path : path.substr(slash + 1), tensor);
  }
  WT_EXPECT(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "HDF5 cannot complete a file in memory");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  WT_EXPECT(size > 0, "HDF5 gives no image of a file in memory");
  std::string image(static_cast<std::size_t>(size), '\0');
  H5Fget_file_image(file, image.data(), image.size());
  return image;
}

}  // namespace wt
