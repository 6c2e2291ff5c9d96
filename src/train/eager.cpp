#include "train/eager.h"

#include <fmt/format.h>

#include <array>

#include "base/log.h"
#include "base/suggest.h"
#include "device/error.h"
#include "device/out_of_memory.h"
#include "device/spec.h"
#include "kernel/launch.h"
#include "tensor/print_numpy.h"

namespace wt::train {

namespace {

std::vector<TensorSpec> specs_of(std::span<const EagerTensor> tensors) {
  std::vector<TensorSpec> specs;
  for (const EagerTensor& tensor : tensors) specs.push_back(tensor.numbers.spec());
  return specs;
}

const Kernel& known_kernel(std::string_view name) {
  if (const Kernel* kernel = find_kernel(name)) return *kernel;
  std::vector<std::string_view> known;
  for (const Kernel& kernel : kernels()) known.push_back(kernel.name);
  throw InputError(fmt::format("unknown operation \"{}\"", name), did_you_mean(name, known));
}

}  // namespace

std::string print(const EagerTensor& tensor) {
  const std::string text = print_numpy(tensor.numbers);
  return fmt::format("tf.Tensor({}{}, shape={}, dtype={})", text.find('\n') == text.npos ? "" : "\n", text,
                     print_tuple(tensor.numbers.shape()), name(tensor.numbers.type()));
}

Eager::Eager(device::Context& context, int threads)
    : context_(context), workers_(threads), sink_([](const std::string& line) { note("{}", line); }) {}

Eager::Scope::Scope(Eager& eager, std::string_view name) : eager_(eager), outer_(eager.scope_) {
  const device::Name inner = device::DeviceSpec::from_string(name).name();
  const bool is_outermost = outer_ == device::Name{};
  eager.context_.initialise();
  eager.scope_ = is_outermost ? eager.context_.resolve(inner) : merged(inner, outer_);
}

Eager::Scope::~Scope() { eager_.scope_ = outer_; }

void Eager::set_device_policy(std::string_view policy) {
  const auto known = device_policy_named(policy);
  if (!known)
    throw device::ValueError(fmt::format(
        "Invalid argument `device_policy`: '{}'. Please refer to "
        "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
        "`device_policy` arguments.",
        policy));
  policy_ = *known;
}

PlacementRules Eager::rules() {
  PlacementRules rules;
  for (const device::LogicalDevice& logical : context_.list_logical_devices())
    rules.devices.push_back(logical.name);
  rules.task = context_.task();
  rules.soft_placement = soft_placement_;
  rules.policy = policy_;
  rules.small_integers_on_cpu = small_integers_on_cpu_;
  return rules;
}

// Places and logs an operation and records the copies of its inputs. No numbers are moved, because all
// numbers are in the memory of this host.
device::Name Eager::run(std::string_view operation, Type type, std::span<const EagerTensor> inputs) {
  OperationRequest request{operation, type, scope_, {}};
  for (const EagerTensor& input : inputs) request.inputs.push_back({input.numbers.spec(), input.device});
  return run(request);
}

device::Name Eager::run(const OperationRequest& request) {
  if (!device::is_well_formed(scope_))
    throw InvalidArgumentError(
        fmt::format("Malformed device specification '{}' in eager op: Name: {}\nDevice Name: []\n"
                    "Device: []\nAttrs: ",
                    print(scope_), request.operation));
  const Placement placement = place(request, rules());
  for (const std::string& warning : placement.warnings) sink_(warning);
  if (logs_placement_)
    sink_(fmt::format("Executing op {} in device {}", request.operation, print(placement.device)));
  for (const InputCopy& copy : placement.copies)
    copies_.push_back({std::string(request.operation), copy.input, copy.from, copy.to,
                       request.inputs[copy.input].spec.bytes()});
  return placement.device;
}

device::Name Eager::variable_operation(std::string_view operation, Type type,
                                       const std::optional<device::Name>& resource,
                                       std::span<const EagerTensor> inputs) {
  OperationRequest request{operation, type, scope_, {}};
  if (resource) request.inputs.push_back({{type, {}}, *resource, true});
  for (const EagerTensor& input : inputs) request.inputs.push_back({input.numbers.spec(), input.device});
  return run(request);
}

Tensor Eager::compute_part(std::string_view kernel, std::span<const EagerTensor> inputs) {
  return compute(known_kernel(kernel), NoAttributes{}, inputs)[0];
}

// A constant in the scope of CPU:0 needs no operation, since it was created there
// (python/eager/pywrap_tensor.cc).
EagerTensor Eager::constant(const Tensor& numbers) {
  const EagerTensor made{numbers.copy(), device::host_of(context_.task())};
  const bool is_for_a_host = scope_.kind == device::Kind::cpu && scope_.index == 0;
  if (!is_for_a_host) {
    const device::Name device = run("_EagerConst", numbers.type(), {&made, 1});
    return {made.numbers, device, allocate(device, numbers.spec(), "_EagerConst")};
  }
  if (context_.find(scope_) == nullptr)
    throw InvalidArgumentError(fmt::format("{} unknown device.", print(scope_)));
  return {made.numbers, scope_};
}

EagerTensor Eager::matmul(const EagerTensor& a, const EagerTensor& b, ProductAttributes attributes) {
  const std::array inputs{a, b};
  return apply("matmul", attributes, inputs)[0];
}

// The result shares the allocation of x if it is on the same device.
EagerTensor Eager::identity(const EagerTensor& x) {
  const device::Name device = run("Identity", x.numbers.type(), {&x, 1});
  return {x.numbers, device, device == x.device ? x.place : allocate(device, x.numbers.spec(), "Identity")};
}

std::vector<EagerTensor> Eager::apply(std::string_view kernel_name, const Attributes& attributes,
                                      std::span<const EagerTensor> inputs) {
  const Kernel& kernel = known_kernel(kernel_name);
  const std::vector<TensorSpec> specs = specs_of(inputs);
  const std::string_view operation = operation_name(kernel.name, specs, attributes);
  const std::size_t copied = copies_.size();
  const device::Name device = run(operation, operation_type(kernel.name, specs, attributes), inputs);
  // Copies of inputs are freed when the operation ends, and outputs with the last EagerTensor that refers to
  // them.
  std::vector<std::shared_ptr<const void>> places;
  for (std::size_t i = copied; i < copies_.size(); ++i)
    places.push_back(allocate(copies_[i].to, specs[copies_[i].input], operation));
  std::vector<EagerTensor> outputs;
  for (const TensorSpec& spec : kernel.outputs(specs, attributes))
    outputs.push_back({{}, device, allocate(device, spec, operation)});
  std::vector<Tensor> numbers = compute(kernel, attributes, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].numbers = std::move(numbers[i]);
  return outputs;
}

std::shared_ptr<device::BfcAllocator> Eager::allocator_of(const device::Name& device) {
  const device::LogicalDevice* logical = context_.find(device);
  if (logical == nullptr || !logical->memory) return nullptr;
  auto& allocator = allocators_[print(device)];
  if (!allocator) allocator = std::make_shared<device::BfcAllocator>(*logical->memory);
  return allocator;
}

std::shared_ptr<const void> Eager::allocate(const device::Name& device, const TensorSpec& spec,
                                            std::string_view operation) {
  const device::Name memory = memory_of(device, spec.type);
  const auto allocator = allocator_of(memory);
  if (!allocator || spec.bytes().count() == 0) return nullptr;
  const std::optional<Bytes> address = allocator->allocate(spec.bytes());
  if (!address) {
    sink_(allocator->failure_log(spec.bytes(), operation));
    throw device::ResourceExhaustedError(
        device::out_of_memory_text(spec.shape, spec.type, print(memory), allocator->options().allocator));
  }
  return {static_cast<const void*>(allocator.get()),
          [allocator, address = *address](const void*) { allocator->free(address); }};
}

namespace {

// The device of a name with a type and an index, which the statistics of its memory are asked for.
device::Name device_with_statistics(std::string_view name, device::Context& context) {
  device::DeviceSpec spec;
  try {
    spec = device::DeviceSpec::from_string(name);
  } catch (const device::ValueError&) {  // refused below, since it has no type
  }
  if (!spec.device_type || !spec.device_index)
    throw device::ValueError(
        fmt::format("Failed parsing device name: '{}'. Note a valid device string should at least contain a "
                    "device type and a device index, like \"GPU:0\".",
                    name));
  const device::Name device = context.resolve(spec.name());
  if (context.find(device) == nullptr)
    throw device::ValueError(fmt::format("No matching devices found for '{}'", name));
  return device;
}

}  // namespace

device::BfcAllocator& Eager::counted_allocator(std::string_view name) {
  const device::Name device = device_with_statistics(name, context_);
  const auto allocator = allocator_of(device);
  if (!allocator)
    throw device::ValueError(fmt::format("Allocator stats not available for device '{}'", name));
  return *allocator;
}

device::MemoryStatistics Eager::get_memory_info(std::string_view device) {
  return counted_allocator(device).statistics();
}

void Eager::reset_memory_stats(std::string_view device) {
  const auto allocator = allocator_of(device_with_statistics(device, context_));
  if (!allocator) throw device::ValueError(fmt::format("Cannot reset memory stats for device '{}'", device));
  allocator->reset_peak();
}

std::vector<Tensor> Eager::compute(const Kernel& kernel, const Attributes& attributes,
                                   std::span<const EagerTensor> inputs) {
  const std::vector<TensorSpec> input_specs = specs_of(inputs);
  const std::vector<TensorSpec> output_specs = kernel.outputs(input_specs, attributes);
  Launch launch{&kernel, attributes, {}, {}, {}, {}};
  for (const EagerTensor& input : inputs) launch.inputs.push_back(input.numbers.view());
  std::vector<Tensor> outputs;
  for (const TensorSpec& spec : output_specs) {
    outputs.push_back(Tensor::zeros(spec));
    launch.outputs.push_back(outputs.back().view());
  }
  const Bytes needed = workspace_bytes(kernel, {input_specs, output_specs, attributes});
  const auto workspace = allocate_numbers(needed);
  launch.workspace = {workspace.get(), static_cast<std::size_t>(needed.count())};
  queue_.enqueue(cpu_task(launch, queue_));
  queue_.synchronize();
  return outputs;
}

}  // namespace wt::train
