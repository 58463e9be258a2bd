// Loads and changes of DSRs (reference wse.md 5.11, 8.6 @set_dsd_.., @increment_dsd_offset).
#include <algorithm>
#include <cassert>

#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

// Each DSR, XDSR and stride register takes an issue slot (wse.md 6.5: DSR load 1 cycle).
void ComputeEngineCore::execute_dsr(const Instruction& in, Cycle now) {
  const std::uint32_t pc = main_.pc - 1;
  if (in.op == Opcode::kLddsr) {
    const auto index = static_cast<std::size_t>(in.operands[1].value);
    const unsigned registers = dsrs_.load(in.operands[0], image().dsds[index], in.config);
    main_.ready_at = now + registers;
    dsrs_[in.operands[0]].ready_at = now + registers - 1 + timing().dsr_latency;
    return;
  }
  const bool reads = in.op == Opcode::kGetdsa || in.op == Opcode::kGetdsl;
  Dsr& dsr = dsrs_[in.operands[reads ? 1 : 0]];
  if (!dsr.loaded()) {
    fail(Illegal::kDsrEmpty, pc,
         std::string(info(in.op).mnemonic) + " of a DSR that nothing was loaded into");
  }
  if (in.op == Opcode::kGetdsl) {
    const std::uint32_t length = dsr.single_step() ? dsr.extension->remaining : dsr.length();
    write_register(in.operands[0], length, now + timing().integer_latency);
    return;
  }
  const bool addressed = dsr.kind() == DsdKind::kMem1d || dsr.kind() == DsdKind::kMem4d;
  if (in.op != Opcode::kSetdsl &&
      !(addressed || (in.op == Opcode::kGetdsa && dsr.kind() == DsdKind::kCircbuf))) {
    fail(Illegal::kDsrKind, pc,
         std::string(info(in.op).mnemonic) + " of " + dsr.name() + ", which is a " +
             std::string(to_string(dsr.kind())));
  }
  if (in.op == Opcode::kGetdsa) {
    write_register(in.operands[0], dsr.address(), now + timing().integer_latency);
    return;
  }
  const std::uint32_t value = read_operand(in.operands[1]);
  switch (in.op) {
  case Opcode::kSetdsa:
    set_address(dsr, value);
    break;
  case Opcode::kIncdsa: {
    const auto elements = static_cast<std::int16_t>(value);
    set_address(dsr, dsr.address() + static_cast<std::uint32_t>(elements * dsr.dsd->element_bytes));
    break;
  }
  case Opcode::kSetdsl:
    set_length(dsr, value);
    break;
  case Opcode::kSetdss:
    set_stride(dsr, value);
    break;
  default:
    assert(false && "not a DSR instruction");
  }
  dsr.ready_at = now + timing().dsr_latency;
}

// A running operation no longer saves its address into the register.
void ComputeEngineCore::set_address(Dsr& dsr, std::uint32_t address) {
  dsr.base = static_cast<std::uint16_t>(address);
  dsr.restart_walk(dsr.base);
  ++dsr.load;
}

// wse.md 5.2, 5.8: 15 bits; 0x7FFF is endless, which only wavelets can be. Not for mem4d.
void ComputeEngineCore::set_length(Dsr& dsr, std::uint32_t length) {
  const std::uint32_t pc = main_.pc - 1;
  const DsdKind kind = dsr.kind();
  if (kind == DsdKind::kMem4d) {
    fail(Illegal::kDsrLength, pc, "setdsl of " + dsr.name() + ", which is a mem4d");
  }
  const std::uint32_t extent = length & 0xFFFFU;
  if (extent > kEndless || (extent == kEndless && !dsr.is_fabric())) {
    fail(Illegal::kDsrLength, pc,
         "setdsl with length " + std::to_string(extent) +
             "; lengths are 0..32766, and 32767 (endless) for fabin and fabout");
  }
  dsr.extent = extent;
  if (dsr.extension) dsr.extension->remaining = extent;
  dsr.left = 0;
}

void ComputeEngineCore::set_stride(Dsr& dsr, std::uint32_t stride) {
  const auto elements = static_cast<std::int16_t>(stride);
  const std::uint32_t pc = main_.pc - 1;
  if (dsr.kind() != DsdKind::kMem1d) {
    fail(Illegal::kDsrKind, pc, "setdss of " + dsr.name() + ", which is not a mem1d");
  }
  if (elements < -128 || elements > 127) {
    fail(Illegal::kDsrLength, pc,
         "setdss with stride " + std::to_string(elements) + "; strides are -128..127");
  }
  dsr.stride = elements;
  dsr.restart_walk(dsr.address());
}

}  // namespace tessera::pe
