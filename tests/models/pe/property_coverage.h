// What drawn programs contain, counted: a generator that no longer draws something would go
// unnoticed otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "tests/models/pe/property_generator.h"

namespace tessera::pe::test {

class Coverage {
 public:
  void add(const Case& c) {
    image_ = &c.image;
    count("program " + std::string(tessera::to_string(c.image.generation)));
    count("floats " + std::string(to_string(c.image.half)));
    for (std::uint32_t pc = c.image.functions[0].entry; pc < c.image.code.size(); ++pc) {
      const Instruction& in = c.image.code[pc];
      if (in.op == Opcode::kLddsr) add_load(in);
      if (in.is_vector()) add_operation(in);
      if (in.op == Opcode::kJmpt) count("loop of single steps");
      if (in.op >= Opcode::kSetdsa && in.op <= Opcode::kGetdsl)
        count(std::string(info(in.op).mnemonic));
    }
    if (!c.image.initial_loads.empty()) count("initial load");
    for (const auto& queue : c.expected.sent) {
      for (const link::Wavelet& w : queue) {
        if (w.control) count("control wavelet sent");
        if (w.half) count("half wavelet sent");
        if (w.local_flip) count("local flip sent");
      }
    }
    add_ends(c);
  }
  unsigned of(const std::string& what) const {
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void count(const std::string& what) { ++counts_[what]; }
  void add_load(const Instruction& in) {
    const Dsd& d = image_->dsds[static_cast<unsigned>(in.operands[1].value)];
    const std::string kind(to_string(d.kind));
    count(kind);
    if (d.kind == DsdKind::kFabin || d.kind == DsdKind::kFabout)
      count(kind + " simd " + std::string(to_string(d.simd)));
    if (d.kind == DsdKind::kMem4d) count("mem4d of " + std::to_string(d.dimensions));
    if (d.extent == 0) count("length 0");
    if (d.extent == kEndless) count("endless");
    if (d.strides[0] < 0) count("negative stride");
    if (is_memory(d.kind) && d.strides[0] == 0) count("stride 0");
    if (d.wavelet_index_offset) count(is_memory(d.kind) ? "memory index" : "wavelet index");
    if (d.control_transform) count(kind + " control_transform");
    if (d.zero == ZeroSource::kFirst) count("zero first");
    if (d.zero == ZeroSource::kSecond) count("zero second");
    if (in.config.save_address) count("save_address");
    if (in.config.single_step) count("single_step");
  }
  void add_operation(const Instruction& in) {
    count(std::string(info(in.op).mnemonic));
    const bool async = in.config.async;
    if (async) count("async");
    if (in.config.ut) count("ut");
    if (in.config.activate) count("activate");
    if (in.config.unblock) count("unblock");
    if (in.config.index) count("index");
    if (in.config.on_control == OnControl::kTerminate) count("on_control terminate");
    if (in.config.on_control == OnControl::kActivate) count("on_control activate");
    const Operand& first = in.operands[0];
    if (first.kind == kMem) count("pointer");
    if (!first.is_dsr() && first.kind != kMem) count("register");
    if (in.op != Opcode::kDfilt && first.kind == kSrc0) count("source 0 as destination");
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (in.operands[i].is_dsr() && in.operands[i] == first) count("one DSR in two places");
      if (!first.is_dsr() && in.operands[i].kind != kNoOperand && in.operands[i] == first)
        count("running value");
    }
    for (const Fifo& f : image_->fifos) {
      if (first.kind == kDest && first.reg == f.dsr) count(async ? "async push" : "push");
      for (const Operand& o : in.operands) {
        if (o.kind == kSrc1 && o.reg == f.dsr) count(async ? "async pop" : "pop");
      }
    }
  }
  void add_ends(const Case& c) {
    for (const Ended& e : c.expected.ended) {
      if (e.done == 0) count("nothing done");
    }
    for (const FifoList& f : c.expected.fifos) {
      if (f.pushed * 2 > c.image.fifos[0].bytes) count("FIFO wrapped");
    }
    for (unsigned i = 0; i < kTasks; ++i) {
      if (c.expected.read(kDataBegin + 2 * i, 2) > 0)
        count("task " + std::to_string(kFirstTask + i));
    }
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      if (c.expected.taken[q] > 0) count("wavelets read");
    }
  }

  const Image* image_ = nullptr;
  std::map<std::string, unsigned> counts_;
};

}  // namespace tessera::pe::test
