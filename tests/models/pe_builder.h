// Builds pe::Image by hand, for tests of the compute engine that must not depend on the assembler.
// Instruction number n stands in line n + 1 of "test.tasm".
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/pe/program.h"

namespace tessera::pe::test {

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline Operand operand(OperandKind kind, unsigned reg, std::int32_t value) {
  Operand o;
  o.kind = kind;
  o.reg = static_cast<std::uint8_t>(reg);
  o.value = value;
  return o;
}
inline Operand reg16(unsigned n) {
  return operand(kReg16, n, 0);
}
inline Operand reg32(unsigned n) {
  return operand(kReg32, n, 0);
}
inline Operand imm(std::int32_t value) {
  return operand(kImm, 0, value);
}
inline Operand imm_f32(float value) {
  return imm(static_cast<std::int32_t>(bits_of(value)));
}
inline Operand dest(unsigned n) {
  return operand(kDest, n, 0);
}
inline Operand src0(unsigned n) {
  return operand(kSrc0, n, 0);
}
inline Operand src1(unsigned n) {
  return operand(kSrc1, n, 0);
}
/// [rN + bytes]
inline Operand at(unsigned reg, std::int32_t bytes) {
  return operand(kMem, reg, bytes);
}
inline Operand at_address(std::int32_t address) {
  return operand(kMem, kNoBase, address);
}
inline Operand target(std::uint32_t pc) {
  return operand(kCode, 0, static_cast<std::int32_t>(pc));
}
inline Operand task_id(unsigned id) {
  return operand(kTask, 0, static_cast<std::int32_t>(id));
}

// Options of a DSD operation, to be written behind its operands.
inline OpConfig async() {
  OpConfig c;
  c.async = true;
  return c;
}
inline OpConfig async_on(unsigned ut) {
  OpConfig c = async();
  c.ut = MicrothreadId(ut);
  return c;
}
inline OpConfig save_address() {
  OpConfig c;
  c.save_address = true;
  return c;
}
inline OpConfig then_activate(OpConfig c, unsigned id) {
  c.activate = TaskId(id);
  return c;
}
inline OpConfig then_unblock(OpConfig c, unsigned id) {
  c.unblock = TaskId(id);
  return c;
}

class Builder {
 public:
  explicit Builder(Generation generation = Generation::kWse3) {
    image_.file = "test.tasm";
    image_.generation = generation;
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(image_.code.size()); }
  /// Appends an instruction and answers its index.
  std::uint32_t emit(Opcode op, std::initializer_list<Operand> operands = {},
                     const OpConfig& config = {}) {
    Instruction in;
    in.op = op;
    unsigned slot = 0;
    for (const Operand& o : operands) in.operands.at(slot++) = o;
    in.config = config;
    in.line = here() + 1;
    image_.code.push_back(in);
    return here() - 1;
  }
  /// A local task that starts at the next instruction.
  TaskBinding& task(const std::string& name, unsigned id, bool active = true) {
    TaskBinding t;
    t.name = name;
    t.id = TaskId(id);
    t.entry = here();
    t.active = active;
    image_.tasks.push_back(t);
    return image_.tasks.back();
  }
  TaskBinding& data_task(const std::string& name, unsigned id, unsigned queue) {
    TaskBinding& t = task(name, id, false);
    t.kind = TaskKind::kData;
    t.queue = QueueId(queue);
    return t;
  }
  std::uint32_t function(const std::string& name) {
    image_.functions.push_back({name, here(), here() + 1});
    return here();
  }
  void symbol(ElementType type, std::uint32_t address, std::vector<std::uint32_t> init) {
    Symbol s;
    s.name = "symbol" + std::to_string(image_.symbols.size());
    s.type = type;
    s.address = address;
    s.count = static_cast<std::uint32_t>(init.size());
    s.init = std::move(init);
    image_.symbols.push_back(s);
  }
  void bind_queue(bool input, unsigned queue, unsigned color) {
    QueueBinding q;
    q.input = input;
    q.id = QueueId(queue);
    q.color = Color(color);
    image_.queues.push_back(q);
  }

  Operand mem1d(unsigned base, unsigned extent, int stride = 1, unsigned bytes = 4) {
    Dsd dsd = named("mem", DsdKind::kMem1d, extent);
    dsd.base = static_cast<std::uint16_t>(base);
    dsd.stride = static_cast<std::int16_t>(stride);
    dsd.element_bytes = static_cast<std::uint8_t>(bytes);
    return add(dsd);
  }
  Operand fabin(unsigned queue, unsigned extent) {
    Dsd dsd = named("in", DsdKind::kFabin, extent);
    dsd.queue = QueueId(queue);
    return add(dsd);
  }
  Operand fabout(unsigned queue, unsigned color, unsigned extent) {
    Dsd dsd = named("out", DsdKind::kFabout, extent);
    dsd.queue = QueueId(queue);
    dsd.color = Color(color);
    return add(dsd);
  }
  /// `lddsr dsr, descriptor`
  std::uint32_t load(const Operand& dsr, const Operand& dsd, const OpConfig& config = {}) {
    return emit(Opcode::kLddsr, {dsr, dsd}, config);
  }

  const Image& image() const { return image_; }

 private:
  Dsd named(const std::string& kind, DsdKind dsd_kind, unsigned extent) const {
    Dsd dsd;
    dsd.name = kind + std::to_string(image_.dsds.size());
    dsd.kind = dsd_kind;
    dsd.extent = static_cast<std::uint16_t>(extent);
    return dsd;
  }
  Operand add(const Dsd& dsd) {
    image_.dsds.push_back(dsd);
    return operand(kDsd, 0, static_cast<std::int32_t>(image_.dsds.size() - 1));
  }

  Image image_;
};

}  // namespace tessera::pe::test
