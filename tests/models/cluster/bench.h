// Programs of AI cores written by hand, and a machine that runs them (models/cluster). Every
// instruction has a line of its own in "k.pto", so that diagnoses can be held to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/cluster_core.h"
#include "models/cluster/memory/cluster_data.h"
#include "models/observe/digest.h"
#include "models/observe/event.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster::bench {

/// Writes a program line by line. Methods that add an instruction answer it, to be refined.
class Kernel {
 public:
  explicit Kernel(std::string name = "kernel") {
    program_.name = std::move(name);
    program_.file = "k.pto";
  }
  /// The program, ended.
  std::shared_ptr<const Program> build() const {
    Program done = program_;
    Instruction end;
    end.op = Opcode::kEnd;
    end.line = static_cast<std::uint32_t>(done.code.size() + 1);
    done.code.push_back(end);
    return std::make_shared<const Program>(std::move(done));
  }
  Program& program() { return program_; }
  /// Line of the instruction added last, and number of the next one.
  std::uint32_t line() const { return static_cast<std::uint32_t>(program_.code.size()); }
  std::uint32_t here() const { return line(); }

  Instruction& add(Opcode op, Pipe pipe = Pipe::kS) {
    Instruction i;
    i.op = op;
    i.pipe = pipe;
    i.line = line() + 1;
    program_.code.push_back(i);
    return program_.code.back();
  }
  Instruction& busy(Pipe pipe, Operand cycles) {
    Instruction& i = add(Opcode::kBusy, pipe);
    i.size[0] = cycles;
    return i;
  }
  Instruction& tile(Opcode op, Pipe pipe, DataType type, Operand a, Operand b = 0, Operand c = 0) {
    Instruction& i = add(op, pipe);
    i.type = type;
    i.size = {a, b, c};
    return i;
  }
  Instruction& mad(DataType type, Operand m, Operand n, Operand k) {
    return tile(Opcode::kMad, Pipe::kM, type, m, n, k);
  }
  Instruction& copy_in(Operand rows, Operand row_bytes) {
    return tile(Opcode::kCopyIn, Pipe::kMte2, DataType::kF16, rows, row_bytes);
  }
  Instruction& copy_out(Operand rows, Operand row_bytes) {
    Instruction& i = tile(Opcode::kCopyOut, Pipe::kMte3, DataType::kF16, rows, row_bytes);
    i.l2_hit = 1000;
    return i;
  }
  Instruction& fix_out(DataType type, Operand rows, Operand columns) {
    Instruction& i = tile(Opcode::kFixOut, Pipe::kFix, type, rows, columns);
    i.l2_hit = 1000;
    return i;
  }
  Instruction& vector(DataType type, Operand elements) {
    return tile(Opcode::kVector, Pipe::kV, type, elements);
  }

  Instruction& flag(Opcode op, Pipe from, Pipe to, Operand id) {
    Instruction& i = add(op, from);
    i.to = to;
    i.id = id;
    return i;
  }
  Instruction& set_flag(Pipe from, Pipe to, Operand id) {
    return flag(Opcode::kSetFlag, from, to, id);
  }
  Instruction& wait_flag(Pipe from, Pipe to, Operand id) {
    return flag(Opcode::kWaitFlag, from, to, id);
  }
  Instruction& sync(Opcode op, Pipe pipe, Operand id, unsigned mode = 0) {
    Instruction& i = add(op, pipe);
    i.id = id;
    i.mode = static_cast<std::uint8_t>(mode);
    return i;
  }
  Instruction& barrier(Pipe pipe) { return add(Opcode::kBarrier, pipe); }
  Instruction& get_buf(Pipe pipe, Operand id) { return sync(Opcode::kGetBuf, pipe, id); }
  Instruction& rls_buf(Pipe pipe, Operand id) { return sync(Opcode::kRlsBuf, pipe, id); }
  void ffts() { add(Opcode::kSetFfts); }
  Instruction& set_cross(Pipe pipe, unsigned mode, Operand id) {
    return sync(Opcode::kSetCrossCore, pipe, id, mode);
  }
  Instruction& wait_dev(Operand id, Pipe pipe = Pipe::kS) {
    return sync(Opcode::kWaitFlagDev, pipe, id);
  }
  Instruction& set_intra(Pipe pipe, Operand id) { return sync(Opcode::kSetIntraBlock, pipe, id); }
  Instruction& wait_intra(Pipe pipe, Operand id) { return sync(Opcode::kWaitIntraCore, pipe, id); }

  unsigned reg() { return program_.registers++; }
  Instruction& scalar(Opcode op, unsigned rd, Operand a, Operand b = 0) {
    Instruction& i = add(op);
    i.rd = static_cast<std::uint16_t>(rd);
    i.a = a;
    i.b = b;
    return i;
  }
  unsigned get(SpecialValue which) {
    const unsigned rd = reg();
    scalar(Opcode::kGet, rd, 0).special = which;
    return rd;
  }
  Instruction& compare(unsigned rd, Predicate predicate, Operand a, Operand b) {
    Instruction& i = scalar(Opcode::kCompare, rd, a, b);
    i.predicate = predicate;
    return i;
  }
  /// for (r = from; r < to; r += step) body(r). At least one round.
  template <class Body>
  void loop(Operand from, Operand to, Body body) {
    const unsigned r = reg(), test = reg();
    scalar(Opcode::kSet, r, from);
    const std::uint32_t start = here();
    body(cluster::reg(r));
    scalar(Opcode::kAdd, r, cluster::reg(r), 1);
    compare(test, Predicate::kLess, cluster::reg(r), to);
    scalar(Opcode::kBranch, 0, cluster::reg(test)).target = start;
  }
  /// Polls a word of GM until it compares so with `b`.
  void poll(Operand address, Predicate predicate, Operand b) {
    const unsigned seen = reg(), test = reg();
    const std::uint32_t start = here();
    scalar(Opcode::kGmLoad, seen, address);
    compare(test, predicate, cluster::reg(seen), b);
    scalar(Opcode::kXor, test, cluster::reg(test), 1);
    scalar(Opcode::kBranch, 0, cluster::reg(test)).target = start;
  }

 private:
  Program program_;
};

class Events : public observe::Sink {
 public:
  void on_event(const observe::Event& e) override {
    list.push_back(e);
    digest.record(e);
  }
  std::vector<observe::Event> list;
  observe::Digest digest;
};

inline Launch launch_of(unsigned clusters, LaunchRatio ratio) {
  Launch launch;
  launch.clusters = clusters;
  launch.ratio = ratio;
  return launch;
}

/// The arrays of all programs here. Of Bench the first one has so many numbers, 0 at first.
inline std::vector<GmArray> arrays() {
  return {{"x", Element::kF32}, {"y", Element::kF32}};
}
inline constexpr std::int64_t kNumbers = 10'000;

/// A machine and what came of it. Operations for its programs: operations.h.
struct Bench {
  explicit Bench(const ClusterConfig& config, const Launch& launch = {})
      : data(config.profile, launch, arrays()), machine(config, launch, {&events, &data}) {
    data.resize(0, kNumbers * 4);
  }

  Bench& run(const Kernel& aic, const Kernel& aiv, Cycle end = 10'000'000) {
    machine.launch(aic.build(), aiv.build(), machine.now() + 1);
    machine.run(end);
    return *this;
  }
  const AiCore& aic(unsigned cluster = 0) const { return machine.core(place(cluster, 0)); }
  const AiCore& aiv(unsigned subblock = 0, unsigned cluster = 0) const {
    return machine.core(place(cluster, 1 + subblock));
  }
  static CoreId place(unsigned cluster, unsigned unit) {
    return {static_cast<std::uint16_t>(cluster), static_cast<std::uint16_t>(unit)};
  }
  /// "WHO waits for WHAT", a line each.
  std::string waits() const {
    observe::Waits list;
    machine.describe_waits(list);
    std::string text;
    for (const observe::Wait& w : list) text += w.who + " waits for " + w.what + "\n";
    return text;
  }
  bool hangs() const { return !machine.finished(); }
  /// A word of GM as the scalar units see it.
  std::int64_t word(std::uint64_t address) const { return machine.gm().word(address); }
  /// Cycles of the events of one kind with pipe `pipe` at a core.
  std::vector<Cycle> cycles_of(observe::EventKind kind, CoreId core, Pipe pipe) const {
    std::vector<Cycle> cycles;
    for (const observe::Event& e : events.list) {
      if (e.kind == kind && e.place == core.index() && (e.a & 0xFF) == sync::index(pipe))
        cycles.push_back(e.cycle);
    }
    return cycles;
  }

  Events events;
  ClusterData data;
  ClusterCore machine;
};

/// The text of the IllegalBehaviour that `action` throws, or of its UserError; empty: it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const IllegalBehaviour& e) {
    return std::string("illegal: ") + e.what();
  } catch (const UserError& e) {
    return std::string("refused: ") + e.what();
  }
  return "";
}

}  // namespace tessera::cluster::bench
