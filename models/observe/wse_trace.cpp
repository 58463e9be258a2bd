#include "models/observe/wse_trace.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ostream>

#include "models/observe/stall.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::observe {

namespace {

constexpr std::array<char, kDirectionCount> kLetters = {'W', 'E', 'S', 'N', 'R'};  // as Direction
/// Order of the slots of the departing field.
constexpr std::array<Direction, kDirectionCount> kSlots = {
    Direction::kEast, Direction::kNorth, Direction::kWest, Direction::kSouth, Direction::kRamp};

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

std::string hex16(std::uint64_t ident) {
  return format("%016llX", static_cast<unsigned long long>(ident));
}

/// "idx=0003, data=4200"
std::string halves(std::uint32_t payload) {
  return format("idx=%04x, data=%04x", payload >> 16, payload & 0xFFFF);
}

/// "(+3.000(0))": the visualizer wants parentheses inside parentheses and nothing more.
std::string as_number(std::uint32_t payload) {
  return format("(%+.6g(0))", double{bit_cast<float>(payload)});
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The part of the line after the tile, with the stage of the stall (wse.md 6.5, 9.2).
std::string words_of(const Stall& s) {
  switch (s.kind) {
  case Stall::Kind::kWavelets:
    return format("Not enough wavelets (%u/%u) for SRC%u with C%u, IN_Q[%u], SIMD-%u", s.there,
                  s.needed, s.source, s.color, s.number, s.lanes);
  case Stall::Kind::kRoom:
    return format("Backpressure on C%u for OUT_Q[%u]", s.color, s.number);
  case Stall::Kind::kBankConflict:
    return format("Pipe: 5, Msg: stall: read conflict MEM[%04x](b%u)", s.address, s.number);
  case Stall::Kind::kDsr:
    break;
  }
  constexpr std::array<const char*, 3> kFiles = {"S0DS", "S1DS", "DDS"};
  return format("Pipe: 2, Msg: stall: dependent %s%u", kFiles[s.source], s.number);
}

}  // namespace

WseTrace::WseTrace(std::ostream& out, const WseTraceOptions& options, Names names)
    : out_(out), options_(options), names_(std::move(names)) {
  out_ << "@0 dimX=" << options_.width << ", dimY=" << options_.height << '\n';
}

void WseTrace::on_sorted_event(const Event& e) {
  // A hop in this cycle tells that its wavelet left the output queue this much earlier.
  if (e.cycle > options_.on_ramp_latency) write_before(e.cycle - options_.on_ramp_latency);
  switch (e.kind) {
  case EventKind::kHop:
    return hop(e);
  default:
    if (shows(e.place)) on_tile_event(e);
  }
}

void WseTrace::on_tile_event(const Event& e) {
  switch (e.kind) {
  case EventKind::kQueueOut:
    return write_to_queue(e);
  case EventKind::kEdgeIn:
    if (direction_of(e) == Direction::kRamp) return;  // past the router, into the PE
    if (!is_near(e.cycle)) return;
    land(e.place, direction_of(e), e.cycle + options_.hop_latency, e);
    return;
  case EventKind::kTaskStart:
    tiles_[e.place].issued.task = e.a;
    return;
  case EventKind::kIssue:
    return issue(e);
  case EventKind::kOpStart:
    return start_operation(e);
  case EventKind::kCompute:
    return execute_group(e);
  default:
    if (e.kind == kStallKind) stall(e);
  }
}

bool WseTrace::is_near(Cycle cycle) const {
  const Cycle reach = options_.on_ramp_latency + options_.hop_latency;
  const Scope& scope = options_.scope;
  return cycle + reach >= scope.from && (cycle <= reach || cycle - reach <= scope.to);
}

std::string WseTrace::at_id(Cycle cycle, std::uint32_t place) const {
  return at(cycle, place) + ": Id: " + std::to_string(place);
}

std::string WseTrace::at(Cycle cycle, std::uint32_t place) const {
  return "@" + std::to_string(cycle) + " P" + std::to_string(place % options_.width) + "." +
         std::to_string(place / options_.width);
}

void WseTrace::write_to_queue(const Event& e) {
  written_to_queue_[e.ident] = {e.cycle, queue_of(e)};
  if (!is_near(e.cycle)) return;
  cycles_[e.cycle].queues.push_back(at_id(e.cycle, e.place) + ", Writing wavelet C" +
                                    std::to_string(queue_color_of(e)) + " " + halves(e.b) +
                                    " to OUT_Q[" + std::to_string(queue_of(e)) + "]");
}

void WseTrace::hop(const Event& e) {
  if (shows(e.place)) leave_ramp(e);
  if (!is_near(e.cycle)) return;
  const Direction out = direction_of(e);
  const Cycle leaves = e.cycle + std::max(options_.hop_latency, 1U) - 1;
  if (shows(e.place)) hop_line(leaves, e.place, e).departing.insert(out);
  const auto next = neighbour_of(e.place, out);
  if (next && shows(*next)) land(*next, opposite(out), leaves + 1, e);
}

// The first hop of a wavelet that was in an output queue: it came up the ramp of this tile.
void WseTrace::leave_ramp(const Event& e) {
  const auto found = written_to_queue_.find(e.ident);
  if (found == written_to_queue_.end()) return;
  const Written written = found->second;
  written_to_queue_.erase(found);
  if (!is_near(e.cycle)) return;
  const Cycle ramp = std::min<Cycle>(e.cycle, options_.on_ramp_latency);
  const Cycle sent = std::max(written.cycle, e.cycle - ramp);
  cycles_[sent].queues.push_back(at_id(sent, e.place) + ", Sending wavelet C" +
                                 std::to_string(color_of(e)) + " " + halves(e.b) +
                                 " ident:" + hex16(e.ident) + " on OUT_Q[" +
                                 std::to_string(written.queue) + "]");
  land(e.place, Direction::kRamp, e.cycle, e).local_flip = local_flip_of(e);
}

WseTrace::Hop& WseTrace::land(std::uint32_t place, Direction from, Cycle cycle, const Event& e) {
  Hop& line = hop_line(cycle, place, e);
  line.landing = kLetters[index(from)];
  return line;
}

WseTrace::Hop& WseTrace::hop_line(Cycle cycle, std::uint32_t place, const Event& e) {
  Hop& line = cycles_[cycle].hops[{place, e.ident}];
  line.color = color_of(e);
  line.control = control_of(e);
  line.half = half_of(e);
  line.payload = e.b;
  return line;
}

// Linear index of the tile behind port `d` of `place`; nothing at the rim.
std::optional<std::uint32_t> WseTrace::neighbour_of(std::uint32_t place, Direction d) const {
  if (d == Direction::kRamp) return std::nullopt;
  const auto width = static_cast<int>(options_.width);
  const auto here = static_cast<int>(place);
  const TileCoord there = neighbour({here % width, here / width}, d);
  if (there.x < 0 || there.y < 0 || there.x >= width ||
      there.y >= static_cast<int>(options_.height))
    return std::nullopt;
  return static_cast<std::uint32_t>(there.y * width + there.x);
}

// A thread is told to be held back in every step of its engine; the first one counts.
void WseTrace::stall(const Event& e) {
  const Stall stall = stall_of(e);
  std::uint32_t& known = tiles_[e.place].stalled[stall.thread];
  if (known == e.a + 1) return;
  known = e.a + 1;
  if (!is_near(e.cycle)) return;
  cycles_[e.cycle].stalls.push_back(at_id(e.cycle, e.place) + ", " + words_of(stall));
}

void WseTrace::issue(const Event& e) {
  tiles_[e.place].stalled[kMainThread] = 0;
  Operation& op = tiles_[e.place].issued;
  op.pc = e.b;
  ++op.number;
  if (!is_near(e.cycle)) return;
  Lines& lines = cycles_[e.cycle];
  lines.issues.push_back(instruction("IS", e, op));
  lines.executes[e.place] = instruction("EX", e, op);
}

// The instruction issued in this cycle turns out to be a DSD operation: its groups execute, not the
// instruction itself.
void WseTrace::start_operation(const Event& e) {
  Tile& tile = tiles_[e.place];
  tile.operations[thread_of(e)] = tile.issued;
  if (!is_near(e.cycle)) return;
  cycles_[e.cycle].executes.erase(e.place);
}

void WseTrace::execute_group(const Event& e) {
  tiles_[e.place].stalled[thread_of(e)] = 0;
  Operation& op = tiles_[e.place].operations[thread_of(e)];
  const Operation before = op;
  ++op.groups;
  if (!is_near(e.cycle)) return;
  std::string line = instruction("EX", e, before) + " [     ]";
  for (std::uint32_t lane = 0; lane < e.b; ++lane) line += " U" + std::to_string(lane);
  cycles_[e.cycle].executes[e.place] = line;
}

std::string WseTrace::instruction(const char* stage, const Event& e, const Operation& op) const {
  const bool wse3 = options_.generation == Generation::kWse3;
  const bool issue = stage[0] == 'I';
  const unsigned pipe = issue ? (wse3 ? 3 : 2) : (wse3 ? 6 : 4);
  std::string task = format("T%02u", op.task);
  if (thread_of(e) != kMainThread) task += ".UT" + std::to_string(thread_of(e));
  return at_id(e.cycle, e.place) + ", Instr: " + std::to_string(op.number) +
         ", Seq: " + std::to_string(op.groups) + ", Pipe: " + std::to_string(pipe) + ", Msg: [" +
         stage + " OP] ^ " + format("0x%04x: ", 2 * op.pc) + task + " " +
         upper(names_.opcode_name(opcode_of(e)));
}

void WseTrace::write_before(Cycle end) {
  while (!cycles_.empty() && cycles_.begin()->first < end) {
    const auto first = cycles_.begin();
    write_cycle(first->first, first->second);
    cycles_.erase(first);
  }
}

void WseTrace::write_cycle(Cycle cycle, const Lines& lines) {
  if (!options_.scope.has_cycle(cycle)) return;
  if (cycle > written_ + 1) write_idle(written_ + 1, nullptr);
  for (const std::string& line : lines.queues) out_ << line << '\n';
  for (const auto& [key, hop] : lines.hops) write_hop(cycle, key.first, key.second, hop);
  for (const std::string& line : lines.stalls) out_ << line << '\n';
  for (const std::string& line : lines.issues) out_ << line << '\n';
  for (const auto& entry : lines.executes) out_ << entry.second << '\n';
  write_idle(cycle, &lines);
  written_ = cycle;
}

// The visualizer holds a tile for busy until it reads otherwise.
void WseTrace::write_idle(Cycle cycle, const Lines* lines) {
  for (const std::uint32_t place : busy_) {
    if (lines != nullptr && lines->executes.count(place) != 0) continue;
    out_ << at_id(cycle, place) << ", Msg: [EX OP] IDLE\n";
  }
  busy_.clear();
  if (lines == nullptr) return;
  for (const auto& entry : lines->executes) busy_.push_back(entry.first);
}

void WseTrace::write_hop(Cycle cycle, std::uint32_t place, std::uint64_t ident, const Hop& hop) {
  const std::string where = at(cycle, place) + " (hwtile) ";
  const std::string color = "C" + std::to_string(hop.color);
  const std::string content = std::string("ctrl=") + (hop.control ? "1" : "0") + ", " +
                              halves(hop.payload) + " " + as_number(hop.payload) +
                              ", half=" + (hop.half ? "1" : "0") + ", ident=" + hex16(ident);
  if (hop.landing != '-') {
    out_ << where << "landing " << color << " from link " << hop.landing << ", " << content
         << ", lf=" << (hop.local_flip ? 1 : 0) << '\n';
  }
  std::string slots(kDirectionCount, ' ');
  for (unsigned i = 0; i < kDirectionCount; ++i) {
    if (hop.departing.contains(kSlots[i])) slots[i] = kLetters[index(kSlots[i])];
  }
  out_ << where << "wavelet " << color << " " << content << " landing=" << hop.landing
       << " departing=/" << slots << "/";
  if (hop.departing.contains(Direction::kRamp)) {
    out_ << ", to_ce_from_router";
  } else if (hop.departing.empty()) {
    out_ << ", no_ce";  // else the visualizer takes a wavelet that only waits here for consumed
  }
  out_ << '\n';
}

// What was to be shown after the reset did not happen.
void WseTrace::on_machine_reset(Cycle origin) {
  cycles_.erase(cycles_.lower_bound(origin), cycles_.end());
  written_to_queue_.clear();
  tiles_.clear();
}

void WseTrace::on_end() {
  write_before(kNever);
  if (options_.scope.has_cycle(written_ + 1)) write_idle(written_ + 1, nullptr);
  out_.flush();
}

}  // namespace tessera::observe
