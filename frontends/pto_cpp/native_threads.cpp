#include "frontends/pto_cpp/native_threads.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tessera::pto_cpp {

using cluster::kThreadLineBytes;
using cluster::kWarpThreads;
using cluster::Location;
using cluster::ThreadCosts;
using cluster::ThreadWork;

namespace {

constexpr ThreadCosts kCosts;
constexpr std::uint64_t kThreadPage = 4096;
constexpr std::uint64_t kMostBlocksOfThread = 100'000'000;  // basic blocks of a thread
/// UB for threads: pieces of 8 bytes go round so many places, each of which serves one piece in a cycle.
constexpr std::uint64_t kUbPieceBytes = 8, kUbPlaces = 32;

}  // namespace

ThreadWork NativeThreads::run(const TsrThreads& launch, unsigned block, unsigned blocks,
                              cluster::ThreadMemory& data) {
  data_ = &data;
  work_ = {};
  failure_.clear();
  crash_ = {};
  pages_.clear();
  cached_.assign(kCosts.cached_lines, ~std::uint64_t{0});
  *launch.count = {launch.size[0], launch.size[1], launch.size[2]};
  *launch.block = {block, 0, 0};
  *launch.blocks = {blocks, 1, 1};
  start(launch);
  const auto is_open = [](const Thread& t) { return t.stands != Stands::kEnded; };
  Cycle time = 0;
  while (!has_failed() && std::any_of(threads_.begin(), threads_.end(), is_open)) {
    for (Thread& t : threads_)
      if (t.stands == Stands::kMeets) t.stands = Stands::kReady;
    Cycle longest = 0;
    for (std::size_t w = 0; w < warps_.size() && !has_failed(); ++w) {
      const std::size_t first = w * kWarpThreads;
      const std::size_t end = std::min(first + kWarpThreads, threads_.size());
      run_warp(launch, first, end);
      account(w, first, end);
      longest = std::max(longest, std::exchange(warps_[w].time, 0));
    }
    const bool goes_on = std::any_of(threads_.begin(), threads_.end(), is_open);
    time += longest + (goes_on ? kCosts.meet : 0);
  }
  running_ = nullptr;
  for (Thread& t : threads_)
    if (t.fiber && t.stands == Stands::kEnded) free_.push_back(std::move(t.fiber));
  threads_.clear();
  if (!has_failed()) write_back();
  work_.longest = time;
  return work_;
}

void NativeThreads::start(const TsrThreads& launch) {
  const std::size_t count = std::size_t{launch.size[0]} * launch.size[1] * launch.size[2];
  threads_.clear();
  threads_.resize(count);
  warps_.assign((count + kWarpThreads - 1) / kWarpThreads, {});
  for (std::size_t n = 0; n < count; ++n) {
    threads_[n].index[0] = static_cast<std::uint32_t>(n % launch.size[0]);
    threads_[n].index[1] = static_cast<std::uint32_t>(n / launch.size[0] % launch.size[1]);
    threads_[n].index[2] = static_cast<std::uint32_t>(n / launch.size[0] / launch.size[1]);
  }
}

// Lanes go on until all of them have ended or wait for the block.
void NativeThreads::run_warp(const TsrThreads& launch, std::size_t first, std::size_t end) {
  for (bool moves = true; moves && !has_failed();) {
    moves = false;
    for (std::size_t n = first; n < end && !has_failed(); ++n) {
      Thread& t = threads_[n];
      if (t.stands != Stands::kNew && t.stands != Stands::kReady) continue;
      moves = true;
      resume(launch, t);
    }
    if (!has_failed()) give_values(first, end);
  }
}

void NativeThreads::resume(const TsrThreads& launch, Thread& thread) {
  if (thread.stands == Stands::kNew) {
    if (free_.empty()) free_.push_back(std::make_unique<NativeFiber>());
    thread.fiber = std::move(free_.back());
    free_.pop_back();
    thread.fiber->start([&launch] { launch.run(launch.closure); });
  }
  *launch.thread = {thread.index[0], thread.index[1], thread.index[2]};
  running_ = &thread;
  thread.stands = Stands::kReady;
  thread.fiber->run();
  running_ = nullptr;
  if (thread.fiber->crash().signal != 0) {
    crash_ = thread.fiber->crash();
    failure_ = "it ended with " + thread.fiber->describe_crash();
  }
  if (!has_failed() && thread.fiber->ended()) {
    thread.stands = Stands::kEnded;
    free_.push_back(std::move(thread.fiber));
  }
  if (has_failed())
    failure_ = "thread (" + std::to_string(thread.index[0]) + ", " +
               std::to_string(thread.index[1]) + ", " + std::to_string(thread.index[2]) +
               "): " + failure_;
}

// Lanes that wait at one place exchange their values. Of several places the first one in the code comes first, so that lanes of two
// branches meet behind them.
void NativeThreads::give_values(std::size_t first, std::size_t end) {
  const void* place = nullptr;
  std::uint32_t active = 0;
  for (std::size_t n = first; n < end; ++n) {
    const Thread& t = threads_[n];
    if (t.stands != Stands::kExchanges || (place != nullptr && t.place > place)) continue;
    if (t.place != place) active = 0;
    place = t.place;
    active |= 1U << (n - first);
  }
  for (std::size_t n = first; n < end; ++n) {
    Thread& t = threads_[n];
    if ((active >> (n - first) & 1U) == 0) continue;
    for (std::size_t k = first; k < end; ++k)
      if ((active >> (k - first) & 1U) != 0) t.lanes[k - first] = threads_[k].value;
    t.active = active;
    t.stands = Stands::kReady;
  }
}

void NativeThreads::account(std::size_t warp, std::size_t first, std::size_t end) {
  Warp& w = warps_[warp];
  std::uint64_t blocks = 0;
  for (std::size_t n = first; n < end; ++n)
    blocks = std::max(blocks, std::exchange(threads_[n].blocks, 0));
  work_.blocks += blocks;
  w.time += blocks * kCosts.block;
  for (const std::uint64_t key : w.order) w.time += time_of(w.accesses.at(key));
  w.accesses.clear();
  w.order.clear();
  for (std::size_t n = first; n < end; ++n) threads_[n].visits.clear();
}

Cycle NativeThreads::time_of(const Access& access) {
  if (access.in_ub) {
    std::array<Cycle, kUbPlaces> pieces{};
    for (const std::uint64_t unit : access.units) ++pieces[unit % kUbPlaces];
    return kCosts.hit + *std::max_element(pieces.begin(), pieces.end()) - 1;
  }
  if (access.stores) {
    work_.stored_lines += access.units.size();
    for (const std::uint64_t line : access.units) in_l2_.insert(line);
    return 1;
  }
  Cycle latency = kCosts.hit;
  for (const std::uint64_t line : access.units) {
    std::uint64_t& kept = cached_[line % cached_.size()];
    if (kept == line) continue;
    kept = line;
    const bool is_new = in_l2_.insert(line).second;
    ++(is_new ? work_.gm_lines : work_.l2_lines);
    latency = std::max(latency, is_new ? kCosts.gm : kCosts.l2);
  }
  return latency + access.units.size() - 1;
}

void NativeThreads::touch(std::uint64_t address, std::size_t bytes) {
  for (std::uint64_t page = address / kThreadPage; page <= (address + bytes - 1) / kThreadPage;
       ++page)
    if (pages_.find(page) == pages_.end()) bring(page);
}

void NativeThreads::bring(std::uint64_t page) {
  const auto at = memory_.find(page * kThreadPage);
  Page& p = pages_[page];
  if (!at || at->offset < 0) return;
  p.at = *at;
  p.begin = page * kThreadPage;
  p.before = data_->read(at->location, at->array, at->offset, kThreadPage);
  if (!p.before.empty())
    std::memcpy(reinterpret_cast<void*>(p.begin), p.before.data(), p.before.size());
}

void NativeThreads::write_back() {
  for (const auto& [number, p] : pages_) {
    const auto* const after = reinterpret_cast<const std::byte*>(p.begin);
    for (std::size_t i = 0; i < p.before.size(); ++i) {
      if (after[i] == p.before[i]) continue;
      std::size_t last = i;
      while (last < p.before.size() && after[last] != p.before[last]) ++last;
      data_->write(p.at.location, p.at.array, p.at.offset + static_cast<std::int64_t>(i), after + i,
                   last - i);
      i = last;
    }
  }
}

// --- what native code calls ---

void NativeThreads::access(const void* address, std::size_t bytes, bool stores, const void* from) {
  const auto where = reinterpret_cast<std::uint64_t>(address);
  Thread& t = *running_;
  touch(where, bytes);
  const auto lane = static_cast<std::size_t>(&t - threads_.data());
  Warp& warp = warps_[lane / kWarpThreads];
  const std::uint64_t key =
      reinterpret_cast<std::uint64_t>(from) * 0x9E3779B97F4A7C15ULL + t.visits[from]++;
  const auto found = warp.accesses.try_emplace(key);
  if (found.second) warp.order.push_back(key);
  Access& a = found.first->second;
  const auto at = memory_.find(where);
  a.stores = stores;
  a.in_ub = at && at->location != Location::kGm;
  const std::uint64_t unit = where / (a.in_ub ? kUbPieceBytes : std::uint64_t{kThreadLineBytes});
  if (std::find(a.units.begin(), a.units.end(), unit) == a.units.end()) a.units.push_back(unit);
}

void NativeThreads::meet() {
  Thread& t = *running_;
  t.stands = Stands::kMeets;
  t.fiber->wait();
}

std::uint32_t NativeThreads::exchange(std::uint64_t value, std::uint64_t* lanes, const void* from) {
  Thread& t = *running_;
  t.value = value;
  t.lanes = lanes;
  t.place = from;
  t.stands = Stands::kExchanges;
  t.fiber->wait();
  return t.active;
}

void NativeThreads::block() {
  if (++running_->blocks > kMostBlocksOfThread)
    fail("it runs on without an end, as in an endless loop", nullptr);
}

void NativeThreads::fail(const std::string& text, const void* from) {
  Thread& t = *running_;
  failure_ = text;
  failed_at_ = from;
  t.stands = Stands::kMeets;
  t.fiber->wait();
  std::abort();
}

}  // namespace tessera::pto_cpp
