#include "execute/execution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/error.h"
#include "execute/shortage.h"
#include "plan/order.h"

namespace wt::execute {

namespace {

const plan::Port* find(std::span<const plan::Port> ports, std::string_view name) {
  for (const plan::Port& port : ports)
    if (port.name == name) return &port;
  return nullptr;
}

// The port of that name among either kind, or an error that lists what there is.
const plan::Port& find_among(std::span<const plan::Port> first, std::span<const plan::Port> second,
                             std::string_view name, std::string_view doing) {
  if (const plan::Port* port = find(first, name)) return *port;
  if (const plan::Port* port = find(second, name)) return *port;
  std::vector<std::string> known;
  for (const auto ports : {first, second})
    for (const plan::Port& port : ports) known.push_back(port.name);
  throw InputError(fmt::format("[{}] the step has no \"{}\"", doing, name),
                   fmt::format("known: {}", fmt::join(known, ", ")));
}

}  // namespace

Execution::Execution(const plan::Plan& plan, device::Queue& queue) : plan_(plan), queue_(queue) {
  expect(!plan.out_of_memory, "plan {} did not fit into memory", plan.name);
  enter();
}

// ---- Memory

void Execution::enter() {
  if (!arenas_.empty() || plan_.devices.empty()) return;
  device::Memory& memory = queue_.memory();
  std::vector<std::shared_ptr<std::byte>> arenas;
  for (const plan::Device& device : plan_.devices) {
    arenas.push_back(memory.allocate(device.arena));
    if (arenas.back() == nullptr) {
      const auto which = static_cast<plan::DeviceId>(arenas.size() - 1);
      throw device::ResourceExhaustedError(shortage(plan_, which, memory.available()));
    }
  }
  arenas_ = std::move(arenas);
  if (addresses() != bound_to_) bind();
}

void Execution::leave() {
  if (queue_.memory().is_scarce()) arenas_.clear();
}

std::vector<std::byte*> Execution::addresses() const {
  std::vector<std::byte*> addresses;
  for (const auto& arena : arenas_) addresses.push_back(arena.get());
  return addresses;
}

// Capturing may run the tasks, so memory is cleared again.
void Execution::bind() {
  launches_.clear();
  copies_.clear();
  additions_.clear();
  tasks_.clear();
  touches_.clear();
  for (const plan::Node& node : plan_.nodes) {
    touches_.emplace_back();
    tasks_.push_back(task(node));
  }
  queue_.begin_capture();
  for (const device::Task& task : tasks_) queue_.enqueue(task);
  captured_ = queue_.end_capture();
  if (captured_.graph != nullptr)
    for (std::size_t i = 0; i < arenas_.size(); ++i)
      queue_.memory().clear(arenas_[i].get(), plan_.devices[i].arena);
  bound_to_ = addresses();
}

// ---- From outside

void Execution::write(std::string_view name, const Tensor& tensor) {
  const plan::Port& port = find_among(plan_.inputs, plan_.variables, name, "write");
  if (port.operand.spec != tensor.spec())
    throw InputError(fmt::format("[write] \"{}\" is {}, the tensor is {}", name, print(port.operand.spec),
                                 print(tensor.spec())),
                     "a step is traced for exact shapes: trace it again for others");
  enter();
  queue_.memory().write(view(port.operand).data, tensor.bytes());
}

Tensor Execution::read(std::string_view name) const {
  const plan::Port& port = find_among(plan_.variables, plan_.results, name, "read");
  expect(!arenas_.empty(), "\"{}\" of plan {} is read after its memory was given back", name, plan_.name);
  Tensor tensor = Tensor::zeros(port.operand.spec);
  queue_.memory().read(tensor.bytes(), view(port.operand).data);
  return tensor;
}

void Execution::step() {
  enter();
  queue_.replay(captured_);
  queue_.synchronize();
}

void Execution::step(std::span<const plan::NodeId> order) {
  expect(plan::is_legal(plan_, order), "an order of {} nodes breaks a dependency of plan {}", order.size(),
         plan_.name);
  enter();
  for (const plan::NodeId id : order) queue_.enqueue(tasks_[index(id)]);
  queue_.synchronize();
}

void Execution::run(plan::NodeId node) {
  enter();
  queue_.enqueue(tasks_[index(node)]);
  queue_.synchronize();
}

std::span<std::byte> Execution::arena(plan::DeviceId device) const {
  return {arenas_[index(device)].get(), static_cast<std::size_t>(plan_.devices[index(device)].arena.count())};
}

// ---- From nodes to tasks

View Execution::view(const plan::Operand& operand) const {
  const plan::Buffer& buffer = plan_.buffer(operand.buffer);
  return {operand.spec, arenas_[index(buffer.device)].get() + (buffer.address + operand.offset).count()};
}

View Execution::bind(const plan::Operand& operand, Access access) {
  const View bound = view(operand);
  note_touch(plan_.buffer(operand.buffer).device,
             {bound.data, static_cast<std::size_t>(bound.spec.bytes().count())}, access);
  return bound;
}

void Execution::note_touch(plan::DeviceId device, std::span<const std::byte> bytes, Access access) {
  touches_.back().push_back(
      {device, Bytes(bytes.data() - arenas_[index(device)].get()), Bytes(bytes.size()), access});
}

device::Task Execution::task(const plan::Node& node) {
  return std::visit([&](const auto& action) { return task_of(action); }, node.action);
}

device::Task Execution::task_of(const plan::Run& run) {
  Launch& launch = launches_.emplace_back(Launch{run.kernel, run.attributes, {}, {}, {}, {}});
  for (const plan::Operand& input : run.inputs) launch.inputs.push_back(bind(input, Access::read));
  for (const plan::Operand& output : run.outputs) launch.outputs.push_back(bind(output, Access::write));
  if (run.workspace) {
    const plan::Buffer& buffer = plan_.buffer(*run.workspace);
    launch.workspace = {arenas_[index(buffer.device)].get() + buffer.address.count(),
                        static_cast<std::size_t>(buffer.bytes.count())};
    note_touch(buffer.device, launch.workspace, Access::workspace);
  }
  return wt::task_of(launch, queue_);
}

device::Task Execution::task_of(const plan::Move& move) {
  Copies& copies = copies_.emplace_back();
  copies.push_back({bind(move.source, Access::read), bind(move.target, Access::write)});
  for (const plan::Move& piece : move.more)
    copies.push_back({bind(piece.source, Access::read), bind(piece.target, Access::write)});
  return {run_copies, &copies};
}

void Execution::run_copies(const void* copies, device::Queue& queue) {
  for (const Copy& copy : *static_cast<const Copies*>(copies))
    queue.memory().copy(copy.target.data, copy.source.data, copy.source.spec.bytes());
}

device::Task Execution::task_of(const plan::Collective& collective) {
  expect(false, "{} among {} ranks is to be executed, of which the plan has {}", collective.algorithm,
         (*collective.request).ranks, collective.values.size());
  return {};
}

// ((slot 0 + slot 1) + slot 2) + ..., so that the bits are those of the order written down.
device::Task Execution::task_of(const plan::Sum& sum) {
  expect(sum.slots.size() >= 2, "a sum of {} slots", sum.slots.size());
  Additions& additions = additions_.emplace_back();
  plan::Operand so_far = sum.slots[0];
  for (const plan::Operand& slot : std::span(sum.slots).subspan(1)) {
    Launch& launch = launches_.emplace_back(Launch{&kernel_named("add"),
                                                   {},
                                                   {bind(so_far, Access::read), bind(slot, Access::read)},
                                                   {bind(sum.output, Access::write)},
                                                   {},
                                                   {}});
    additions.push_back(wt::task_of(launch, queue_));
    so_far = sum.output;
  }
  return {run_additions, &additions};
}

void Execution::run_additions(const void* additions, device::Queue& queue) {
  for (const device::Task& task : *static_cast<const Additions*>(additions)) task.run(task.work, queue);
}

}  // namespace wt::execute
