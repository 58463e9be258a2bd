#include "models/wafer/sharing/strips.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "models/wafer/plan/cuts.h"

namespace tessera::wafer {

namespace {

// A cycle that takes one thread this long is worth several: to set them to work and to wait for them
// takes a few microseconds, twice.
constexpr double kWorthThreads = 30e-6;
constexpr unsigned kCyclesPerMeasurement = 8;
// So long one thread works alone where several were slower: on a computer that is busy otherwise.
constexpr unsigned kCyclesInTurn = 2000;
// Below this the calling thread hands over what crosses the borders.
constexpr std::size_t kFewCrossings = 256;
constexpr std::size_t kLargeWafer = 16384;  // tiles
// So many busy tiles do not fit a cache of 40 MB.
constexpr std::size_t kTilesBeyondCache = 8192;
// One engine in so many works: blocks are fetched as a whole, which costs more than it saves where a few tiles of
// each work.
constexpr std::size_t kSparse = 4;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t programs_in(const Strip& rows) {
  const auto image = rows.plan.image_of_tile.begin();
  return static_cast<std::size_t>(std::count_if(image + rows.first_place, image + rows.end_place,
                                                [](std::int32_t i) { return i >= 0; }));
}

// Counters of tiles cannot be taken back when a failure is found in an earlier cycle.
bool can_skew(const Strip& rows, const Threads& threads, const observe::EventStream* events) {
  const Plan& plan = rows.plan;
  const fabric::FabricTiming& t = plan.fabric;
  const unsigned latency = std::max({t.hop_latency, t.credit_latency, t.on_ramp_latency,
                                     t.off_ramp_latency, plan.queue_write_latency});
  return threads.skew.depth > 1 && !threads.hands_on_events && plan.ports.empty() &&
         latency <= kMaxLatencyAhead && (events == nullptr || !events->counters().has_tiles()) &&
         (!threads.skew.when_busy || programs_in(rows) >= kTilesBeyondCache);
}

}  // namespace

Strips::Strips(const Strip& rows, Threads threads, Outside& outside, observe::EventStream* events,
               const std::vector<Channel*>& others)
    : plan_(rows.plan), threads_(threads), is_large_(rows.tile_count() >= kLargeWafer),
      events_(events), skewed_(can_skew(rows, threads, events)),
      busy_enough_(std::max(kTilesBeyondCache, programs_in(rows) / kSparse)),
      first_row_(rows.first_row), step_begun_([this](unsigned i) {
        if (locals_[i]->next_due() <= begun_) locals_[i]->step_and_measure(begun_);
      }) {
  const auto height = static_cast<unsigned>(std::max(rows.end_row - rows.first_row, 1));
  const auto processes = std::min(static_cast<unsigned>(others.size() + 1), height);
  const unsigned count = std::clamp(threads.count, 1U, height / processes);
  const bool alone = count * processes == 1;
  // begin() lets tiles and host edges be stepped at the same time where all of them are in this process.
  const bool has_all = processes == 1 && rows.tile_count() == plan_.tile_count();
  const std::uint64_t other_work = has_all ? weight_of_edges(plan_) : 0;
  const std::vector<int> cuts = cut_into_strips(rows, count * processes, other_work);
  // The others do as this process does, and build their strips at the same time.
  threads.skew.depth = skewed_ ? threads.skew.depth : 1;
  threads.skew.when_busy = false;
  for (std::size_t i = 0; i + 1 < processes; ++i) {
    const Strip strip(plan_, cuts[(i + 1) * count], cuts[(i + 2) * count]);
    const RemotePart::Neighbours neighbours = {i > 0, i + 2 < processes};
    remotes_.push_back(
        std::make_unique<RemotePart>(*others[i], neighbours, strip, threads, outside, events));
  }
  locals_.resize(count);
  if (!alone && events != nullptr) events->part(count - 1);  // makes all of them
  // Each thread builds its own strip, so that the memory of the strip lies near it.
  for_all_locals([&](std::size_t i) {
    observe::EventStream* const stream = alone || events == nullptr ? events : &events->part(i);
    const Strip strip(plan_, cuts[i], cuts[i + 1], skewed_);
    const KeepingOutside::Keeps keeps = {keeps_, i == 0 ? first_keeps_ : keeps_};
    locals_[i] = std::make_unique<LocalPart>(keeps, alone, strip, outside, stream);
  });
  for (const auto& part : locals_) parts_.push_back(part.get());
  for (const auto& part : remotes_) parts_.push_back(part.get());
  for (int y = rows.first_row; y < rows.end_row; ++y) {
    const auto strip = std::upper_bound(cuts.begin(), cuts.end(), y) - cuts.begin() - 1;
    const auto number = static_cast<std::size_t>(strip);
    part_of_row_.push_back(
        static_cast<std::uint32_t>(number < count ? number : count + number / count - 1));
  }
}

Strips::~Strips() {
  join();
  for_all_locals([this](std::size_t i) { locals_[i].reset(); });
}

// If several strips fail, the failure of the first one is reported.
void Strips::for_all_locals(const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> failures(locals_.size());
  const auto guarded = [&](unsigned i) {
    try {
      work(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  run_locals(is_large_ && locals_.size() > 1, guarded);
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

void Strips::run_locals(bool together, const std::function<void(unsigned)>& work) {
  const auto count = static_cast<unsigned>(locals_.size());
  if (together) {
    pool().run(work);
  } else {
    for (unsigned i = 0; i < count; ++i) work(i);
  }
}

ThreadPool& Strips::pool() {
  if (!pool_) pool_ = std::make_unique<ThreadPool>(static_cast<unsigned>(locals_.size()));
  return *pool_;
}

void Strips::start() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    parts_[i - 1]->set_rooms(Direction::kSouth, parts_[i]->rooms_at(Direction::kNorth));
    parts_[i]->set_rooms(Direction::kNorth, parts_[i - 1]->rooms_at(Direction::kSouth));
  }
  for_all_locals([this](std::size_t i) { locals_[i]->start(); });
  for (const auto& part : remotes_) part->start();
}

// --- a cycle

Cycle Strips::step(Cycle now, Cycle free_until) {
  if (now < computed_to_) return tell_computed(now);
  const Cycle end = std::min(free_until, now + threads_.skew.depth);
  const std::uint64_t steps = engine_steps();
  if (end > now + 1 && is_worth_skew()) {
    run_ahead(Window(threads_.skew, plan_.width, now, end));
    count_busy(engine_steps() - steps, static_cast<unsigned>(end - now));
    return tell_computed(now);
  }
  if (parts_.size() > 1) {
    step_parts(now);
  } else {
    parts_.front()->step(now);
  }
  count_busy(engine_steps() - steps, 1);
  report_failure();
  return next_due_of_parts();
}

std::uint64_t Strips::engine_steps() const {
  std::uint64_t steps = 0;
  for (const auto& part : locals_) steps += part->core()->engine_steps();
  return steps;
}

// Other processes have about as much to do as this one.
void Strips::count_busy(std::uint64_t steps, unsigned cycles) {
  busy_ = steps * parts_.size() / locals_.size() / cycles;
}

Cycle Strips::next_due_of_parts() const {
  Cycle next = kNever;
  for (const Part* const part : parts_) next = std::min(next, part->next_due());
  return next;
}

// --- cycles before their time

bool Strips::is_worth_skew() const {
  return may_be_ahead() && (!threads_.skew.when_busy || busy_ >= busy_enough_);
}

// A cycle with a failure counts in full; later cycles do not count at all.
void Strips::run_ahead(const Window& window) {
  for (unsigned stage = 0; stage < (parts_.size() > 1 ? window.stages() : 1); ++stage)
    step_stage(window, stage);
  const Cycle begin = window.begin();
  const Cycle end = failed_at() == kNever ? window.end() : std::max(failed_at(), begin) + 1;
  computed_to_ = std::clamp(last_ahead(), begin, end - 1) + 1;
  end_ahead(begin, end);
}

void Strips::step_stage(const Window& window, unsigned stage) {
  if (stage == 0) {
    keeps_ = true;
    together_ = locals_.size() > 1 && is_worth_threads(window.cycles());
  }
  for (const auto& part : remotes_) part->begin_stage(window, stage);
  const double begin = wall_seconds();
  run_locals(together_, [&](unsigned i) { locals_[i]->step_stage(window, stage); });
  if (stage == 0) {
    double seconds = 0;
    for (const auto& part : locals_) seconds += part->seconds();
    note_cost(seconds / window.cycles());
    if (together_) note_together((wall_seconds() - begin) / window.cycles());
  }
  for (const auto& part : remotes_) part->step_stage(window, stage);
  exchange_all(window.cycle_of(stage));
}

Cycle Strips::failed_at() const {
  Cycle first = kNever;
  for (const Part* const part : parts_) first = std::min(first, part->failed_at());
  return first;
}

Cycle Strips::last_ahead() const {
  Cycle last = 0;
  for (const Part* const part : parts_) last = std::max(last, part->last_ahead());
  return last;
}

void Strips::end_ahead(Cycle begin, Cycle end) {
  for (Part* const part : parts_) part->end_ahead(begin, end);
  keeps_ = together_ = false;
}

Cycle Strips::next_told() const {
  Cycle next = kNever;
  for (const Part* const part : parts_) next = std::min(next, part->next_told());
  return next;
}

void Strips::hand_on(Cycle now) {
  for (Part* const part : parts_) part->hand_on(now);
}

Cycle Strips::tell_computed(Cycle now) {
  hand_on(now);
  const Cycle last = computed_to_ - 1;
  if (now < last) return std::min(next_told(), last);
  report_failure();
  return next_due_of_parts();
}

// --- one cycle

void Strips::step_parts(Cycle now) {
  if (together_) return end_together(now);
  find_due(now);
  for (const auto& part : remotes_) part->begin_step(now);
  if (due_.size() > 1 && is_worth_threads(1)) {
    begin_together(now);
    end_together(now);
  } else {
    step_in_turn(now);
  }
}

void Strips::find_due(Cycle now) {
  due_.clear();
  for (const auto& part : locals_) {
    if (part->next_due() <= now) due_.push_back(part.get());
  }
}

// Where PEs do something for the host, which may concern blocks of the host, those are not stepped at the same time.
void Strips::begin(Cycle now) noexcept {
  if (!pool_ || skewed_ || !remotes_.empty() || in_turn_for_ > 0 || has_accesses()) return;
  find_due(now);
  if (due_.size() > 1 && is_worth_threads(1)) begin_together(now);
}

void Strips::begin_together(Cycle now) {
  ThreadPool& threads = pool();
  const double begin = wall_seconds();
  together_ = keeps_ = true;
  first_keeps_ = has_accesses();
  first_begun_ = false;
  begun_ = now;
  threads.begin(step_begun_);
  begun_s_ = wall_seconds() - begin;
}

void Strips::join() {
  if (!has_begun()) return;
  const double begin = wall_seconds();
  // Who is behind a port of the first strip may ask for this while that is stepped.
  if (!std::exchange(first_begun_, true)) step_begun_(0);
  pool_->finish();
  begun_ = kNever;
  begun_s_ += wall_seconds() - begin;
}

Cycle Strips::next_due(Cycle now) const {
  Cycle next = kNever;
  for (const auto& part : locals_) next = std::min(next, part->core()->next_due(now));
  for (const auto& part : remotes_) next = std::min(next, part->next_due());
  return next;
}

// Sinks other than digest and counters take the events of a cycle from one thread.
bool Strips::is_worth_threads(unsigned cycles) {
  if (events_ != nullptr && events_->is_traced()) return false;
  if (!threads_.when_busy) return true;
  if (in_turn_for_ > 0) {
    in_turn_for_ -= std::min(in_turn_for_, cycles);
    return false;
  }
  return cost_s_ >= kWorthThreads;
}

void Strips::step_in_turn(Cycle now) {
  const bool measured = threads_.when_busy && ++unmeasured_ == kCyclesPerMeasurement;
  if (measured) unmeasured_ = 0;
  double seconds = 0;
  for (LocalPart* const part : due_) {
    if (measured) {
      part->step_and_measure(now);
      seconds += part->seconds();
    } else {
      part->step(now);
    }
  }
  if (measured) note_cost(seconds);
  end_step(now);
}

void Strips::end_together(Cycle now) {
  join();
  const double begin = wall_seconds();
  end_step(now);
  together_ = keeps_ = first_keeps_ = false;
  for (const auto& part : locals_) part->hand_on(kNever);
  double seconds = 0;
  for (const LocalPart* const part : due_) seconds += part->seconds();
  note_cost(seconds);
  note_together(begun_s_ + wall_seconds() - begin);
}

void Strips::note_together(double seconds) {
  together_s_ += (seconds - together_s_) * kNew;
  if (!threads_.when_busy || together_s_ < cost_s_) return;
  in_turn_for_ = kCyclesInTurn;
  together_s_ = 0;
}

void Strips::end_step(Cycle now) {
  for (const auto& part : remotes_) part->step(now);
  exchange_all(now);
  for (const auto& part : remotes_) part->hand_on(kNever);
}

// All strips have been stepped: each takes what its neighbours sent.
void Strips::exchange_all(Cycle now) {
  std::size_t crossings = 0;
  for (Part* const part : parts_)
    crossings += part->sent(Direction::kNorth).size() + part->sent(Direction::kSouth).size();
  run_locals(together_ && crossings >= kFewCrossings,
             [this, now](unsigned i) { exchange(i, now); });
  for (std::size_t i = locals_.size(); i < parts_.size(); ++i) exchange(i, now);
}

// `side`: of the receiver.
void Strips::hand_over(Part& from, Part& to, Direction side, Cycle now) {
  if (const Cycle due = from.sent_directly(opposite(side)); due != kNever)
    to.take_directly(side, due, now);
  to.take(side, from.sent(opposite(side)), now);
}

void Strips::exchange(std::size_t i, Cycle now) {
  if (i > 0) hand_over(*parts_[i - 1], *parts_[i], Direction::kNorth, now);
  if (i + 1 < parts_.size()) hand_over(*parts_[i + 1], *parts_[i], Direction::kSouth, now);
}

// If several tiles fail, the failure of the first one is reported: strips follow each other as their
// tiles do.
void Strips::report_failure() {
  std::exception_ptr first;
  for (Part* const part : parts_) {
    const std::exception_ptr failure = part->take_failure();
    if (first == nullptr) first = failure;
  }
  if (first == nullptr) return;
  failed_ = true;
  std::rethrow_exception(first);
}

// --- tiles and ports

Part& Strips::part_of(TileCoord tile) const {
  return *parts_[strip_of(tile)];
}

Part& Strips::part_of_port(std::uint32_t port) const {
  return part_of(plan_.ports[port].tile);
}

pe::ComputeEngineCore* Strips::engine(TileCoord tile) {
  WaferCore* const core = part_of(tile).core();
  return core == nullptr ? nullptr : core->engine(tile);
}

RemotePart* Strips::remote(TileCoord tile) const {
  const std::uint32_t strip = strip_of(tile);
  return strip < locals_.size() ? nullptr : remotes_[strip - locals_.size()].get();
}

void Strips::launch(TileCoord tile, const pe::Function& function,
                    const std::vector<std::uint32_t>& arguments, Cycle at) {
  part_of(tile).launch(tile, function, arguments, at);
}

// What it does for the host is not for several threads at a time.
void Strips::access(TileCoord tile, pe::HostAccess access, Cycle at) {
  if (locals_.size() > 1 && access.act) {
    ++accesses_;
    access.act = [this, act = std::move(access.act)](pe::Sram& sram, Cycle now) {
      const std::lock_guard<std::mutex> lock(host_);
      act(sram, now);
      --accesses_;
    };
  }
  part_of(tile).core()->access(tile, std::move(access), at);
  part_of(tile).wake(at);
}

unsigned Strips::capacity(std::uint32_t port, Color color) const {
  return part_of_port(port).capacity(port, color);
}

void Strips::put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  part_of_port(port).put(port, w, due);
}

void Strips::credit(std::uint32_t port, Color color, Cycle due) {
  part_of_port(port).credit(port, color, due);
}

void Strips::shuffle_step_order(std::uint64_t seed) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->shuffle_step_order(seed + i);
}

void Strips::set_diagnoses(observe::Diagnoses* diagnoses) {
  for (Part* const part : parts_) part->set_diagnoses(diagnoses);
}

std::size_t Strips::wavelets_held() const {
  std::size_t held = 0;
  for (Part* const part : parts_) held += part->wavelets_held();
  return held;
}

void Strips::describe_waits(observe::Waits& waits, Cycle now) const {
  for (Part* const part : parts_) part->describe_waits(waits, now);
}

void Strips::set_link_waits(observe::LinkWaits& waits) {
  for (const auto& part : locals_) part->core()->set_link_waits(waits);
}

void Strips::add_lasting_waits(observe::LinkWaits& waits, Cycle end) const {
  for (const auto& part : locals_) part->core()->add_lasting_waits(waits, end);
}

std::vector<pe::Sram> Strips::take_memories() {
  std::vector<pe::Sram> memories;
  for (const auto& part : locals_) {
    for (Pe& pe : part->core()->pes()) memories.push_back(std::move(pe.engine.sram()));
  }
  return memories;
}

void Strips::put_memories(std::vector<pe::Sram> memories) {
  auto next = memories.begin();
  for (const auto& part : locals_) {
    for (Pe& pe : part->core()->pes()) pe.engine.sram().take_over(std::move(*next++));
  }
}

}  // namespace tessera::wafer
