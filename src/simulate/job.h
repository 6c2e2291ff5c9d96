#pragma once
// The input and the result of a simulation as flat arrays of plain values, which travel between processes
// unchanged. A job knows neither plans nor platforms: simulate/translate.h makes it from both. This job is a
// kernel of 20 us and, after it, a transfer of 1 MB with a latency of 2 us over two links of 25 and 50 GB/s:
//
//   Job job;
//   job.bandwidths = {25e9, 50e9};
//   const std::int32_t kernel = job.add({.delay = 20e-6});
//   job.add(job.flow(2e-6, 1'000'000, {{0, 1}}), {{kernel}});
//
// Its outcome ends at 20 + 2 + 40 us, since nothing else uses the slower link.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace wt::simulate {

// The number of an activity, a link or a group where there is none.
inline constexpr std::int32_t none = -1;

// An activity starts when all activities that it waits for have ended. Then `delay` seconds pass: the
// duration of a kernel or the latency of a transfer. Then `bytes` flow over the route, but not before the
// activity ahead of it, if there is one, has ended. Without bytes or without a route, the activity ends when
// its flow would begin.
struct Activity {
  double delay{};
  std::int64_t bytes{};
  std::int32_t first_link{};  // in Job::routes
  std::int32_t links{};
  std::int32_t behind = none;   // the activity ahead; smaller than the activity's own id
  std::int32_t station = none;  // what the activity occupies while its delay passes
  bool is_paced = false;        // its delay is multiplied by the pace of its run
  // It is the taking of runs from the queue. Of the runs that a worker takes together, only the first one's
  // takes time.
  bool is_taking = false;
  // The worker of its task computes it, so it stops when the worker is lost. Servers and the network go on with what
  // they have begun.
  bool is_own = false;
};

// A worker that is away: it is lost at a date, and may come back. A stall loses nothing: transfers of the worker's task that
// would start meanwhile start when it is over.
struct Absence {
  std::int32_t worker{};
  double from{};
  double until{};  // infinite: the worker does not come back
  bool is_stall = false;
};

// A worker whose own activities take longer.
struct SlowWorker {
  std::int32_t worker{};
  std::int32_t from{};   // the first of Outcome::executions that it slows down
  std::int32_t until{};  // the one behind the last of them
  double factor = 1;
};

// Tasks that are executed again and again: closures of a parameter server's coordinator, which its workers
// take from a queue. A worker whose activities have all ended takes the next run as long as there is one, and
// begins its activities anew; which worker executes how many runs follows from the time that they take.
// Workers with smaller numbers come first at the same date, and where several wait for a run, the one that has
// waited longest. Activities of a task wait for no others.
//
// When a worker is lost, its own activities stop, and no other activity of its run begins. Bytes on their way
// arrive, and a server completes what it has begun. All runs that the worker has taken together go to the end of
// the queue, also those that it has completed: TensorFlow's coordinator executes a closure again from its
// beginning (cluster_coordinator.py, put_back). A worker that comes back takes its next run when everything that
// it left behind has ended. If no worker comes back, the job ends with runs that are left over.
struct Tasks {
  // Worker w has the activities from first[w] up to, and without, first[w + 1]. Empty: nothing is repeated.
  std::vector<std::int32_t> first{};
  std::int64_t runs = 0;     // of all workers together
  std::int64_t at_once = 1;  // how many of them a worker takes together and executes one after the other
  // The runs are taken in rounds of so many. The next round begins when all runs of this one have ended.
  // 0: all runs are one round.
  std::int64_t round = 0;
  // By execution, the factor on the delays that are paced; empty: 1 for all. More executions than there are paces
  // begin with the first pace again.
  std::vector<double> paces{};
  std::vector<Absence> absences{};
  std::vector<SlowWorker> slow{};

  std::size_t workers() const { return first.empty() ? 0 : first.size() - 1; }
};

struct Job {
  std::vector<Activity> activities{};
  // Activity i waits for the activities after[first_after[i]] up to, and without, after[first_after[i + 1]].
  std::vector<std::int64_t> first_after{0};
  std::vector<std::int32_t> after{};
  // Links. Activities may share a piece. A link that occurs several times in a route, all in a row, carries
  // the flow's rate as many times: for itself, and for flows that are represented by it.
  std::vector<std::int32_t> routes{};
  std::vector<double> bandwidths{};  // by link, bytes per second
  // A station is occupied by one activity at a time. The others wait in the order in which they become ready,
  // at the same date in the order of their ids.
  std::int32_t stations = 0;
  Tasks tasks{};

  // Appends an activity and returns its id.
  std::int32_t add(Activity activity, std::span<const std::int32_t> waits_for = {});

  // An activity whose route is appended to `routes`. It still has to be added.
  Activity flow(double latency, std::int64_t bytes, std::span<const std::int32_t> route);

  std::span<const std::int32_t> waits_of(std::size_t activity) const;
  std::span<const std::int32_t> route_of(const Activity& activity) const;
  double bottleneck(const Activity& activity) const;  // its rate where nothing else flows
  bool flows(const Activity& activity) const { return activity.bytes > 0 && activity.links > 0; }
};

// Folded, SimGrid simulates only the flows that share links with others, and one of several equal flow groups
// (simulate/simulator/flows.h). Expanded, SimGrid simulates every flow: the reference of the tests.
enum class Folding : std::uint8_t { folded, expanded };

struct Interval {
  double start{};  // when the delay begins
  double end{};
};

// One execution of an activity of a task.
struct Occurred {
  std::int32_t activity{};
  std::int32_t execution{};  // in Outcome::executions
  double start{};
  double end{};
};

// A run that a worker has begun.
struct Execution {
  std::int32_t worker{};
  std::int32_t run{};  // in the order of the queue, from 0 to before Tasks::runs
  double begun{};
  // When the worker was lost and the run went back to the queue. Infinite: the execution is the run's last one.
  double lost = std::numeric_limits<double>::infinity();
};

struct LinkLoad {
  std::int64_t carried{};  // bytes
  double busy{};           // seconds with at least one flow
};

// Counts of how the flows were simulated, for tests and benchmarks.
struct Effort {
  std::int64_t alone{};      // flows that shared no link with another flow
  std::int64_t following{};  // flows whose group or lane was represented by an equal one
  std::int64_t shared{};     // flows that SimGrid simulated from their first byte on
  std::int64_t overtaken{};  // flows that began as alone or following and then went over to SimGrid
  std::int64_t timers{};     // timers that were set in SimGrid
};

struct Outcome {
  std::vector<Interval> activities{};  // of a task, the last execution
  // The executions of the tasks' activities in the order in which they take effect: a flow when its bytes begin
  // to flow, any other activity when it ends.
  std::vector<Occurred> occurred{};
  std::vector<Execution> executions{};  // of the tasks, in the order in which workers began them
  std::vector<LinkLoad> links{};
  double end{};
  Effort effort{};
};

// Throws InternalError for what no job may contain: unknown activities or links, an activity behind a later
// one, a route that comes back to a link, negative or infinite amounts.
void check(const Job& job);

}  // namespace wt::simulate
