// The program of a scheduled mesh (reference numesh.md 1, 3, 6.1): what a front-end lowers
// operators to and what the models run. Plain data. Per node: the VFSMs and interface addresses it
// has, its schedules, and the phases its processor goes through. Nothing in here is optional for
// the models: routes, slots, delays and the order of branches are decided before.
//
// Words of a schedule. A stream is a chain or tree of VFSMs, one per node (numesh.md 1.2). In a
// slot at cycle t a VFSM takes a word from its source if it has room, and in cycle t + 1 it offers
// its oldest word to a branch. So the slot of the next node's VFSM is one cycle later: a stream
// that starts in slot s takes slot s + k on its k-th node, all modulo the length.
//
//   forward   Transfer{source = link or output, branches = {link}}, one slot, with branch 0
//   deliver   Transfer{source = link, branches = {input}}, one slot
//   fork      Transfer{source, branches = {b0, b1, ..}}, a slot per branch, in order; that of b0
//             also takes the word; b1 is offered only after b0 was accepted, the word is retired
//             after the last (R9). Echo last: branches = {link, own input}
//   delay     two Transfers on one node: A{source = link, branches = {vfsm B}} with a slot, and
//   element   B{source = vfsm A, branches = {link}} with a later one. B takes the word from A in
//             B's slot, so the branch to a VFSM needs no slot of its own; adds one buffer
//
// Slots with several appearances of one VFSM per period give it a multiple of the bandwidth; in
// consecutive cycles it needs `buffer` >= 2 for the full rate (1.3).
//
// Addresses. An *output* address is a queue from the processor to the router (Qs words), an *input*
// address one from the router to the processor (Qd words).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

using NodeId = std::uint32_t;    ///< index in Program::nodes: x + X * (y + Y * z)
using StreamId = std::uint32_t;  ///< index in Program::streams
using Index = std::uint16_t;  ///< index of something a node owns: a VFSM, address, schedule, phase
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// --- the mesh

/// A neighbour in a lattice of 1, 2 or 3 dimensions; x grows by kXPlus, and so on.
enum class Port : std::uint8_t { kXMinus, kXPlus, kYMinus, kYPlus, kZMinus, kZPlus };
inline constexpr unsigned kPortCount = 6;
constexpr unsigned index(Port p) {
  return static_cast<unsigned>(p);
}
constexpr Port opposite(Port p) {
  return static_cast<Port>(index(p) ^ 1U);
}
constexpr const char* to_string(Port p) {
  constexpr std::array<const char*, kPortCount> kNames = {"-x", "+x", "-y", "+y", "-z", "+z"};
  return kNames[index(p)];
}

struct Coord {
  std::uint32_t x = 0, y = 0, z = 0;
};

/// Sizes of the lattice; 1 in the dimensions it does not have. No link wraps around.
struct Topology {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint32_t nodes() const { return x * y * z; }
  unsigned dimensions() const { return z > 1 ? 3 : y > 1 ? 2 : 1; }
  Coord coord(NodeId n) const { return {n % x, n / x % y, n / (x * y)}; }
  NodeId node(Coord c) const { return c.x + x * (c.y + y * c.z); }
  /// The node behind port `p`, kNone at the rim.
  NodeId neighbour(NodeId n, Port p) const {
    const unsigned dimension = scheduled::index(p) / 2;
    const std::uint32_t size = std::array{x, y, z}[dimension];
    const NodeId stride = std::array{1U, x, x * y}[dimension];
    const std::uint32_t at = n / stride % size;
    if (p < opposite(p)) return at == 0 ? kNone : n - stride;
    return at + 1 == size ? kNone : n + stride;
  }
};

// --- streams and schedules

/// Where a word enters or leaves a VFSM.
struct End {
  enum class Kind : std::uint8_t {
    kLink,    ///< index: Port
    kOutput,  ///< source only; index in Node::outputs
    kInput,   ///< branch only; index in Node::inputs
    kVfsm,    ///< index of another VFSM of this node: a delay element
  };
  Kind kind = Kind::kLink;
  Index index = 0;
  static End link(Port p) { return {Kind::kLink, static_cast<Index>(scheduled::index(p))}; }
  static End output(unsigned i) { return {Kind::kOutput, static_cast<Index>(i)}; }
  static End input(unsigned i) { return {Kind::kInput, static_cast<Index>(i)}; }
  static End vfsm(unsigned i) { return {Kind::kVfsm, static_cast<Index>(i)}; }
  friend bool operator==(End a, End b) { return a.kind == b.kind && a.index == b.index; }
};

/// A VFSM as one schedule annotates it (1.5). Another schedule of the node may annotate the same
/// VFSM for another stream (reuse; hazard H2) or for the same one (a continuing operator).
struct Transfer {
  Index vfsm = 0;  ///< index in Node::vfsms
  StreamId stream = kNone;
  End source;
  std::vector<End> branches;  ///< in the order in which they are served; 1 to 16
};

struct Slot {
  std::uint32_t time = 0;   ///< 0 .. length - 1
  Index transfer = 0;       ///< index in Schedule::transfers
  std::uint8_t branch = 0;  ///< 0 also takes a word from the source
};

/// One entry of the schedule memory of a node.
struct Schedule {
  std::string name;  ///< for reports
  std::uint32_t length = 1;
  std::vector<Transfer> transfers;
  /// At most Rules::vfsms_per_cycle with one time. A VFSM at most once per time.
  std::vector<Slot> slots;
};

/// A stream, for checks and diagnoses. Two phases that use the same VFSMs for one continuing
/// operator name the same stream; otherwise every phase has its own streams.
struct Stream {
  struct Sink {
    NodeId node = 0;
    Index input = 0;
  };
  std::string name;  ///< "shift 0>1", as the user knows it
  NodeId source = 0;
  Index output = 0;         ///< address at the source
  std::vector<Sink> sinks;  ///< every delivery, echoes too
  bool continuing = false;  ///< may be under way while nodes switch (3.7); ignored by policy TAG
};

// --- what a processor does

/// What a step does with a word and the memory of its node.
enum class Combine : std::uint8_t { kReplace, kAdd, kMax, kMin };

/// One interface I/O, or time. In iteration i of its block a step with `data` >= 0 uses word
/// `data + i * stride` of Node::memory.
struct Step {
  enum class Kind : std::uint8_t {
    kWrite,        ///< a word to output `address`; blocks while the queue is full
    kRead,         ///< a word from input `address`; blocks while the queue is empty
    kWriteMarker,  ///< the in-band marker of the stream: visits every router of it after all data
                   ///< and is absorbed at the sinks (no room, no read)
    kCompute,      ///< `cost` cycles of work
    kWaitUntil,    ///< until cycle `cost` (a time of the run, not a duration)
    kLoad,         ///< loads schedule `address` into the schedule memory; blocks while it is full
    kSwitch,       ///< asks for schedule `address` (must be loaded): the next cycle runs it (R10)
    kSend,     ///< online routing: one message of `words` words from memory to queue `address` of
               ///< node `peer`; returns when the last word is handed to the software router
    kReceive,  ///< online routing: waits for a whole message in queue `address`
  };
  Kind kind = Kind::kCompute;
  Index address = 0;
  /// Cycles from the I/O until the processor goes on with this task; at least 1 (R8). Compute cost
  /// per word is `1 + cost per word`.
  Cycle cost = 1;
  StreamId stream = kNone;  ///< kWrite, kWriteMarker: which stream the word is meant for
  std::int32_t data = -1;   ///< -1: writes send their count, reads drop the word
  std::int32_t stride = 1;
  Combine combine = Combine::kReplace;  ///< kRead: memory = memory (op) word
  /// >= 0: kRead: memory[data] = memory[from] (op) word; kCompute: memory[data] = memory[data] (op)
  /// memory[from]; both with the stride. For partial results that leave the operand alone.
  std::int32_t from = -1;
  std::uint32_t words = 1;  ///< kSend, kReceive
  NodeId peer = 0;          ///< kSend
};

/// `steps`, `repeat` times.
struct Block {
  std::uint32_t repeat = 1;
  std::vector<Step> steps;
};

/// How a node knows that a task leaves nothing in its router (3.3 to 3.7).
enum class Technique : std::uint8_t {
  kReturn,          ///< not in the terminating set: its return is enough
  kMessageBound,    ///< return + delay
  kProcessorBound,  ///< return: the last read is the last branch
  kContinuing,      ///< not waited for; the task goes on in the next phase
  kBarrier,         ///< return, barrier over the extent, + delay
  kMarker,          ///< return and the markers have left this router
};

/// The part of one operator on one node: steps in order. Tasks of one processor run side by side
/// and share its interface, round robin among those that can do an I/O in the cycle. Sequential
/// operators of a phase are blocks of one task.
struct Task {
  std::string name;  ///< "broadcast b (source)", for reports
  std::vector<Block> blocks;
  Technique technique = Technique::kReturn;
  Cycle delay = 0;                ///< kMessageBound: after the return; kBarrier: after the release
  std::vector<StreamId> markers;  ///< kMarker: those that must have passed
};

/// What a node does in one phase: runs `tasks` under `schedule`, and then goes to the next. The
/// node is ready for the next phase in cycle max(not_before, over tasks return + delay) + delay;
/// with a barrier it then waits for the others of its extent.
struct NodePhase {
  std::string name;
  Index schedule = 0;  ///< index in Node::schedules
  std::vector<Task> tasks;
  Cycle delay = 0;       ///< for nodes that are crossed and have no task, and as a margin
  Cycle not_before = 0;  ///< earliest cycle of the switch to the next phase
  /// Barrier before the switch; always so under SkewPolicy::kBarrier, but with extent kNone.
  bool barrier = false;
  /// Index in Program::extents: who takes part in the barrier, this node among them. kNone: the node
  /// has part in no barrier, as one that only continuing operators cross.
  std::uint32_t extent = 0;
};

/// One stage of a node's life: phase `phase` of Node::phases, as number `epoch` in the order of the
/// whole program. Loops are unrolled here. All nodes of an extent have equal epochs; a node that
/// skips an optional phase has a gap. The epoch is the hidden tag of the words written in it, and
/// its parity the visible tag of SkewPolicy::kTag.
struct Turn {
  Index phase = 0;
  std::uint32_t epoch = 0;
};

/// Software store-and-forward (2.3): one-hop streams to all neighbours, dimension-order (x, y, z).
struct OnlineRouter {
  bool enabled = false;
  /// Addresses of the streams from and to the neighbour behind each port; kNoAddress at the rim.
  static constexpr Index kNoAddress = 0xFFFF;
  std::array<Index, kPortCount> outputs{kNoAddress, kNoAddress, kNoAddress,
                                        kNoAddress, kNoAddress, kNoAddress};
  std::array<Index, kPortCount> inputs{kNoAddress, kNoAddress, kNoAddress,
                                       kNoAddress, kNoAddress, kNoAddress};
  std::array<StreamId, kPortCount> streams{kNone, kNone, kNone, kNone, kNone, kNone};
  std::uint32_t queues = 1;   ///< destination queues
  Cycle interrupt_cost = 10;  ///< cycles that an arrival or empty interrupt takes from the tasks
};

/// Cycles that something else takes from the tasks of a processor (3.3: cache miss, interrupt).
struct Interrupt {
  Cycle at = 0;
  Cycle length = 0;
};

struct Vfsm {
  std::uint32_t buffer = 0;  ///< words; 0: Rules::vfsm_buffer
};
struct Address {
  std::string name;         ///< for reports
  std::uint32_t depth = 0;  ///< words; 0: Rules::output_depth or input_depth
};

struct Node {
  std::vector<Vfsm> vfsms;
  std::vector<Address> outputs;  ///< processor to router
  std::vector<Address> inputs;   ///< router to processor
  std::vector<Schedule> schedules;
  std::vector<NodePhase> phases;
  std::vector<Turn> turns;  ///< empty: the node has no part; its router runs nothing
  std::vector<std::uint32_t> memory;
  std::vector<Interrupt> interrupts;  ///< by cycle
  OnlineRouter online;
};

// --- the rules of the machine

/// What happens when neighbours are in different phases (4.5).
enum class SkewPolicy : std::uint8_t {
  kHold,     ///< plain accept rule: nobody listens, the word waits
  kCheck,    ///< as kHold, and a program whose consecutive phases can collide is refused
  kTag,      ///< a parity bit per link: a word of the other parity is not accepted
  kBarrier,  ///< every extent switches together
};

/// From where the slot index counts (R4, hazard H3).
enum class SlotClock : std::uint8_t { kGlobal, kSinceSwitch };

/// Numbers of the machine; defaults are set P0 of 6.1. What no source gives is a parameter (1.2).
struct Rules {
  std::uint32_t vfsm_buffer = 1;      ///< b, words
  std::uint32_t output_depth = 2;     ///< Qs, words
  std::uint32_t input_depth = 2;      ///< Qd, words
  std::uint32_t vfsms_per_cycle = 1;  ///< R2
  std::uint32_t io_per_cycle = 1;     ///< R8, words per cycle of the interface, reads and writes
  SlotClock slot_clock = SlotClock::kGlobal;
  SkewPolicy skew = SkewPolicy::kHold;
  std::uint32_t schedule_memory = 2;  ///< complete schedules (1.5)
  Cycle load_cycles = 0;              ///< cycles that the load of one takes, while another runs
  /// Cycles of the switch: commanded in t the new schedule runs from t + 1 + switch_cost; none runs
  /// in between, and the tasks of the phase start in t + 1 + switch_cost too.
  Cycle switch_cost = 0;
  Cycle barrier_latency = 1;  ///< from the last arrival to the release; at least 1
  /// Interrupts wait while a node is in a phase with a task of technique kMessageBound (3.3): in
  /// all of it, at readers too, since a reader cannot know when its writer counts down a delay.
  /// From its arrival at a barrier to its switch they wait in any case: the others do not wait
  /// again.
  bool suspend_interrupts = true;
};

struct Program {
  std::string name;
  Topology topology;
  Rules rules;
  std::vector<Stream> streams;
  std::vector<std::vector<NodeId>> extents;  ///< nodes that take part in a barrier together
  std::vector<Node> nodes;                   ///< topology.nodes() of them
};

// --- checks

inline constexpr const char* kCollisionId = "/tessera/scheduled/phase_collision";

/// Throws std::invalid_argument if the models cannot run `program`: a number names nothing, slots
/// of a node collide, a link leaves the mesh (reference numesh.md 4.4). The message names node,
/// schedule and problem: "node 3, schedule 'a': a slot names no transfer".
void validate(const Program& program);
/// `program`, if it is valid and SkewPolicy::kCheck does not refuse it. Throws as validate(), and
/// IllegalBehaviour (kCollisionId) that names the first pair of slots that may collide: while
/// neighbours are in consecutive phases, a word of one phase may enter a stream of the other (4.5).
const Program& checked(const Program& program);

}  // namespace tessera::scheduled
