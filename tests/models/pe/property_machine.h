// The PE of a drawn program before its operations: generation, queues, FIFOs, tasks that count their
// runs, data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tests/models/pe/builder.h"
#include "tests/models/pe/property_random.h"
#include "tests/models/pe/property_state.h"

namespace tessera::pe::test {

// The data: counters of the tasks, results, FIFOs, and the arenas of the operations. Operations of
// one phase that may run at the same time have different arenas.
inline constexpr std::uint32_t kResults = kDataBegin + 16;
inline constexpr std::uint32_t kFifos = kDataBegin + 512;
inline constexpr std::uint32_t kArenas = kDataBegin + 1024;
inline constexpr unsigned kArenaCount = 4;
using Cuts = std::array<std::uint32_t, kArenaCount + 1>;  ///< where each begins, and the end

inline void append(Image& image, Opcode op, std::initializer_list<Operand> operands,
                   const OpConfig& config = {}) {
  Instruction in;
  in.op = op;
  std::copy(operands.begin(), operands.end(), in.operands.begin());
  in.config = config;
  in.line = static_cast<std::uint32_t>(image.code.size()) + 1;
  image.code.push_back(in);
}

class Machine {
 public:
  Machine(Random& random, Image& image, State& state)
      : random_(random), image_(image), state_(state) {}

  void draw() {
    draw_queues();
    write_tasks();
    draw_data();
  }
  const Cuts& cuts() const { return cuts_; }

 private:
  void draw_queues() {
    const bool wse2 = random_.chance(40);
    image_.file = "random.tasm";
    image_.generation = wse2 ? Generation::kWse2 : Generation::kWse3;
    image_.half = static_cast<HalfFormat>(random_.below(3));
    image_.main_priority = static_cast<MainPriority>(random_.below(4));
    image_.control_mask = static_cast<std::uint8_t>(random_.below(64));
    state_.control_mask = image_.control_mask;
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      for (const bool input : {true, false}) {
        if (wse2 && !input && q > 5) continue;
        QueueBinding b;
        b.name = (input ? "in" : "out") + std::to_string(q);
        b.input = input;
        b.id = QueueId(q);
        if (input || !wse2) b.color = Color(input ? q : 8 + q);
        b.dense = !wse2 && random_.chance(25);
        if (input && wse2 && random_.chance(30))
          b.priority = static_cast<Priority>(random_.below(3));
        image_.queues.push_back(b);
      }
    }
    const unsigned fifos = random_.chance(20) ? 0 : 1 + random_.below(2);
    for (unsigned i = 0; i < fifos; ++i) draw_fifo(i, wse2);
  }
  void draw_fifo(unsigned i, bool wse2) {
    Fifo f;
    f.name = "fifo" + std::to_string(i);
    f.base = static_cast<std::uint16_t>(kFifos + 256 * i);
    f.bytes = static_cast<std::uint16_t>(random_.chance(50) ? 4 * (1 + random_.below(8))
                                                            : 32 + 2 * random_.below(64));
    f.dsr = static_cast<std::uint8_t>(random_.below(8) * 2 + i);
    f.xdsr = static_cast<std::uint8_t>(6 + i);
    const auto action = [&](bool all) {
      return static_cast<FifoAction>(random_.below(all ? 3 : 2));
    };
    f.empty_action = action(!wse2);
    if (!wse2) f.full_action = action(true);
    const unsigned with_tasks = random_.chance(50) ? 80 : 0;
    if (random_.chance(with_tasks)) f.activate_push = TaskId(kFifoTask);
    if (random_.chance(with_tasks)) f.activate_pop = TaskId(kFifoTask);
    if (!wse2 && random_.chance(30)) f.priority = static_cast<Priority>(random_.below(3));
    if (wse2 && random_.chance(60)) f.simd = static_cast<SimdMode>(random_.below(4));
    image_.fifos.push_back(f);
    state_.fifos.emplace_back();
    state_.files[0][f.dsr].fifo = static_cast<int>(i);
    state_.files[2][f.dsr].fifo = static_cast<int>(i);
  }

  /// Each counts its runs.
  void write_tasks() {
    for (unsigned i = 0; i < kTasks; ++i) {
      const unsigned id = kFirstTask + i;
      TaskBinding t;
      t.name = "count" + std::to_string(id);
      t.id = TaskId(id);
      t.entry = static_cast<std::uint32_t>(image_.code.size());
      t.active = t.blocked = id == kBlockedTask;
      image_.tasks.push_back(t);
      const auto cell = at_address(static_cast<std::int32_t>(kDataBegin + 2 * i));
      if (id == kBlockedTask) {
        append(image_, Opcode::kBlk, {task_id(id)});
        append(image_, Opcode::kActvt, {task_id(id)});
      }
      append(image_, Opcode::kLd16, {reg16(13), cell});
      append(image_, Opcode::kAdd16, {reg16(13), reg16(13), imm(1)});
      append(image_, Opcode::kSt16, {cell, reg16(13)});
      append(image_, Opcode::kEnd, {});
    }
  }

  void draw_data() {
    Symbol s;
    s.name = "data";
    s.type = ElementType::kU16;
    s.address = kDataBegin;
    s.count = kDataBytes / 2;
    s.init.resize(s.count);
    const char types[] = {'w', 'd', 'h', 's', 's'};
    for (std::uint32_t i = (kArenas - kDataBegin) / 2; i < s.count;) {
      const char type = types[random_.below(5)];
      const unsigned words = type == 'w' || type == 'h' ? 1 : 2;
      const std::uint32_t value = random_.value(type, image_.half);
      for (unsigned w = 0; w < words && i < s.count; ++w) s.init[i++] = value >> (16 * w) & 0xFFFFU;
    }
    for (std::uint32_t i = 0; i < s.count; ++i) state_.write(kDataBegin + 2 * i, 2, s.init[i]);
    image_.symbols.push_back(s);
    cuts_ = {kArenas, kArenas + 768, kArenas + 1536, kArenas + 2304, kDataBegin + kDataBytes};
    for (unsigned i = 1; i < kArenaCount; ++i) cuts_[i] += 2 * random_.below(361) - 360;
  }

  Random& random_;
  Image& image_;
  State& state_;
  Cuts cuts_{};
};

}  // namespace tessera::pe::test
