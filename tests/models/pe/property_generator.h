// Draws programs of DSD operations for the property test and runs the reference along, so that what
// has no defined result is drawn again. A program has one or more phases, functions that the host
// launches when the PE is quiet: operations of a phase may run at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/models/pe/property_draw.h"
#include "tests/models/pe/property_machine.h"
#include "tests/models/pe/property_reference.h"

namespace tessera::pe::test {

struct Case {
  Image image;
  State expected;  ///< after all phases; its inputs are what arrives
  unsigned phases = 0;
  unsigned operations = 0;
  std::uint32_t timing_seed = 0;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Case draw() {
    Machine machine(random_, image_, state_);
    machine.draw();
    cuts_ = machine.cuts();
    const unsigned phases = 1 + random_.below(3);
    for (unsigned i = 0; i < phases; ++i) write_phase();
    Case c;
    c.phases = phases;
    c.operations = operations_;
    c.timing_seed = random_.bits();
    c.image = std::move(image_);
    c.expected = std::move(state_);
    return c;
  }

 private:
  static constexpr unsigned kFlagRegister = 12;
  struct Repeatable {
    Plan plan;
    unsigned arena = 0;
  };

  std::uint32_t here() const { return static_cast<std::uint32_t>(image_.code.size()); }
  void emit(Opcode op, std::initializer_list<Operand> operands, const OpConfig& config = {}) {
    append(image_, op, operands, config);
  }

  void write_phase() {
    image_.functions.push_back(
        {"phase" + std::to_string(image_.functions.size()), here(), here() + 1});
    busy_ = Busy();
    std::array<unsigned, kArenaCount> order = {0, 1, 2, 3};
    for (unsigned i = kArenaCount; i-- > 1;) std::swap(order[i], order[random_.below(i + 1)]);
    if (random_.chance(20))
      emit_and_run(Opcode::kSetctm, {imm(static_cast<int>(random_.below(64)))});
    unsigned lane = 1;  // order[0] is for the synchronous operations
    const std::vector<Repeatable> before = std::move(repeatable_);
    repeatable_.clear();
    for (const Repeatable& again : before) {
      if (lane == kArenaCount || !random_.chance(40)) continue;
      auto* const at = std::find(order.begin() + lane, order.end(), again.arena);
      if (at == order.end() || !write_again(again)) continue;
      std::swap(*at, order[lane++]);
    }
    std::uint32_t blocked = 0;
    if (image_.generation == Generation::kWse3 && random_.chance(20))
      blocked = 1 + random_.below(255);
    for (unsigned t = 0; t < kMicrothreadCount; ++t) {
      if ((blocked >> t & 1U) != 0) emit(Opcode::kBlk, {microthread(t)});
    }
    const unsigned blocks = 1 + random_.below(6);
    for (unsigned i = 0; i < blocks; ++i) {
      const bool async = random_.chance(45);
      if (async && lane == kArenaCount) continue;
      const Arena arena = arena_of(order[async ? lane : 0]);
      if (random_.chance(15) && blocked == 0 && lane + 1 < kArenaCount) {
        lane += write_pair(arena_of(order[lane]), arena_of(order[lane + 1]), arena_of(order[0]));
      } else if (!async && random_.chance(20)) {
        write_steps(arena);
      } else if (!async && random_.chance(15)) {
        write_turns(arena);
      } else if (write_operation(arena, async)) {
        if (async) repeatable_.back().arena = order[lane++];
      }
    }
    for (unsigned t = 0; t < kMicrothreadCount; ++t) {
      if ((blocked >> t & 1U) != 0) emit(Opcode::kUblk, {microthread(t)});
    }
    const std::uint32_t from = here();
    for (unsigned pair = 0; pair < kFlagRegister; pair += 2)
      store_result(Opcode::kSt32, reg32(pair));
    run(from, Arena(), false);
    emit(Opcode::kEnd, {});
    Reference(image_, state_).run_tasks();
  }
  Arena arena_of(unsigned i) const { return {cuts_[i], cuts_[i + 1]}; }

  void run(std::uint32_t from, const Arena& arena, bool shared) {
    Reference(image_, state_).run(from, here(), arena, shared);
    for (unsigned f = 0; f < image_.fifos.size(); ++f) {
      if (2 * state_.fifos[f].words.size() > image_.fifos[f].bytes)
        throw Undefined{"the FIFO stays full"};
    }
  }
  void emit_and_run(Opcode op, std::initializer_list<Operand> operands) {
    const std::uint32_t from = here();
    emit(op, operands);
    run(from, Arena(), false);
  }

  /// Writes instructions by `write` and runs the reference on them; what has no defined result is
  /// taken back.
  template <class Write>
  bool attempt(const Arena& arena, bool shared, Write&& write) {
    const State state = state_;
    const Busy busy = busy_;
    const std::size_t code = image_.code.size();
    const std::size_t dsds = image_.dsds.size();
    const std::size_t repeatable = repeatable_.size();
    const std::size_t initial = image_.initial_loads.size();
    loads_before_start_ = operations_ == 0 && image_.dsds.empty() && random_.chance(30);
    const std::uint32_t result = result_;
    const unsigned operations = operations_;
    try {
      if (write()) {
        run(static_cast<std::uint32_t>(code), arena, shared);
        return true;
      }
    } catch (const Undefined&) {
    }
    state_ = state;
    busy_ = busy;
    image_.code.resize(code);
    image_.dsds.resize(dsds);
    repeatable_.resize(repeatable);
    image_.initial_loads.resize(initial);
    result_ = result;
    operations_ = operations;
    return false;
  }
  bool draw_plan(Plan& p, const Wish& wish, const Arena& arena) {
    for (int i = 0; i < 60; ++i) {
      if (Drawer(random_, image_, state_, busy_).draw(p, wish, arena)) return true;
    }
    return false;
  }

  bool write_operation(const Arena& arena, bool async) {
    Wish wish;
    wish.async = async;
    return write_wish(wish, arena);
  }
  bool write_wish(const Wish& wish, const Arena& arena) {
    for (int i = 0; i < 12; ++i) {
      Plan p;
      if (!draw_plan(p, wish, arena)) continue;
      if (attempt(arena, false, [&] { return write_whole(p); })) return true;
    }
    return false;
  }
  bool write_whole(Plan& p) {
    write_loads(p);
    for (unsigned round = 0; round < p.rounds; ++round) {
      append_streams(p, p.elements);
      write_instruction(p);
      if (!p.async) write_aftermath(p);
    }
    if (p.async) write_interference(p);
    if (p.async) repeatable_.push_back({p, 0});
    return true;
  }

  /// An asynchronous operation of the last phase once more, with the DSRs as it left them.
  bool write_again(const Repeatable& again) {
    Plan p = again.plan;
    for (unsigned i = 0; i < p.slot_count; ++i) {
      const Slot& slot = p.slots[i];
      if (slot.loads() && state_.descriptor(slot.operand).dsd != slot.loaded) return false;
      if (slot.same_as_source || slot.kind != Slot::Kind::kFabric) continue;
      const bool destination = i == 0 && p.has_destination();
      const unsigned busy = destination ? busy_.outputs : busy_.inputs;
      if ((busy >> slot.dsd.queue.value() & 1U) != 0) return false;
    }
    if ((busy_.threads >> p.thread & 1U) != 0 || (busy_.tasks & p.tasks) != 0) return false;
    return attempt(p.arena, false, [&] {
      append_streams(p, p.elements);
      write_instruction(p);
      return true;
    });
  }

  /// One operation fills a FIFO that another one empties at the same time. Answers how many lanes
  /// that takes.
  unsigned write_pair(const Arena& a, const Arena& b, const Arena& main) {
    if (image_.fifos.empty()) return 0;
    const unsigned f = random_.below(static_cast<unsigned>(image_.fifos.size()));
    const Fifo& fifo = image_.fifos[f];
    const bool busy = ((busy_.pushed | busy_.popped) >> f & 1U) != 0;
    // A FIFO too small for the largest groups of both would be stuck.
    if (busy || fifo.activate_push || fifo.activate_pop || fifo.bytes < 32) return 0;
    const bool sync_push = fifo.full_action == FifoAction::kSuspend && random_.chance(30);
    const bool sync_pop =
        !sync_push && fifo.empty_action == FifoAction::kSuspend && random_.chance(40);
    if (!sync_push && fifo.full_action == FifoAction::kTerminate) return 0;
    if (!sync_pop && fifo.empty_action == FifoAction::kTerminate) return 0;
    for (int i = 0; i < 12; ++i) {
      const auto held = static_cast<std::uint32_t>(2 * state_.fifos[f].words.size());
      const bool pop_first = !sync_pop && (sync_push || random_.chance(50));
      Wish push;
      push.pushes = f;
      push.shared_fifo = true;
      push.async = !sync_push;
      push.length = 1 + random_.below(60);
      Wish pop;
      pop.pops = f;
      pop.shared_fifo = true;
      pop.async = !sync_pop;
      const Arena& push_arena = sync_push ? main : a;
      const Arena& pop_arena = sync_pop ? main : b;
      const bool done = attempt(Arena(), true, [&] {
        Plan first;
        Plan second;
        const auto write = [&](Plan& p, const Wish& wish, const Arena& arena) {
          if (!draw_plan(p, wish, arena)) return false;
          write_loads(p);
          append_streams(p, p.elements);
          write_instruction(p);
          return true;
        };
        // Either may be narrower: at most what is there, at least what makes room.
        pop.length = std::max(1U, (held + 2 * push.length) / 4 + random_.below(push.length));
        if (!pop_first && !write(first, push, push_arena)) return false;
        if (!write(second, pop, pop_arena)) return false;
        return !pop_first || write(first, push, push_arena);
      });
      if (done) return 2;
    }
    return 0;
  }

  /// Synchronous operations push and pop a FIFO by turns, and find it full or empty.
  void write_turns(const Arena& arena) {
    if (image_.fifos.empty()) return;
    const unsigned f = random_.below(static_cast<unsigned>(image_.fifos.size()));
    if (((busy_.pushed | busy_.popped) >> f & 1U) != 0) return;
    bool push = random_.chance(50);
    for (unsigned turn = 0; turn < 4; ++turn, push = !push) {
      Wish wish;
      (push ? wish.pushes : wish.pops) = f;
      write_wish(wish, arena);
    }
  }

  /// One element an operation: a loop until an operand is exhausted, or some steps (wse.md 5.11).
  void write_steps(const Arena& arena) {
    Wish wish;
    wish.single_step = true;
    for (int i = 0; i < 12; ++i) {
      Plan p;
      if (!draw_plan(p, wish, arena)) continue;
      p.rounds = 1;
      if (attempt(arena, false, [&] { return write_step_loop(p); })) return;
    }
  }
  bool write_step_loop(Plan& p) {
    write_loads(p);
    const unsigned wavelets = p.length;
    for (unsigned i = 0; i < wavelets; ++i) append_streams(p, 1);
    if (random_.chance(50)) {
      const std::uint32_t loop = here();
      write_instruction(p);
      emit(Opcode::kJmpt, {target(loop)});
      operations_ += p.length;
      return true;
    }
    const unsigned steps = 1 + random_.below(5);
    for (unsigned i = 0; i < steps; ++i) {
      write_instruction(p);
      store_flag();
      write_aftermath(p);
      if (random_.chance(30)) move_a_vector(p);
    }
    return true;
  }
  void move_a_vector(Plan& p) {
    Slot* slot = p.first_of(Slot::Kind::kMemory, random_.below(p.slot_count));
    if (slot == nullptr || slot->same_as_source || slot->dsd.kind != DsdKind::kMem1d) return;
    if (random_.chance(50)) {
      emit(Opcode::kIncdsa, {slot->operand, imm(random_.between(-2, 2))});
    } else {
      emit(Opcode::kSetdss, {slot->operand, imm(random_.between(-2, 2))});
    }
  }

  // Registers, DSRs and the flag as the operation wants them.
  void write_loads(Plan& p) {
    for (unsigned i = 0; i < p.slot_count; ++i) {
      const Slot& slot = p.slots[i];
      if (slot.kind == Slot::Kind::kScalar && slot.in_register && random_.chance(80))
        emit(Opcode::kMovri, {slot.operand, imm(static_cast<std::int32_t>(slot.value))});
      if (slot.kind == Slot::Kind::kPointer && slot.in_register)
        emit(Opcode::kMovri, {reg16(14), imm(static_cast<int>(slot.value) - slot.operand.value)});
    }
    if (p.index_in_register) emit(Opcode::kMovri, {reg16(11), imm(static_cast<int>(p.index))});
    if (random_.chance(30)) {
      emit(Opcode::kMovri, {reg16(kFlagRegister), imm(random_.between(0, 1))});
      emit(Opcode::kEq16, {reg16(kFlagRegister), imm(1)});
    }
    for (unsigned i = 0; i < p.slot_count; ++i) {
      Slot& slot = p.slots[i];
      if (slot.loads()) write_load(slot);
      if (slot.kind == Slot::Kind::kFifo && slot.sets_length)
        emit(Opcode::kSetdsl, {slot.operand, imm(static_cast<int>(slot.new_length))});
    }
  }
  // Now and then something else is loaded and put right by setdsa, incdsa, setdss, setdsl.
  void write_load(Slot& slot) {
    Dsd dsd = slot.dsd;
    dsd.name = "dsd" + std::to_string(image_.dsds.size());
    std::vector<Instruction> changes;
    const auto change = [&](Opcode op, int value) {
      Instruction in;
      in.op = op;
      in.operands = {slot.operand, imm(value)};
      changes.push_back(in);
    };
    const bool mem1d = dsd.kind == DsdKind::kMem1d;
    if ((mem1d || dsd.kind == DsdKind::kMem4d) && random_.chance(15)) {
      const int elements = random_.between(-100, 100);
      const bool absolute = random_.chance(50);
      change(absolute ? Opcode::kSetdsa : Opcode::kIncdsa, absolute ? dsd.base : elements);
      dsd.base = static_cast<std::uint16_t>(dsd.base - elements * dsd.element_bytes);
    }
    if (mem1d && random_.chance(15)) {
      change(Opcode::kSetdss, dsd.strides[0]);
      dsd.strides[0] = static_cast<std::int16_t>(random_.between(-128, 127));
    }
    if (dsd.kind != DsdKind::kMem4d && random_.chance(15)) {
      change(Opcode::kSetdsl, static_cast<int>(dsd.extent));
      dsd.extent = random_.below(100);
    }
    slot.loaded = static_cast<int>(image_.dsds.size());
    image_.dsds.push_back(dsd);
    if (loads_before_start_ && operations_ == 0) {
      image_.initial_loads.push_back(
          {slot.operand, static_cast<std::uint32_t>(slot.loaded), slot.load, 0});
      state_.load(image_, slot.operand, static_cast<unsigned>(slot.loaded), slot.load);
    } else {
      emit(Opcode::kLddsr, {slot.operand, operand(kDsd, 0, slot.loaded)}, slot.load);
    }
    for (const Instruction& in : changes) emit(in.op, {in.operands[0], in.operands[1]});
  }

  void write_instruction(Plan& p) {
    ++operations_;
    emit(p.row->op,
         {p.slots[0].operand, p.slots[1].operand, p.slots[2].operand, p.slots[3].operand},
         p.config);
    busy_.tasks |= p.tasks;
    if (!p.async) return;
    busy_.threads |= 1U << p.thread;
    for (unsigned i = 0; i < p.slot_count; ++i) {
      const Slot& slot = p.slots[i];
      const bool destination = i == 0 && p.has_destination();
      if (slot.kind == Slot::Kind::kFabric)
        (destination ? busy_.outputs : busy_.inputs) |= 1U << slot.dsd.queue.value();
      if (slot.kind == Slot::Kind::kFifo)
        (destination ? busy_.pushed : busy_.popped) |= 1U << slot.fifo;
    }
  }

  // What a synchronous operation leaves behind.
  void write_aftermath(Plan& p) {
    if (random_.chance(30)) store_flag();
    const unsigned i = random_.below(p.slot_count);
    const Slot& slot = p.slots[i];
    if (!slot.operand.is_dsr() || !random_.chance(40)) return;
    const bool address = slot.kind == Slot::Kind::kMemory && random_.chance(60);
    if (result_ + 2 > kFifos) return;
    emit(address ? Opcode::kGetdsa : Opcode::kGetdsl, {reg16(kFlagRegister), slot.operand});
    store_result(Opcode::kSt16, reg16(kFlagRegister));
  }
  // While an asynchronous operation runs its DSRs may be given something else to do.
  void write_interference(Plan& p) {
    const Slot& slot = p.slots[random_.below(p.slot_count)];
    if (slot.kind != Slot::Kind::kMemory || !random_.chance(30)) return;
    const bool movable = slot.dsd.kind != DsdKind::kCircbuf && !slot.same_as_source;
    if (movable) emit(Opcode::kSetdsa, {slot.operand, imm(static_cast<int>(kArenas))});
  }

  void store_flag() {
    if (result_ + 2 > kFifos) return;
    emit(Opcode::kMovri, {reg16(kFlagRegister), imm(0)});
    emit(Opcode::kJmpf, {target(here() + 2)});
    emit(Opcode::kMovri, {reg16(kFlagRegister), imm(1)});
    store_result(Opcode::kSt16, reg16(kFlagRegister));
  }
  void store_result(Opcode op, const Operand& reg) {
    const unsigned bytes = op == Opcode::kSt16 ? 2 : 4;
    if (result_ + bytes > kFifos) return;
    emit(op, {at_address(static_cast<std::int32_t>(result_)), reg});
    result_ += bytes;
  }

  /// Wavelets for `elements` elements of each fabric source, and the control wavelet that ends the
  /// operation.
  void append_streams(Plan& p, std::uint32_t elements) {
    const Slot* ending = p.ends_on_control ? p.source(Slot::Kind::kFabric) : nullptr;
    const bool any_control = p.config.on_control == OnControl::kNone && !p.ends_on_control;
    for (unsigned i = p.has_destination() ? 1 : 0; i < p.slot_count; ++i) {
      const Slot& slot = p.slots[i];
      if (slot.kind != Slot::Kind::kFabric) continue;
      const unsigned packed = packed_of(image_, slot.dsd, slot.bytes);
      std::uint32_t wavelets = (elements + packed - 1) / packed;
      const unsigned controls = !any_control ? 0 : p.has_destination() ? 8 : 30;
      std::uint32_t left = p.has_destination() ? 0 : elements;  // dfilt counts control wavelets
      while (wavelets > 0 || left > 0) {
        const bool control = random_.chance(controls);
        append_wavelet(slot, packed, control);
        if (wavelets > 0) --wavelets;
        if (left > 0 && control) --left;
      }
      if (&slot == ending) append_wavelet(slot, packed, true);
    }
  }
  void append_wavelet(const Slot& slot, unsigned packed, bool control) {
    link::Wavelet w;
    w.payload = random_.value(slot.type, image_.half);
    if (packed == 2) {
      w.payload |= random_.value(slot.type, image_.half) << 16;
    } else if (slot.bytes == 2) {
      w.payload |= random_.bits() << 16;
    }
    w.control = control;
    for (const QueueBinding& q : image_.queues) {
      if (q.input && q.id == slot.dsd.queue) w.half = q.dense && slot.bytes == 2;
    }
    state_.inputs[slot.dsd.queue.value()].push_back(w);
  }

  Random random_;
  Image image_;
  State state_;
  Busy busy_;
  Cuts cuts_{};
  std::uint32_t result_ = kResults;
  unsigned operations_ = 0;
  bool loads_before_start_ =
      false;  // the first operation's loads: wse.md 5.11, @load_to_dsr at comptime
  std::vector<Repeatable> repeatable_;  // asynchronous operations of the last phase
};

}  // namespace tessera::pe::test
