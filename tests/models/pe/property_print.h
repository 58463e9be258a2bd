// A drawn program as text, for the message about a difference.
#pragma once

#include <sstream>
#include <string>

#include "tests/models/pe/property_generator.h"

namespace tessera::pe::test {

inline std::string to_text(const Dsd& d) {
  std::ostringstream text;
  text << to_string(d.kind) << " extent=" << d.extent;
  if (is_memory(d.kind)) {
    text << " base=" << d.base << " bytes=" << unsigned{d.element_bytes};
    for (unsigned k = 0; k < d.dimensions; ++k) {
      text << (k == 0 ? " loops=" : ",") << d.extents[k] << '*' << d.strides[k];
    }
    if (d.kind == DsdKind::kCircbuf) text << " wraps " << d.wrap_count << " at " << d.wrap_base;
  } else {
    text << " queue=" << d.queue.value() << " simd=" << to_string(d.simd)
         << (d.control_transform ? " control_transform" : "") << (d.control ? " control" : "")
         << (d.advance_switch ? " advance_switch" : "");
    if (d.zero != ZeroSource::kNone)
      text << " zero=" << (d.zero == ZeroSource::kFirst ? "first" : "second");
  }
  if (d.wavelet_index_offset) text << " wavelet_index_offset";
  return text.str();
}

inline std::string to_text(const OpConfig& c) {
  std::ostringstream text;
  if (c.async) text << " async";
  if (c.ut) text << " ut=" << c.ut->value();
  if (c.activate) text << " activate=" << c.activate->value();
  if (c.unblock) text << " unblock=" << c.unblock->value();
  if (c.on_control != OnControl::kNone) {
    text << " on_control=" << static_cast<unsigned>(c.on_control) << ','
         << c.on_control_target.value();
  }
  if (c.index) text << " index=" << (c.index->kind == kImm ? c.index->value : c.index->reg);
  if (c.save_address) text << " save_address";
  if (c.single_step) text << " single_step";
  return text.str();
}

inline std::string to_text(const Operand& o, const Image& image) {
  const std::string reg = std::to_string(o.reg);
  switch (o.kind) {
  case kReg16:
    return "r" + reg;
  case kReg32:
    return "d" + reg;
  case kDest:
    return "dds" + reg;
  case kSrc0:
    return "s0ds" + reg;
  case kSrc1:
    return "s1ds" + reg;
  case kMem:
    return "[" + (o.reg == kNoBase ? "" : "r" + reg + " + ") + std::to_string(o.value) + "]";
  case kDsd:
    return to_text(image.dsds[static_cast<unsigned>(o.value)]);
  case kMicrothread:
    return "ut" + reg;
  default:
    return std::to_string(o.value);
  }
}

inline std::string to_text(const Case& c) {
  std::ostringstream text;
  text << tessera::to_string(c.image.generation) << ' ' << to_string(c.image.half) << '\n';
  for (const Fifo& f : c.image.fifos) {
    text << f.name << " dsr=" << unsigned{f.dsr} << " bytes=" << f.bytes << " at " << f.base
         << " empty=" << to_string(f.empty_action) << " full=" << to_string(f.full_action)
         << " simd=" << to_string(f.simd) << (f.activate_push ? " activate_push" : "")
         << (f.activate_pop ? " activate_pop" : "") << '\n';
  }
  for (const QueueBinding& q : c.image.queues) {
    if (q.dense) text << q.name << " dense\n";
  }
  for (std::uint32_t pc = c.image.functions[0].entry; pc < c.image.code.size(); ++pc) {
    for (const Function& f : c.image.functions) {
      if (f.entry == pc) text << f.name << ":\n";
    }
    const Instruction& in = c.image.code[pc];
    text << pc << "  " << info(in.op).mnemonic;
    for (const Operand& o : in.operands) {
      if (o.kind != kNoOperand)
        text << (&o == in.operands.data() ? " " : ", ") << to_text(o, c.image);
    }
    text << to_text(in.config) << '\n';
  }
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (c.expected.inputs[q].empty()) continue;
    text << "in" << q << std::hex;
    for (const link::Wavelet& w : c.expected.inputs[q]) {
      text << ' ' << (w.control ? "!" : "") << (w.half ? "h" : "") << w.payload;
    }
    text << std::dec << '\n';
  }
  return text.str();
}

}  // namespace tessera::pe::test
