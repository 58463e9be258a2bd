// Lowers synchronisation: flags, buffers and barriers of a core, signals between cores, SYNCALL, and
// arrays of event ids.
#pragma once

#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

class SyncLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// An operation that is one instruction: the opcode of its row.
  void one_instruction(const Operation& op, const OperationInfo& info) { emit(op, info.opcode); }
  // pto.sync.set and pto.sync.wait use the signals between cores that the profile has.
  void set_signal(const Operation& op) {
    emit(op, is_a5() ? Opcode::kSetIntraBlock : Opcode::kSetCrossCore);
  }
  void wait_signal(const Operation& op) {
    emit(op, is_a5() ? Opcode::kWaitIntraCore : Opcode::kWaitFlagDev);
  }
  void record_event(const Operation& op) { event(op, true); }
  void wait_event(const Operation& op) { event(op, false); }
  void operation_barrier(const Operation& op);
  void sync_all(const Operation& op);

  void event_array(const Operation& op);
  void set_event(const Operation& op);
  void get_event(const Operation& op);

 private:
  void emit(const Operation& op, Opcode opcode);
  std::uint8_t mode_of_signal(const Operation& op) const;
  /// Between two pipes an event is a flag. In one pipe a wait is a barrier, and a record is nothing.
  void event(const Operation& op, bool records);
  /// On A5 only MTE2 and MTE3 have barriers (ascend.md 2.3).
  bool has_barrier(Pipe pipe) const {
    return !is_a5() || pipe == Pipe::kMte2 || pipe == Pipe::kMte3;
  }
  void soft_sync_all(const Operation& op, cluster::SyncScope scope);
  /// The number of cores that take part if the operation does not name one.
  Operand participants_of(cluster::SyncScope scope, Place place);
  Pipe pipe_named(const Argument& a) const;
  /// An event such as EVENT_ID0, a number, or a value.
  Operand event_id(const Argument& a) const;

  /// The registers of an array, and the index of the one that an operation names.
  struct Element {
    std::vector<Operand> registers;
    Operand index;
  };
  Element element_of_array(const Operation& op) const;
  /// target = from, if `index` is the number of this element.
  void copy_if_at(std::size_t element, Operand index, unsigned target, Operand from, Place place);
};

}  // namespace tessera::pto
