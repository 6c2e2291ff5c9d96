#include "simulate/simulator/player.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <set>
#include <string>
#include <tuple>

#include "base/error.h"
#include "simulate/simulator/flows.h"
#include "simulate/simulator/network.h"

namespace wt::simulate {
namespace {

// A relation between activities in the reverse direction: from an activity to those that wait for it, or to
// those that are behind it.
class Successors {
 public:
  // `of` returns the activities that an activity waits for or is behind.
  Successors(const Job& job, auto of) : first_(job.activities.size() + 1) {
    for (std::size_t id = 0; id < job.activities.size(); ++id)
      for (const std::int32_t other : of(id)) ++first_[static_cast<std::size_t>(other) + 1];
    for (std::size_t id = 1; id < first_.size(); ++id) first_[id] += first_[id - 1];
    ids_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t id = 0; id < job.activities.size(); ++id)
      for (const std::int32_t other : of(id))
        ids_[next[static_cast<std::size_t>(other)]++] = static_cast<std::int32_t>(id);
  }
  std::span<const std::int32_t> of(std::size_t id) const {
    return std::span(ids_).subspan(first_[id], first_[id + 1] - first_[id]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::int32_t> ids_{};
};

std::span<const std::int32_t> ahead_of(const Job& job, std::size_t id) {
  const std::int32_t& behind = job.activities[id].behind;
  return {&behind, behind == none ? std::size_t{0} : std::size_t{1}};
}

// Events of one date are ordered by kind, then by id. Ends precede beginnings, so that a flow doesn't share a
// link with one that has just ended, and a worker has completed what ends when it is lost. A station is occupied
// last, by the first of all who are ready.
enum class Kind : std::uint8_t { end, lose, come_back, begin, occupy };

struct Event {
  double date{};
  std::int32_t activity{};  // or absence, or station
  Kind kind{};
  std::int32_t execution = none;  // of the activity's task, when the event was made

  bool operator>(const Event& other) const {
    return std::tie(date, kind, activity) > std::tie(other.date, other.kind, other.activity);
  }
};

// Flows of tasks begin again, and workers drift apart, so that groups of flows are rarely equal.
Folding folding_for(const Job& job, Folding folding) {
  return job.tasks.workers() > 0 ? Folding::expanded : folding;
}

// The activities that wait for a station, by the date at which they became ready.
struct Station {
  std::set<std::pair<double, std::int32_t>> waiting{};
  std::int32_t occupant = none;
};

// The execution of a task that is under way.
struct TaskRun {
  std::int32_t execution = none;  // in Outcome::executions
  std::int32_t left = 0;  // activities that have not ended; of an execution that was cut off, those under way
  std::deque<std::int32_t> taken{};      // runs that the worker has taken and not yet begun
  std::vector<std::int32_t> together{};  // executions of those that it took together, up to this one
  bool is_cut_off = false;               // the worker was lost

  bool is_first() const { return together.size() == 1; }
};

// A discrete-event simulation: activities whose dependencies have ended put their events into a queue.
class Player {
 public:
  Player(const Job& job, Folding folding)
      : job_(job),
        successors_(job, [&job](std::size_t id) { return job.waits_of(id); }),
        followers_(job, [&job](std::size_t id) { return ahead_of(job, id); }),
        network_(job, [this](std::int32_t flow) { flows_.arrive(flow, network_.now()); }),
        flows_(job, folding_for(job, folding), network_,
               [this](std::int32_t flow, double date) {
                 add({date, flow, Kind::end});
               }),
        waits_(job.activities.size()),
        is_held_(job.activities.size()),
        is_done_(job.activities.size()),
        is_under_way_(job.activities.size()),
        stations_(static_cast<std::size_t>(job.stations)),
        task_of_(job.tasks.workers() > 0 ? job.activities.size() : 0, none),
        running_(job.tasks.workers()),
        latest_(task_of_.size()),
        away_(job.tasks.workers()) {
    outcome_.activities.resize(job.activities.size());
    for (std::size_t worker = 0; worker < running_.size(); ++worker)
      for (std::int32_t id = job.tasks.first[worker]; id < job.tasks.first[worker + 1]; ++id)
        task_of_[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(worker);
  }

  Outcome play() {
    foresee_absences();
    std::size_t id = 0;
    for (std::size_t worker = 0; worker < running_.size(); ++worker) {
      begin_all(id, static_cast<std::size_t>(job_.tasks.first[worker]));
      take_run(worker);
      id = static_cast<std::size_t>(job_.tasks.first[worker + 1]);
    }
    begin_all(id, job_.activities.size());
    network_.run();
    expect_all_done();
    outcome_.links = flows_.loads();
    outcome_.effort = flows_.effort();
    outcome_.effort.timers = timers_;
    return std::move(outcome_);
  }

 private:
  // Begins the activities of this range that wait for no other.
  void begin_all(std::size_t first, std::size_t end) {
    for (std::size_t id = first; id < end; ++id) {
      waits_[id] = static_cast<std::int32_t>(job_.waits_of(id).size());
      is_held_[id] = is_done_[id] = is_under_way_[id] = false;
    }
    for (std::size_t id = first; id < end; ++id)
      if (job_.waits_of(id).empty()) make_ready(static_cast<std::int32_t>(id));
  }

  // The worker executes its task once more: it has taken a run for that, or the queue gets it one. A worker
  // that never gets one executes nothing.
  void take_run(std::size_t worker) {
    if (away_[worker] > 0) return;
    if (!running_[worker].taken.empty()) return begin_run(worker);
    running_[worker].together.clear();
    waiting_.push_back(worker);
    serve();
  }

  // Workers that wait take what the queue has.
  void serve() {
    const Tasks& tasks = job_.tasks;
    const std::int64_t released =
        tasks.round == 0 ? tasks.runs : std::min(tasks.runs, (ended_ / tasks.round + 1) * tasks.round);
    while (released_ < released) queue_.push_back(static_cast<std::int32_t>(released_++));
    for (; !waiting_.empty() && !queue_.empty(); waiting_.pop_front()) {
      const auto end = queue_.begin() + std::min(tasks.at_once, std::ssize(queue_));
      running_[waiting_.front()].taken.assign(queue_.begin(), end);
      queue_.erase(queue_.begin(), end);
      begin_run(waiting_.front());
    }
  }

  void begin_run(std::size_t worker) {
    const auto first = static_cast<std::size_t>(job_.tasks.first[worker]);
    const auto end = static_cast<std::size_t>(job_.tasks.first[worker + 1]);
    TaskRun& task = running_[worker];
    task.execution = static_cast<std::int32_t>(outcome_.executions.size());
    task.left = static_cast<std::int32_t>(end - first);
    outcome_.executions.push_back(
        {.worker = static_cast<std::int32_t>(worker), .run = task.taken.front(), .begun = now_});
    task.taken.pop_front();
    task.together.push_back(task.execution);
    begin_all(first, end);
  }

  // ---- Workers that are lost

  void foresee_absences() {
    for (std::size_t i = 0; i < job_.tasks.absences.size(); ++i) {
      const Absence& absence = job_.tasks.absences[i];
      const auto worker = static_cast<std::size_t>(absence.worker);
      if (absence.is_stall) {
        stalls_.resize(running_.size());
        stalls_[worker].push_back(absence);
        continue;
      }
      if (absence.from > 0)
        add({absence.from, static_cast<std::int32_t>(i), Kind::lose});
      else
        ++away_[worker];
      if (std::isfinite(absence.until)) add({absence.until, static_cast<std::int32_t>(i), Kind::come_back});
    }
    for (std::deque<Absence>& stalls : stalls_) std::ranges::stable_sort(stalls, {}, &Absence::from);
  }

  std::size_t worker_of_absence(std::int32_t absence) const {
    return static_cast<std::size_t>(job_.tasks.absences[static_cast<std::size_t>(absence)].worker);
  }

  void lose(std::size_t worker) {
    if (away_[worker]++ > 0) return;
    std::erase(waiting_, worker);
    TaskRun& task = running_[worker];
    if (task.left == 0 || task.is_cut_off) return;
    for (const std::int32_t number : task.together) {
      Execution& execution = outcome_.executions[static_cast<std::size_t>(number)];
      execution.lost = now_;
      queue_.push_back(execution.run);
    }
    ended_ -= std::ssize(task.together) - 1;
    queue_.insert(queue_.end(), task.taken.begin(), task.taken.end());
    task.taken.clear();
    cut_off(worker);
    serve();
  }

  // What is not under way never begins or ends, and leaves its station.
  void cut_off(std::size_t worker) {
    TaskRun& task = running_[worker];
    const auto first = is_under_way_.begin() + job_.tasks.first[worker];
    task.left = static_cast<std::int32_t>(
        std::count(first, is_under_way_.begin() + job_.tasks.first[worker + 1], true));
    task.is_cut_off = true;
    for (std::size_t number = 0; number < stations_.size(); ++number) {
      Station& station = stations_[number];
      const auto is_stopped = [&](std::int32_t id) {
        return task_run(id) == &task && !is_under_way_[static_cast<std::size_t>(id)];
      };
      std::erase_if(station.waiting, [&](const auto& waiting) { return is_stopped(waiting.second); });
      if (station.occupant != none && is_stopped(station.occupant))
        leave_station(static_cast<std::int32_t>(number));
    }
    if (task.left == 0) end_cut_off(worker);
  }

  void end_cut_off(std::size_t worker) {
    running_[worker] = {};
    take_run(worker);
  }

  void come_back(std::size_t worker) {
    if (--away_[worker] == 0 && running_[worker].left == 0) take_run(worker);
  }

  // When the activity may start: at once, but for a transfer of a worker whose network stalls.
  double start_of(std::int32_t id) {
    const Activity& activity = job_.activities[static_cast<std::size_t>(id)];
    const bool is_transfer = !activity.is_own && !activity.is_taking && activity.station == none;
    if (stalls_.empty() || !is_transfer || task_run(id) == nullptr) return now_;
    std::deque<Absence>& stalls = stalls_[static_cast<std::size_t>(task_of_[static_cast<std::size_t>(id)])];
    while (!stalls.empty() && stalls.front().until <= now_) stalls.pop_front();
    double start = now_;
    for (const Absence& stall : stalls) {
      if (stall.from > start) break;
      start = std::max(start, stall.until);
    }
    return start;
  }

  // True of what an execution that was cut off would have done.
  bool is_stopped(const Event& event) const {
    const TaskRun* task = task_run(event.activity);
    if (task == nullptr) return false;
    return event.execution != task->execution ||
           (task->is_cut_off && !is_under_way_[static_cast<std::size_t>(event.activity)]);
  }

  // ---- An activity

  // A worker that has taken several runs together takes the later ones in no time.
  bool is_skipped(std::int32_t id) const {
    return job_.activities[static_cast<std::size_t>(id)].is_taking && !task_run(id)->is_first();
  }

  std::int32_t station_of(std::int32_t id) const {
    return is_skipped(id) ? none : job_.activities[static_cast<std::size_t>(id)].station;
  }

  void make_ready(std::int32_t id) {
    const std::int32_t station = station_of(id);
    if (station == none) return start(id);
    stations_[static_cast<std::size_t>(station)].waiting.emplace(now_, id);
    // It is occupied after all events of this date, when it is known who is ready.
    add({now_, station, Kind::occupy});
  }

  void start(std::int32_t id) {
    const Activity& activity = job_.activities[static_cast<std::size_t>(id)];
    const double start = start_of(id);
    outcome_.activities[static_cast<std::size_t>(id)].start = start;
    is_under_way_[static_cast<std::size_t>(id)] = !activity.is_own && !job_.flows(activity);
    const double delay = is_skipped(id) ? 0 : activity.delay * pace_of(id);
    add({start + delay, id, after_delay(activity)});
  }

  double pace_of(std::int32_t id) const {
    const Activity& activity = job_.activities[static_cast<std::size_t>(id)];
    const Tasks& tasks = job_.tasks;
    double pace = 1;
    if (activity.is_paced && !tasks.paces.empty())
      pace = tasks.paces[static_cast<std::size_t>(task_run(id)->execution) % tasks.paces.size()];
    if (!activity.is_own) return pace;
    for (const SlowWorker& slow : tasks.slow)
      if (const std::int32_t execution = task_run(id)->execution;
          slow.worker == task_of_[static_cast<std::size_t>(id)] && slow.from <= execution &&
          execution < slow.until)
        pace *= slow.factor;
    return pace;
  }

  const TaskRun* task_run(std::int32_t id) const {
    const std::int32_t worker = task_of_.empty() ? none : task_of_[static_cast<std::size_t>(id)];
    return worker == none ? nullptr : &running_[static_cast<std::size_t>(worker)];
  }

  void occupy(std::int32_t number) {
    Station& station = stations_[static_cast<std::size_t>(number)];
    if (station.occupant != none || station.waiting.empty()) return;
    station.occupant = station.waiting.extract(station.waiting.begin()).value().second;
    start(station.occupant);
  }

  void leave_station(std::int32_t number) {
    if (number == none) return;
    stations_[static_cast<std::size_t>(number)].occupant = none;
    add({now_, number, Kind::occupy});
  }

  // The activity takes effect: what it reads, it reads now.
  void note_effect(std::int32_t id) {
    const TaskRun* task = task_run(id);
    if (task == nullptr) return;
    latest_[static_cast<std::size_t>(id)] = outcome_.occurred.size();
    outcome_.occurred.push_back(
        {id, task->execution, outcome_.activities[static_cast<std::size_t>(id)].start, now_});
  }

  Kind after_delay(const Activity& activity) const { return job_.flows(activity) ? Kind::begin : Kind::end; }

  // True when the delay of the activity has passed and the activity ahead of it has not ended. Then the
  // activity continues at the end of the one ahead.
  bool is_held_back(std::int32_t id) {
    const std::int32_t ahead = job_.activities[static_cast<std::size_t>(id)].behind;
    if (ahead == none || is_done_[static_cast<std::size_t>(ahead)]) return false;
    is_held_[static_cast<std::size_t>(id)] = true;
    return true;
  }

  // A timer of SimGrid is set for the first event of the queue. The events themselves stay here, because
  // SimGrid handles timers of one date in the order of its heap, and this queue in the order of ids.
  void add(Event event) {
    const bool is_of_activity = event.kind == Kind::end || event.kind == Kind::begin;
    if (const TaskRun* task = is_of_activity ? task_run(event.activity) : nullptr)
      event.execution = task->execution;
    events_.push(event);
    if (!is_awake_) set_alarm();
  }

  // A timer can't be cancelled. So every timer that is set remains in alarms_ until it fires, and no other is
  // set for its date or a later one: otherwise the number of timers would grow with every early event.
  void set_alarm() {
    if (events_.empty() || (!alarms_.empty() && events_.top().date >= alarms_.top())) return;
    alarms_.push(events_.top().date);
    ++timers_;
    network_.call_at(alarms_.top(), [this] { wake(); });
  }

  void wake() {
    is_awake_ = true;
    alarms_.pop();
    while (!events_.empty() && events_.top().date <= network_.now()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.date;
      happen(event);
    }
    is_awake_ = false;
    set_alarm();
  }

  void happen(const Event& event) {
    switch (event.kind) {
      case Kind::end:
        if (!is_stopped(event)) end(event.activity);
        return;
      case Kind::lose:
        return lose(worker_of_absence(event.activity));
      case Kind::come_back:
        return come_back(worker_of_absence(event.activity));
      case Kind::begin:
        return begin(event);
      case Kind::occupy:
        return occupy(event.activity);
    }
  }

  // Begins the activity together with all others that begin at this date.
  void begin(const Event& first) {
    beginning_.clear();
    const auto add_flow = [&](const Event& event) {
      if (!is_stopped(event) && !is_held_back(event.activity)) beginning_.push_back(event.activity);
    };
    add_flow(first);
    for (; !events_.empty() && events_.top().date == now_ && events_.top().kind == Kind::begin; events_.pop())
      add_flow(events_.top());
    for (const std::int32_t flow : beginning_) {
      is_under_way_[static_cast<std::size_t>(flow)] = true;
      note_effect(flow);
    }
    if (!beginning_.empty()) flows_.begin(beginning_, now_);
  }

  void end(std::int32_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (is_done_[at] || is_held_back(id)) return;
    if (job_.flows(job_.activities[at])) {
      if (!flows_.is_over(id)) return;
      flows_.end(id, now_);
    }
    is_done_[at] = true;
    is_under_way_[at] = false;
    outcome_.activities[at].end = outcome_.end = now_;
    leave_station(station_of(id));
    const TaskRun* task = task_run(id);
    const bool is_cut_off = task != nullptr && task->is_cut_off;
    for (const std::int32_t other : successors_.of(at))
      if (--waits_[static_cast<std::size_t>(other)] == 0 && !is_cut_off) make_ready(other);
    for (const std::int32_t other : followers_.of(at))
      if (is_held_[static_cast<std::size_t>(other)])
        add({now_, other, after_delay(job_.activities[static_cast<std::size_t>(other)])});
    end_in_task(id);
  }

  void end_in_task(std::int32_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (task_run(id) == nullptr) return;
    if (!job_.flows(job_.activities[at])) note_effect(id);
    outcome_.occurred[latest_[at]].end = now_;
    const auto worker = static_cast<std::size_t>(task_of_[at]);
    if (--running_[worker].left > 0) return;
    if (running_[worker].is_cut_off) return end_cut_off(worker);
    ++ended_;
    take_run(worker);
  }

  // A worker that came too late for all runs has executed nothing, and one that was lost leaves nothing to wait for.
  bool is_idle(std::size_t id) const {
    const TaskRun* task = task_run(static_cast<std::int32_t>(id));
    return task != nullptr && task->execution == none;
  }

  void expect_all_done() const {
    std::string stuck;
    std::size_t count = 0;
    for (std::size_t id = 0; id < is_done_.size(); ++id) {
      if (is_done_[id] || is_idle(id)) continue;
      if (++count <= 8) stuck += fmt::format("{}{}", stuck.empty() ? "" : ", ", id);
    }
    WT_EXPECT(stuck.empty(), "{} of {} activities never end, because they wait for each other: {}", count,
              is_done_.size(), stuck);
  }

  const Job& job_;
  const Successors successors_, followers_;
  Network network_;
  Flows flows_;
  std::vector<std::int32_t> waits_;  // by activity: the number of activities that it still waits for
  std::vector<bool> is_held_;        // the delay has passed, and the activity ahead has not ended
  std::vector<bool> is_done_;
  std::vector<bool> is_under_way_;  // what the loss of a worker doesn't stop
  std::vector<Station> stations_;
  std::vector<std::int32_t> task_of_;  // by activity; empty where there are no tasks
  std::vector<TaskRun> running_;       // by worker
  std::vector<std::size_t> latest_;    // by activity, its last execution in Outcome::occurred
  std::vector<int> away_;              // by worker, the absences that it has now
  // By worker, the stalls of its network that are not over, by their beginning; empty where there is none at all.
  std::vector<std::deque<Absence>> stalls_{};
  std::deque<std::int32_t> queue_{};   // runs that no worker has taken
  std::int64_t released_ = 0;          // runs that have been in the queue
  std::int64_t ended_ = 0;             // of these, the ones that have ended
  std::deque<std::size_t> waiting_{};  // workers without a run, the one that has waited longest first
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_{};
  std::vector<std::int32_t> beginning_{};
  double now_ = 0;  // date of the current event; SimGrid's clock may be ahead by a rounding error
  std::priority_queue<double, std::vector<double>, std::greater<>> alarms_{};  // dates of SimGrid's timers
  std::int64_t timers_ = 0;
  bool is_awake_ = false;
  Outcome outcome_{};
};

}  // namespace

Outcome play_here(const Job& job, Folding folding) {
  check(job);
  return Player(job, folding).play();
}

}  // namespace wt::simulate
