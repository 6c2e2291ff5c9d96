// Claims: what a worker sees of another one that is killed, and when, is what TensorFlow's own processes were recorded to
// see (tests/recordings/failures.tar.gz), in one sentence for each way in which a loss is noticed.
//
// lost_in_collective says what the worker sees that notices last; where all notice at once, what the neighbour behind the
// lost one sees. In the recordings an error that goes on round the ring has "Collective ops is aborted by: " in front once
// more for each neighbour, and the stack of gRPC, which no model has.

#include "timing/lost_worker.h"

#include <regex>

#include "platform/load.h"
#include "recordings/failures.h"

namespace wt::timing {
namespace {

using recordings::at;
using recordings::Recording;

double number_of(const json::Value& value) {
  return value.kind() == json::Kind::integer ? static_cast<double>(value.integer()) : value.real();
}

constexpr std::string_view aborted = "Collective ops is aborted by: ";

// A worker that waits in a collective, or begins one later, while another one is killed at 0.
struct Loss {
  const Recording& recording;
  int workers = 0;
  int victim = 0;
  bool is_vector = false;  // the collective reduces more than a single piece
  std::optional<Seconds> timeout{};

  int behind() const { return (victim + 1) % workers; }
  // The one that waits to send to the lost one what is a single piece.
  bool has_sender() const { return !is_vector && victim > 0; }
  int last() const { return has_sender() ? victim - 1 : behind(); }
};

// What a survivor recorded: when it began its collective, and when and with which error it left it, since the kill.
struct Seen {
  double arrival = 0;
  double time = 0;
  std::string type{};
  std::string message{};
};

std::string message_in(std::string text) {
  const std::size_t first = std::min(text.find(aborted), text.find(timed_out_message));
  text.erase(0, first);
  text.resize(std::min({text.size(), text.find("\n\t [[{{"), text.find("\n0 successful")}));
  static const std::regex stack_of_grpc("\n:[^\n]*");
  return std::regex_replace(text, stack_of_grpc, "");
}

Seen seen_by(const Loss& loss, int worker) {
  const json::Value& process = recordings::processes(loss.recording).at(static_cast<std::size_t>(worker));
  const json::Value* error = process.find("after");
  if (error == nullptr) error = &at(process, "fit");
  const double time = number_of(at(*error, "seconds_after_killed"));
  return {.arrival = time - number_of(at(*error, "seconds")),
          .time = time,
          .type = std::string(at(*error, "type").string()),
          .message = message_in(std::string(at(*error, "text").string()))};
}

// Every recording of workers of which one is killed and not started again.
std::vector<Loss> losses() {
  std::vector<Loss> all;
  for (const Recording& recording : recordings::failures().all()) {
    if (!recording.id.starts_with("workers_killed_") || recording.id == "workers_killed_back_at_once")
      continue;
    Loss loss{.recording = recording,
              .workers = static_cast<int>(recording.config("roles")->elements().size()),
              .victim = recording.id == "workers_killed_worker_idle" ? 1 : 0};
    if (const json::Value* victim = recording.config("victim"))
      loss.victim = static_cast<int>(victim->integer());
    // The gradients of the recorded fit are a vector; on a dataset that ends, each step first reduces a number.
    loss.is_vector =
        recording.id.find("vector") != std::string::npos || recording.id == "workers_killed_fit_repeat";
    if (const json::Value* timeout = recording.config("timeout")) loss.timeout = Seconds(number_of(*timeout));
    all.push_back(loss);
  }
  return all;
}

cluster::Machine machine_of(const Loss& loss) {
  cluster::Machine machine;
  std::vector<cluster::Job> jobs;
  std::map<std::string, int> counts;
  for (const json::Value& role : loss.recording.config("roles")->elements()) {
    const std::string job(role.string());
    const int task = counts[job]++;
    const int number = static_cast<int>(machine.replicas.size());
    if (jobs.empty() || jobs.back().name != job) jobs.push_back({.name = job});
    jobs.back().tasks[task] = fmt::format("127.0.0.1:PORT{}", number);
    const std::string device = fmt::format("/job:{}/replica:0/task:{}/device:CPU:0", job, task);
    machine.replicas.push_back({.device = {.name = device::parse_name(device)}, .task = number});
  }
  machine.tasks = loss.workers;
  machine.cluster = cluster::Cluster{.platform = platform::load("dgx_a100", {}).platform,
                                     .spec = cluster::ClusterSpec(jobs)};
  return machine;
}

// The prediction, with its end since the kill.
LostWorker predicted(const Loss& loss, double arrival, bool is_vector) {
  const cluster::Machine machine = machine_of(loss);
  plan::Plan plan{.name = "step"};
  plan.nodes.push_back({.action = plan::Collective{}});
  // The step begins so early that both the kill and the collective come after it.
  const double kill = std::max(0.0, -arrival) + 1;
  plan::Timeline timeline;
  timeline.nodes.push_back({.start = Seconds(kill + arrival)});
  const device::Name lost = machine.replicas.at(static_cast<std::size_t>(loss.victim)).device.name;
  const Failure failure{.kind = FailureKind::killed,
                        .task = loss.victim,
                        .name = fmt::format("/job:{}/replica:0/task:{}", *lost.job, *lost.task),
                        .time = Seconds(kill)};
  LostWorker worker = lost_in_collective(
      failure, machine,
      {.plan = &plan, .timeline = &timeline, .is_tensorflows = true, .reduced = Bytes(is_vector ? 4000 : 4)},
      loss.recording.version == "keras2" ? HealthCheck::heartbeats : HealthCheck::unhealthy, loss.timeout);
  worker.end -= Seconds(kill);
  return worker;
}

std::string type_of(const std::string& status) {
  return status == "UNAVAILABLE" ? "UnavailableError" : "DeadlineExceededError";
}

// Where the call was sent in the milliseconds in which the process ended, its connection is reset, closed or refused.
std::string without_connection(const std::string& message) {
  static const std::regex how(
      "(recvmsg:)?Connection reset by peer|Socket closed|failed to connect to all addresses(; last error: "
      "[^\n]*)?");
  return std::regex_replace(message, how, "no connection");
}

// Of three workers the one behind the lost one ends before the first one's service misses a heartbeat, and then TensorFlow
// names either of them, or both, in any order.
std::string without_tasks(const std::string& message) {
  static const std::regex task("task:[0-9]"), twice("(/job:worker/replica:0/task:N)\n\\1");
  return std::regex_replace(std::regex_replace(message, task, "task:N"), twice, "$1");
}

void expect_alike(const LostWorker& ours, const Seen& theirs, const Loss& loss, bool loses_a_neighbour) {
  const std::string name = loss.recording.version + " " + loss.recording.id;
  EXPECT_EQ(type_of(ours.status), theirs.type) << name;
  const bool is_by_heartbeat = ours.message.find("eartbeat") != std::string::npos;
  if (theirs.arrival == 0)
    EXPECT_EQ(without_connection(ours.message), without_connection(theirs.message)) << name;
  else if (loses_a_neighbour && is_by_heartbeat)
    EXPECT_EQ(without_tasks(ours.message), without_tasks(theirs.message)) << name;
  else
    EXPECT_EQ(ours.message, theirs.message) << name;
  // A heartbeat comes every 5 s, and was last sent up to 5 s before the kill. The others come within the resolution of the
  // recordings, and what a busy machine takes.
  EXPECT_LE(theirs.time, ours.end.count() + (is_by_heartbeat ? 1 : 0.25)) << name;
  EXPECT_GE(theirs.time, ours.end.count() - (is_by_heartbeat ? 5 : 0.25)) << name;
}

TEST(LostWorkers, ST10_C1_TheLastToNoticeSeesWhatTensorFlowsWorkersSaw) {
  int found = 0;
  for (const Loss& loss : losses()) {
    const Seen theirs = seen_by(loss, loss.last());
    expect_alike(predicted(loss, theirs.arrival, loss.is_vector), theirs, loss, loss.workers > 2);
    ++found;
  }
  EXPECT_EQ(found, 39);
}

// The worker that waits to send is the only one that waits at all.
TEST(LostWorkers, ST10_C1_AllOthersNoticeAtOnce) {
  int found = 0;
  for (const Loss& loss : losses()) {
    if (loss.timeout) continue;
    for (int worker = 0; worker < loss.workers; ++worker) {
      if (worker == loss.victim || (loss.has_sender() && worker == loss.last())) continue;
      Seen theirs = seen_by(loss, worker);
      if (theirs.arrival > 5) continue;  // heartbeats have told everyone before
      const std::string name =
          fmt::format("{} {}, worker {}", loss.recording.version, loss.recording.id, worker);
      EXPECT_LE(theirs.time, std::max(theirs.arrival, 0.0) + 0.25) << name;
      const LostWorker ours = predicted(loss, theirs.arrival, true);
      EXPECT_EQ(type_of(ours.status), theirs.type) << name;
      while (theirs.message.starts_with(fmt::format("{}{}", aborted, aborted)))
        theirs.message.erase(0, aborted.size());
      EXPECT_EQ(without_connection(theirs.message).substr(0, aborted.size() + 13),
                fmt::format("{}no connection", aborted))
          << name;
      EXPECT_EQ(without_connection(ours.message).substr(0, aborted.size() + 13),
                fmt::format("{}no connection", aborted))
          << name;
      ++found;
    }
  }
  EXPECT_GE(found, 30);
}

// Stopped for longer than the service waits, as a network that is cut; worker 1 in `workers_stopped_60`.
TEST(LostWorkers, ST10_C1_ACutIsNoticedByHeartbeatsOnly) {
  int found = 0;
  for (const Recording& recording : recordings::failures().all()) {
    if (!recording.id.starts_with("workers_stopped_") || recording.id == "workers_stopped_3") continue;
    const Loss loss{
        .recording = recording, .workers = 2, .victim = recording.id == "workers_stopped_leader_25" ? 0 : 1};
    const json::Value& error =
        at(recordings::processes(recording).at(static_cast<std::size_t>(1 - loss.victim)), "after0");
    const cluster::Machine machine = machine_of(loss);
    plan::Plan plan{.name = "step"};
    plan.nodes.push_back({.action = plan::Collective{}});
    plan::Timeline timeline;
    timeline.nodes.push_back({.start = Seconds(1)});
    const Failure failure{.kind = FailureKind::cut,
                          .task = loss.victim,
                          .name = fmt::format("/job:worker/replica:0/task:{}", loss.victim),
                          .time = Seconds(1),
                          .back_after = Seconds(60)};
    LostWorker ours = lost_in_collective(
        failure, machine,
        {.plan = &plan, .timeline = &timeline, .is_tensorflows = true, .reduced = Bytes(4000)},
        recording.version == "keras2" ? HealthCheck::heartbeats : HealthCheck::unhealthy, {});
    ours.end -= Seconds(1);
    const Seen theirs{.arrival = -0.1,
                      .time = number_of(at(error, "seconds_after_stopped")),
                      .type = std::string(at(error, "type").string()),
                      .message = message_in(std::string(at(error, "text").string()))};
    expect_alike(ours, theirs, loss, false);
    ++found;
  }
  EXPECT_EQ(found, 6);
}

}  // namespace
}  // namespace wt::timing
