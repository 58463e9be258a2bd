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
inline Operand microthread(unsigned id) {
  return operand(kMicrothread, id, 0);
}

// Options of a DSD operation, to be written after its operands.
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
inline OpConfig single_step() {
  OpConfig c;
  c.single_step = true;
  return c;
}
inline OpConfig with_xdsr(unsigned xdsr, OpConfig c = {}) {
  c.xdsr = static_cast<std::uint8_t>(xdsr);
  return c;
}
inline OpConfig with_sr(OpConfig c, std::initializer_list<unsigned> registers) {
  unsigned slot = 0;
  for (const unsigned sr : registers) c.sr.at(slot++) = static_cast<std::uint8_t>(sr);
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
  TaskBinding& control_task(const std::string& name, unsigned id) {
    TaskBinding& t = task(name, id, false);
    t.kind = TaskKind::kControl;
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
  QueueBinding& bind_queue(bool input, unsigned queue, unsigned color) {
    QueueBinding q;
    q.input = input;
    q.id = QueueId(queue);
    q.color = Color(color);
    image_.queues.push_back(q);
    return image_.queues.back();
  }

  // Descriptors. Fields beyond the parameters: see dsd().
  Operand mem1d(unsigned base, unsigned extent, int stride = 1, unsigned bytes = 4) {
    Dsd dsd = memory("mem", DsdKind::kMem1d, base, bytes);
    dsd.extent = extent;
    dsd.extents[0] = static_cast<std::uint16_t>(extent);
    dsd.strides[0] = static_cast<std::int16_t>(stride);
    return add(dsd);
  }
  /// `extents` and `strides` (not steps, wse.md 5.3) of the loops, inner first.
  Operand mem4d(unsigned base, std::initializer_list<unsigned> extents,
                std::initializer_list<int> strides, unsigned bytes = 4) {
    Dsd dsd = memory("nest", DsdKind::kMem4d, base, bytes);
    dsd.dimensions = static_cast<std::uint8_t>(extents.size());
    dsd.extent = 1;
    unsigned k = 0;
    for (const unsigned extent : extents) {
      dsd.extents.at(k++) = static_cast<std::uint16_t>(extent);
      dsd.extent *= extent;
    }
    k = 0;
    for (const int stride : strides) dsd.strides.at(k++) = static_cast<std::int16_t>(stride);
    return add(dsd);
  }
  /// `size` elements from byte address `base` on, the head first there.
  Operand circbuf(unsigned base, unsigned extent, unsigned size, unsigned bytes = 4) {
    Dsd dsd = memory("ring", DsdKind::kCircbuf, base, bytes);
    dsd.extent = extent;
    dsd.extents[0] = static_cast<std::uint16_t>(extent);
    dsd.wrap_base = dsd.base;
    dsd.wrap_count = static_cast<std::uint16_t>(size);
    return add(dsd);
  }
  Operand fabin(unsigned queue, unsigned extent) {
    Dsd dsd = named("in", DsdKind::kFabin);
    dsd.extent = extent;
    dsd.queue = QueueId(queue);
    dsd.simd = default_simd(image_.generation);
    return add(dsd);
  }
  Operand fabout(unsigned queue, unsigned color, unsigned extent) {
    Dsd dsd = named("out", DsdKind::kFabout);
    dsd.extent = extent;
    dsd.queue = QueueId(queue);
    dsd.color = Color(color);
    dsd.simd = default_simd(image_.generation);
    return add(dsd);
  }
  /// The descriptor that one of the calls above made.
  Dsd& dsd(const Operand& made) { return image_.dsds.at(static_cast<std::size_t>(made.value)); }

  /// A FIFO of `bytes` bytes; its DSRs are dest(n) and src1(n), n = number of FIFOs before.
  Fifo& fifo(unsigned base, unsigned bytes) {
    Fifo f;
    const auto number = static_cast<std::uint8_t>(image_.fifos.size());
    f.name = "fifo" + std::to_string(number);
    f.base = static_cast<std::uint16_t>(base);
    f.bytes = static_cast<std::uint16_t>(bytes);
    f.dsr = number;
    f.xdsr = number;
    image_.fifos.push_back(f);
    return image_.fifos.back();
  }
  /// `lddsr` before the program starts.
  void initial_load(const Operand& dsr, const Operand& dsd, const OpConfig& config = {}) {
    InitialLoad load;
    load.dsr = dsr;
    load.dsd = static_cast<std::uint32_t>(dsd.value);
    load.config = config;
    image_.initial_loads.push_back(load);
  }
  /// `lddsr dsr, descriptor`
  std::uint32_t load(const Operand& dsr, const Operand& dsd, const OpConfig& config = {}) {
    return emit(Opcode::kLddsr, {dsr, dsd}, config);
  }

  const Image& image() const { return image_; }
  /// For what has no helper.
  Image& image() { return image_; }

 private:
  Dsd named(const std::string& word, DsdKind kind) const {
    Dsd dsd;
    dsd.name = word + std::to_string(image_.dsds.size());
    dsd.kind = kind;
    return dsd;
  }
  Dsd memory(const std::string& word, DsdKind kind, unsigned base, unsigned bytes) const {
    Dsd dsd = named(word, kind);
    dsd.base = static_cast<std::uint16_t>(base);
    dsd.element_bytes = static_cast<std::uint8_t>(bytes);
    return dsd;
  }
  Operand add(const Dsd& dsd) {
    image_.dsds.push_back(dsd);
    return operand(kDsd, 0, static_cast<std::int32_t>(image_.dsds.size() - 1));
  }

  Image image_;
};

}  // namespace tessera::pe::test
