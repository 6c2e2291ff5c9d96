#include "execute/execution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "device/error.h"
#include "execute/fusion.h"
#include "execute/shortage.h"
#include "plan/order.h"

namespace wt::execute {

namespace {

const plan::Port* find(std::span<const plan::Port> ports, std::string_view name) {
  for (const plan::Port& port : ports)
    if (port.name == name) return &port;
  return nullptr;
}

// The port with this name. Throws InputError, which lists all names, if there is none.
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

void add_new(std::vector<device::Queue*>& queues, device::Queue* queue) {
  if (!std::ranges::count(queues, queue)) queues.push_back(queue);
}

// The queues that compute or communicate.
Team team_of(device::Queue& leader, const std::vector<PlaceQueues>& devices) {
  Team team{.leader = &leader};
  for (const PlaceQueues& device : devices)
    for (device::Queue* queue : {device.compute, device.communication})
      if (queue != &leader) add_new(team.others, queue);
  return team;
}

// The queues of the team and those that copy inputs.
std::vector<device::Queue*> all_queues_of(const Team& team, const std::vector<PlaceQueues>& devices) {
  std::vector<device::Queue*> all{team.leader};
  all.insert(all.end(), team.others.begin(), team.others.end());
  for (const PlaceQueues& device : devices) add_new(all, device.copies);
  return all;
}

}  // namespace

Execution::Execution(const plan::Plan& plan, const Queues& queues)
    : plan_(plan),
      devices_(queues.of(plan)),
      library_(queues.library()),
      team_(team_of(queues.first(), devices_)),
      all_queues_(all_queues_of(team_, devices_)),
      intake_(plan, devices_) {
  WT_EXPECT(!plan.out_of_memory, "plan {} did not fit into memory", plan.name);
  for (const plan::Node& node : plan.nodes) by_node_.push_back(&queue_of(plan, node, devices_));
  enter();
}

// Waits, since running tasks use the memory that is freed now. An error of theirs is dropped: it has been
// reported before, or no caller waits for these results any more.
Execution::~Execution() {
  try {
    wait();
  } catch (const std::exception&) {
  }
}

// ---- Memory

void Execution::enter() {
  if (!arenas_.empty() || plan_.devices.empty()) return;
  std::vector<std::shared_ptr<std::byte>> arenas;
  for (const plan::Device& device : plan_.devices) {
    const auto which = static_cast<plan::DeviceId>(arenas.size());
    arenas.push_back(device.is_parked ? memory(which).allocate_on_host(device.arena)
                                      : memory(which).allocate(device.arena));
    if (arenas.back() != nullptr) continue;
    if (device.is_parked) throw device::ResourceExhaustedError(shortage_on_host(device));
    throw device::ResourceExhaustedError(shortage(plan_, which, memory(which).available()));
  }
  arenas_ = std::move(arenas);
  if (addresses() != bound_to_) bind();
  std::vector<std::byte*> inputs;
  for (const plan::Port& input : plan_.inputs) inputs.push_back(view(input.operand).data);
  intake_.enter(inputs);
}

void Execution::leave() {
  const auto is_scarce = [](const PlaceQueues& each) { return each.compute->memory().is_scarce(); };
  if (std::ranges::none_of(devices_, is_scarce)) return;
  wait();
  intake_.leave();
  arenas_.clear();
}

std::vector<std::byte*> Execution::addresses() const {
  std::vector<std::byte*> addresses;
  for (const auto& arena : arenas_) addresses.push_back(arena.get());
  return addresses;
}

// Makes a task of every node and captures a step. Capturing may run the tasks, so the memory is cleared
// afterwards.
void Execution::bind() {
  launches_.clear();
  copies_.clear();
  additions_.clear();
  wholes_.clear();
  tasks_.clear();
  touches_.clear();
  for (const plan::Node& node : plan_.nodes) {
    touches_.emplace_back();
    tasks_.push_back(task(node));
  }
  wait();  // until the new memory has been cleared
  team_.leader->begin_capture();
  relay_ = enqueue(plan::canonical_order(plan_), fused_tasks());
  captured_ = team_.leader->end_capture();
  wait();
  if (captured_.graph != nullptr)
    for (std::size_t i = 0; i < arenas_.size(); ++i)
      memory(static_cast<plan::DeviceId>(i)).clear(arenas_[i].get(), plan_.devices[i].arena);
  bound_to_ = addresses();
}

// Enqueues a step on the leader. With several queues, these are tasks that enqueue the nodes on their queues;
// they use the relay that is returned, which must exist as long as they may run.
std::unique_ptr<Relay> Execution::enqueue(std::span<const plan::NodeId> order,
                                          std::span<const device::Task> tasks) {
  if (team_.others.empty()) {
    for (const plan::NodeId id : order)
      if (tasks[index(id)].run != nullptr) team_.leader->enqueue(tasks[index(id)]);
    return nullptr;
  }
  auto relay = std::make_unique<Relay>(plan_, order, team_, by_node_, tasks);
  for (const device::Task& task : relay->tasks()) team_.leader->enqueue(task);
  return relay;
}

std::vector<device::Task> Execution::fused_tasks() {
  std::vector<device::Task> tasks = tasks_;
  for (const auto& [first, both] : fusions_of(plan_)) {
    tasks[index(first)] = fused_task(both, *by_node_[index(first)]);
    tasks[index(first) + 1] = {};
  }
  return tasks;
}

// ---- Writing and reading

void Execution::write(std::string_view name, const Tensor& tensor) {
  const plan::Port& port = find_among(plan_.inputs, plan_.variables, name, "write");
  if (port.operand.spec != tensor.spec())
    throw InputError(fmt::format("[write] \"{}\" is {}, the tensor is {}", name, print(port.operand.spec),
                                 print(tensor.spec())),
                     "a step is traced for exact shapes, so trace it again for another one");
  enter();
  const plan::Port* input = find(plan_.inputs, name);
  if (input != nullptr && intake_.send(static_cast<std::size_t>(input - plan_.inputs.data()), tensor.bytes()))
    return;
  if (std::exchange(is_under_way_, false)) wait();
  memory(plan_.buffer(port.operand.buffer).device).write(view(port.operand).data, tensor.bytes());
}

Tensor Execution::read(std::string_view name) const {
  const plan::Port& port = find_among(plan_.variables, plan_.results, name, "read");
  WT_EXPECT(!arenas_.empty(), "\"{}\" of plan {} is read after its memory was freed", name, plan_.name);
  wait();
  Tensor tensor = Tensor::zeros(port.operand.spec);
  memory(plan_.buffer(port.operand.buffer).device).read(tensor.bytes(), view(port.operand).data);
  return tensor;
}

// ---- Steps

void Execution::step() {
  enter();
  wait();
  intake_.take(*team_.leader);
  team_.leader->replay(captured_);
  is_under_way_ = true;
}

void Execution::step(std::span<const plan::NodeId> order) {
  WT_EXPECT(plan::is_legal(plan_, order), "an order of {} nodes is not legal for plan {}", order.size(),
            plan_.name);
  enter();
  wait();
  intake_.take(*team_.leader);
  const auto relay = enqueue(order, tasks_);
  wait();
}

void Execution::run(plan::NodeId node) {
  enter();
  wait();
  by_node_[index(node)]->enqueue(tasks_[index(node)]);
  wait();
}

void Execution::enqueue(plan::NodeId node) {
  enter();
  by_node_[index(node)]->enqueue(tasks_[index(node)]);
}

// Several queues don't know of each other's nodes, so each node waits for the one before.
void Execution::enqueue_after(plan::NodeId node) {
  enter();
  if (!team_.others.empty()) wait();
  by_node_[index(node)]->enqueue(tasks_[index(node)]);
  is_under_way_ = true;
}

void Execution::wait() const {
  for (device::Queue* queue : all_queues_) queue->synchronize();
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
  device::Queue& queue = *by_node_[tasks_.size()];
  return std::visit([&](const auto& action) { return task_of(action, queue); }, node.action);
}

device::Task Execution::task_of(const plan::Run& run, device::Queue& queue) {
  Launch& launch = launches_.emplace_back(Launch{run.kernel, run.attributes, {}, {}, {}, {}});
  for (const plan::Operand& input : run.inputs) launch.inputs.push_back(bind(input, Access::read));
  for (const plan::Operand& output : run.outputs) launch.outputs.push_back(bind(output, Access::write));
  if (run.workspace) {
    const plan::Buffer& buffer = plan_.buffer(*run.workspace);
    launch.workspace = {arenas_[index(buffer.device)].get() + buffer.address.count(),
                        static_cast<std::size_t>(buffer.bytes.count())};
    note_touch(buffer.device, launch.workspace, Access::workspace);
  }
  return wt::task_of(launch, queue);
}

// Notes no touches: they are those of the two nodes.
device::Task Execution::fused_task(const plan::Run& run, device::Queue& queue) {
  Launch& launch = launches_.emplace_back(Launch{run.kernel, run.attributes, {}, {}, {}, {}});
  for (const plan::Operand& input : run.inputs) launch.inputs.push_back(view(input));
  for (const plan::Operand& output : run.outputs) launch.outputs.push_back(view(output));
  return wt::task_of(launch, queue);
}

device::Task Execution::task_of(const plan::Move& move, device::Queue&) {
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

// A plan has no moves and sums for a Collective, so only a library can carry it out, and all of its ranks
// must be in the plan.
device::Task Execution::task_of(const plan::Collective& collective, device::Queue&) {
  const collective::Request& request = *collective.request;
  WT_EXPECT(
      library_ != nullptr && std::ssize(collective.values) == request.ranks,
      "{} among {} ranks cannot be executed: it needs a library and all ranks, and the plan has {} of them",
      collective.algorithm, request.ranks, collective.values.size());
  const TensorSpec& spec = collective.values.front().spec;
  Whole& whole = wholes_.emplace_back(Whole{.library = library_,
                                            .operation = collective.operation,
                                            .root = static_cast<std::size_t>(request.root),
                                            .shares = {{}, spec.type, spec.elements()}});
  for (const plan::Operand& value : collective.values) {
    const plan::DeviceId device = plan_.buffer(value.buffer).device;
    bind(value, Access::read);
    whole.shares.of_ranks.push_back({devices_[index(device)].communication, bind(value, Access::write).data});
  }
  return {run_whole, &whole};
}

void Execution::run_whole(const void* work, device::Queue& queue) {
  const auto& [library, operation, root, shares] = *static_cast<const Whole*>(work);
  if (operation == collective::Operation::broadcast) return library->broadcast(shares, root, queue);
  WT_EXPECT(operation == collective::Operation::all_reduce,
            "a library carries out all_reduce and broadcast, and not {}", name(operation));
  library->all_reduce(shares, queue);
}

// Adds ((slot 0 + slot 1) + slot 2) + ..., in the order of the plan, which determines the bits.
device::Task Execution::task_of(const plan::Sum& sum, device::Queue& queue) {
  WT_EXPECT(sum.slots.size() >= 2, "a sum has at least 2 slots, and this one has {}", sum.slots.size());
  Additions& additions = additions_.emplace_back();
  plan::Operand so_far = sum.slots[0];
  for (const plan::Operand& slot : std::span(sum.slots).subspan(1)) {
    Launch& launch = launches_.emplace_back(Launch{&kernel_named("add"),
                                                   {},
                                                   {bind(so_far, Access::read), bind(slot, Access::read)},
                                                   {bind(sum.output, Access::write)},
                                                   {},
                                                   {}});
    additions.push_back(wt::task_of(launch, queue));
    so_far = sum.output;
  }
  return {run_additions, &additions};
}

void Execution::run_additions(const void* additions, device::Queue& queue) {
  for (const device::Task& task : *static_cast<const Additions*>(additions)) task.run(task.work, queue);
}

}  // namespace wt::execute
