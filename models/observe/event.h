// Typed events: the one stream that counters, traces, heat maps and the digest are built from
// (docs/architecture.md#events).
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// What happened, and what `a` and `b` of the Event are. The numbers enter the digest: append new
/// kinds, never renumber.
///
///   kind        what                          a                                     b
///   kHop        a router sent a wavelet       color, direction << 8, flags << 16    payload
///   kQueueIn    it entered an input queue     queue, color << 8                     payload
///   kQueueOut   the CE wrote an output queue  queue, color << 8                     payload
///   kTaskStart  the picker started a task     task id (64: launched function; 128   entry pc
///                                             more: control task with its own table)
///   kTaskEnd    the task ended                task id                               0
///   kIssue      the CE used its issue slot    opcode, thread << 8 (8: main)         pc
///   kOpStart    DSD operation dispatched      opcode, thread << 8                   elements
///   kOpEnd      DSD operation completed       opcode, thread << 8                   elements
///   kEdgeIn     host sent on a rim link       color, direction << 8, flags << 16    payload
///   kEdgeOut    host took from a rim link     color, direction << 8, flags << 16    payload
///   kCompute    group of a DSD operation      opcode, thread << 8 (9: single step   elements
///                                             of the main thread, in its issue slot)
///   kSwitch     a switch moved                color                                 position
///   kTeardown   a color entered or left       color                                 1 or 0
///               teardown
///   kVfsmMove   a VFSM handed a word on       VFSM, branch << 16                    data
///   kVfsmTake   a VFSM took it from the       VFSM, output address << 16            data
///               interface
///   kSchedule   a node asked for a schedule   schedule                              epoch
///   kWordOut    a processor wrote a word      output address                        data
///   kWordIn     a processor read a word       input address                         data
///   kPipeStart  a pipe started a tile         pipe, opcode << 8                     pc
///               operation
///   kPipeEnd    its result is there           pipe, opcode << 8                     pc
///   kFlag       a flag between pipes changed  from, to << 8, event << 16            1 or 0
///   kSignal     a cross-core set fired        pipe, mode << 8, id << 16             pc
///   kGrant      a cross-core wait was over    pipe, mode << 8, id << 16             pc
///   kPipeWait   what held a pipe back no      pipe, reason << 8                     cycles it
///               longer does                                                         waited
///
/// Flags of a wavelet: 1 control, 2 half, 4 local flip (as it came to the router).
// clang-format off
enum class EventKind : std::uint8_t {
  kHop = 0, kQueueIn = 1, kQueueOut = 2, kTaskStart = 3, kTaskEnd = 4, kIssue = 5, kOpStart = 6,
  kOpEnd = 7, kEdgeIn = 8, kEdgeOut = 9, kCompute = 10, kSwitch = 11, kTeardown = 12,
  kVfsmMove = 13, kVfsmTake = 14, kSchedule = 15, kWordOut = 16, kWordIn = 17, kPipeStart = 18,
  kPipeEnd = 19, kFlag = 20, kSignal = 21, kGrant = 22, kPipeWait = 23,
};
// clang-format on
inline constexpr unsigned kEventKindCount = 24;

/// One event. `place` is the linear index of the tile, y * W + x, or of the AI core, 3 * cluster +
/// unit.
struct Event {
  Cycle cycle = 0;
  std::uint32_t place = 0;
  EventKind kind = EventKind::kHop;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// link::Wavelet::ident of the wavelet that kHop, kQueueIn, kQueueOut, kEdgeIn or kEdgeOut is
  /// about; for the kinds of the scheduled mesh: stream << 32, number of the word; for kPipeWait: the pc
  /// of the instruction that was held back; 0 for other kinds. It is not in the digest.
  std::uint64_t ident = 0;
};

/// Receives events. In one cycle they come in any order. A block may announce kQueueIn, kTaskEnd,
/// kPipeEnd and kTeardown before they happen, and kCompute up to 32,768 cycles after it did (a group
/// of an operation that depends on no other block): `cycle` counts, not the call. All others come in
/// their cycle, so the first one of a later cycle ends the cycles before it.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_event(const Event& e) = 0;
  /// The machine was reset: what follows is from a new one, whose cycles count from `origin`, in
  /// cycles since the start of the simulation.
  virtual void on_reset(Cycle /*origin*/) {}
};

}  // namespace tessera::observe
