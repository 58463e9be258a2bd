#include "platforms/ascend/tasks/task_schedule.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

namespace tessera::ascend {

namespace {

constexpr Ns kNever = std::numeric_limits<Ns>::max();

/// The threads, cores and queues while time goes on.
class Scheduler {
 public:
  Scheduler(const TaskList& list, const std::vector<Ns>& times)
      : list_(list), costs_(list.costs), times_(times), per_cluster_(1 + list.aivs),
        held_(std::size_t{list.clusters} * per_cluster_), left_(list.tasks.size()),
        waits_(list.tasks.size()), waiting_(list.tasks.size()) {
    out_.cores = static_cast<unsigned>(held_.size());
    out_.tasks.resize(list.tasks.size());
    threads_.resize(std::min(costs_.threads, list.clusters));
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
      left_[n] = list.tasks[n].blocks;
      waits_[n] = list.tasks[n].after.size();
      for (const std::size_t other : list.tasks[n].after) waiting_[other].push_back(n);
      if (waits_[n] == 0) make_ready(n, submitted(n), submitted(n));
    }
  }

  Schedule run() {
    // The thread that is earliest does one thing.
    while (unfinished_ < list_.tasks.size()) {
      std::size_t first = 0;
      for (std::size_t n = 1; n < threads_.size(); ++n)
        if (threads_[n].now < threads_[first].now) first = n;
      step(first);
    }
    out_.begin = kNever;
    for (const BlockRun& b : out_.blocks) {
      out_.begin = std::min(out_.begin, b.start);
      out_.end = std::max(out_.end, b.end);
    }
    return std::move(out_);
  }

 private:
  struct Thread {
    Ns now = 0;
    unsigned next = 0;  // core to read
    bool gives = false, did_something = false;
  };
  struct Ready {
    std::size_t task;
    Ns available;
    unsigned blocks;
  };

  Ns submitted(std::size_t task) const { return static_cast<Ns>(task) * costs_.submit_ns; }
  std::size_t thread_of(unsigned core) const { return core / per_cluster_ % threads_.size(); }
  bool is_aic(unsigned core) const { return core % per_cluster_ == 0; }
  TaskCores cores_of(std::size_t task) const {
    return list_.kernels[list_.tasks[task].kernel].cores;
  }

  void make_ready(std::size_t task, Ns ready, Ns available) {
    out_.tasks[task].ready = ready;
    out_.tasks[task].available = available;
    ready_[static_cast<std::size_t>(cores_of(task))].push_back(
        {task, available, list_.tasks[task].blocks});
  }

  // One read or one dispatch; a thread that has read all of its cores gives out what it can.
  void step(std::size_t n) {
    Thread& t = threads_[n];
    if (!t.gives) {
      for (; t.next < held_.size(); ++t.next)
        if (thread_of(t.next) == n && !held_[t.next].empty()) return read(t, t.next++);
      t.gives = true;
    }
    if (give(t, n)) return;
    if (!t.did_something) t.now += costs_.idle_ns;
    t.next = 0;
    t.gives = t.did_something = false;
  }

  void read(Thread& t, unsigned core) {
    t.now += costs_.read_ns;
    t.did_something = true;
    const BlockRun& block = out_.blocks[held_[core].front()];
    if (block.end + costs_.from_core_ns > t.now) return;
    held_[core].pop_front();
    TaskRun& run = out_.tasks[block.task];
    run.end = std::max(run.end, block.end);
    // A block of several cores is over when all have said so.
    if (--left_parts(block.task) > 0) return;
    run.finished = t.now;
    ++unfinished_;
    for (const std::size_t next : waiting_[block.task]) {
      t.now += costs_.resolve_ns;
      Ns& ready = out_.tasks[next].ready;
      ready = std::max(ready, run.end);
      if (--waits_[next] == 0)
        make_ready(next, std::max(ready, submitted(next)), std::max(t.now, submitted(next)));
    }
  }

  unsigned parts_of(std::size_t task) const {
    return cores_of(task) == TaskCores::kMix ? per_cluster_ : 1;
  }
  /// Blocks of a task on cores that are not over.
  unsigned& left_parts(std::size_t task) {
    if (parts_.empty()) {
      parts_.resize(list_.tasks.size());
      for (std::size_t n = 0; n < parts_.size(); ++n)
        parts_[n] = list_.tasks[n].blocks * parts_of(n);
    }
    return parts_[task];
  }

  /// Blocks that the core, or one of a cluster, has; none if it is no place for such a block.
  std::optional<std::size_t> held_at(unsigned core, TaskCores cores) const {
    if (cores != TaskCores::kMix) {
      if (is_aic(core) != (cores == TaskCores::kAic)) return std::nullopt;
      return held_[core].size();
    }
    if (!is_aic(core)) return std::nullopt;
    std::size_t most = 0;
    for (unsigned part = 0; part < per_cluster_; ++part)
      most = std::max(most, held_[core + part].size());
    return most;
  }
  /// The core of a thread that has the fewest blocks. A thread gives no core a next block while a core of another one is idle.
  unsigned place_for(TaskCores cores, std::size_t thread) const {
    unsigned best = out_.cores;
    std::size_t fewest = costs_.slots;
    bool others_are_idle = false;
    for (unsigned core = 0; core < held_.size(); ++core) {
      const auto held = held_at(core, cores);
      if (!held) continue;
      if (thread_of(core) != thread)
        others_are_idle = others_are_idle || *held == 0;
      else if (*held < fewest)
        best = core, fewest = *held;
    }
    return fewest > 0 && others_are_idle ? out_.cores : best;
  }

  bool give(Thread& t, std::size_t n) {
    for (const TaskCores cores : {TaskCores::kMix, TaskCores::kAic, TaskCores::kAiv}) {
      auto& queue = ready_[static_cast<std::size_t>(cores)];
      const auto found = std::find_if(queue.begin(), queue.end(),
                                      [&t](const Ready& r) { return r.available <= t.now; });
      if (found == queue.end()) continue;
      const unsigned core = place_for(cores, n);
      if (core == out_.cores) continue;
      dispatch(t, found->task, core);
      if (--found->blocks == 0) queue.erase(found);
      return true;
    }
    return false;
  }

  void dispatch(Thread& t, std::size_t task, unsigned core) {
    const unsigned parts = parts_of(task);
    Ns start = 0;
    std::vector<BlockRun> blocks;
    for (unsigned part = 0; part < parts; ++part) {
      t.now += costs_.store_ns;
      BlockRun b;
      b.task = task;
      b.core = core + part;
      b.dispatched = t.now;
      b.start = t.now + costs_.to_core_ns;
      if (!held_[b.core].empty()) {
        b.before = held_[b.core].back();
        b.waits_from = out_.blocks[b.before].end;
        // A block that the core had before the last one was over; otherwise the core is idle, though no thread has seen it yet.
        b.follows = b.dispatched < b.waits_from;
        if (b.follows) b.start = std::max(b.start, b.waits_from + costs_.switch_ns);
      }
      start = std::max(start, b.start);
      blocks.push_back(b);
    }
    TaskRun& run = out_.tasks[task];
    const bool is_first = left_[task] == list_.tasks[task].blocks;
    for (BlockRun& b : blocks) {
      b.start = start;  // the cores of a cluster meet
      b.end = start + times_[task];
      run.dispatched = std::max(run.dispatched, b.dispatched);
      held_[b.core].push_back(out_.blocks.size());
      out_.blocks.push_back(b);
    }
    run.start = is_first ? start : std::min(run.start, start);
    --left_[task];
    t.did_something = true;
  }

  const TaskList& list_;
  const SchedulerCosts& costs_;
  const std::vector<Ns>& times_;
  const unsigned per_cluster_;
  std::vector<std::deque<std::size_t>> held_;  // blocks of each core, the one that runs first
  std::vector<unsigned> left_;                 // blocks that have not been given out
  std::vector<unsigned> parts_;
  std::vector<std::size_t> waits_;
  std::vector<std::vector<std::size_t>> waiting_;
  std::vector<Thread> threads_;
  std::deque<Ready> ready_[3];
  std::size_t unfinished_ = 0;
  Schedule out_;
};

/// A change of how many cores are idle, and how many tasks wait, at a time.
struct Change {
  Ns at;
  unsigned kind;  // 0: AIC, 1: AIV
  int idle, ready;
};

std::vector<Change> changes_of(const TaskList& list, const Schedule& s) {
  std::vector<Change> changes;
  for (const BlockRun& b : s.blocks) {
    const unsigned kind = b.core % (1 + list.aivs) == 0 ? 0 : 1;
    changes.push_back({b.start, kind, -1, 0});
    changes.push_back({b.end, kind, 1, 0});
  }
  for (std::size_t n = 0; n < s.tasks.size(); ++n) {
    const TaskCores cores = list.kernels[list.tasks[n].kernel].cores;
    for (unsigned kind = 0; kind < 2; ++kind) {
      if (cores == (kind == 0 ? TaskCores::kAiv : TaskCores::kAic)) continue;
      changes.push_back({s.tasks[n].ready, kind, 0, 1});
      changes.push_back({s.tasks[n].dispatched, kind, 0, -1});
    }
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

}  // namespace

Schedule schedule(const TaskList& list, const std::vector<Ns>& times) {
  return Scheduler(list, times).run();
}

Overhead overhead_of(const TaskList& list, const Schedule& s) {
  Overhead o;
  int idle[2] = {static_cast<int>(list.clusters), static_cast<int>(list.clusters * list.aivs)};
  int ready[2] = {0, 0};
  Ns now = 0;
  for (const Change& c : changes_of(list, s)) {
    const Ns span = std::max<Ns>(std::min(c.at, s.end) - std::max(now, s.begin), 0);
    const bool aic = idle[0] > 0 && ready[0] > 0, aiv = idle[1] > 0 && ready[1] > 0;
    if (aic) o.aic += span;
    if (aiv) o.aiv += span;
    if (aic && aiv) o.all += span;
    if ((aic || ready[0] == 0) && (aiv || ready[1] == 0) && (aic || aiv)) o.any += span;
    now = std::max(now, c.at);
    idle[c.kind] += c.idle;
    ready[c.kind] += c.ready;
  }
  return o;
}

CriticalPath critical_path(const TaskList& list, const Schedule& s) {
  CriticalPath path;
  // The block of each task that ends last.
  std::vector<std::size_t> last(s.tasks.size(), s.blocks.size());
  std::size_t at = 0;
  for (std::size_t n = 0; n < s.blocks.size(); ++n) {
    std::size_t& known = last[s.blocks[n].task];
    if (known == s.blocks.size() || s.blocks[n].end > s.blocks[known].end) known = n;
    if (s.blocks[n].end > s.blocks[at].end) at = n;
  }
  for (;;) {
    const BlockRun& b = s.blocks[at];
    path.blocks.push_back(at);
    path.computes += b.end - b.start;
    if (b.follows && b.waits_from >= s.tasks[b.task].ready) {
      path.switches += b.start - b.waits_from;
      at = b.before;
      continue;
    }
    path.transport += b.start - b.dispatched;
    path.scheduler += b.dispatched - s.tasks[b.task].ready;
    std::size_t next = s.blocks.size();
    for (const std::size_t other : list.tasks[b.task].after)
      if (next == s.blocks.size() || s.blocks[last[other]].end > s.blocks[next].end)
        next = last[other];
    if (next == s.blocks.size()) break;
    at = next;
  }
  std::reverse(path.blocks.begin(), path.blocks.end());
  return path;
}

std::string core_name(const TaskList& list, unsigned core) {
  const unsigned per_cluster = 1 + list.aivs, part = core % per_cluster;
  const std::string cluster = "cluster " + std::to_string(core / per_cluster);
  return part == 0 ? cluster + " AIC" : cluster + " AIV" + std::to_string(part - 1);
}

}  // namespace tessera::ascend
