#include "frontends/tasm/options.h"

namespace tessera::tasm {
namespace {

/// Name and place of every option that is given.
struct GivenOption {
  const char* word;
  Place place;
};

std::vector<GivenOption> on_control_options(const OptionsSyntax& o) {
  std::vector<GivenOption> given;
  if (o.on_control) given.push_back({"on_control=", o.on_control->place});
  if (o.on_control_activate)
    given.push_back({"on_control_activate=", o.on_control_activate->place});
  if (o.on_control_unblock) given.push_back({"on_control_unblock=", o.on_control_unblock->place});
  return given;
}

/// Those of DSD operations and of fabric DSR loads.
std::vector<GivenOption> completion_options(const OptionsSyntax& o) {
  std::vector<GivenOption> given;
  if (o.async) given.push_back({"async", *o.async});
  if (o.ut) given.push_back({"ut=", o.ut->place});
  if (o.activate) given.push_back({"activate=", o.activate->place});
  if (o.unblock) given.push_back({"unblock=", o.unblock->place});
  for (const GivenOption& option : on_control_options(o)) given.push_back(option);
  return given;
}

/// Those of DSD operations only.
std::vector<GivenOption> operation_options(const OptionsSyntax& o) {
  std::vector<GivenOption> given;
  if (o.index) given.push_back({"index=", o.index->place});
  if (o.priority) given.push_back({"priority=", o.priority->place});
  return given;
}

/// Those of DSR loads only.
std::vector<GivenOption> load_options(const OptionsSyntax& o) {
  std::vector<GivenOption> given;
  if (o.save_address) given.push_back({"save_address", *o.save_address});
  if (o.single_step) given.push_back({"single_step", *o.single_step});
  if (o.xdsr) given.push_back({"xdsr=", o.xdsr->place});
  if (!o.sr.empty()) given.push_back({"sr=", o.sr.front()->place});
  return given;
}

class OptionsEncoder {
 public:
  OptionsEncoder(const Assembly& a, const OptionsSyntax& options) : a_(a), o_(options) {}

  pe::OpConfig of_load(const pe::Operand& dsr, const pe::Dsd& dsd, Place place) {
    check_file(dsr, dsd, place);
    check_reserved(dsr, place);
    refuse(operation_options(o_),
           " behind a DSD operation only, found it behind the load of a DSR");
    check_load_kinds(dsd);
    encode_common();
    config_.save_address = o_.save_address.has_value();
    config_.single_step = o_.single_step.has_value();
    if (o_.async && o_.single_step)
      fail(*o_.single_step, "expected either async or single_step, found both");
    encode_xdsr(dsd, place);
    encode_stride_registers(dsd, place);
    return config_;
  }

  pe::OpConfig of_operation(const InstructionStatement& s, const pe::Instruction& instruction) {
    const std::string mnemonic(s.info->mnemonic);
    refuse(load_options(o_), " behind lddsr only, found it behind " + mnemonic);
    if (!instruction.is_vector()) check_scalar(*s.info);
    if (s.info->op == pe::Opcode::kDfilt) check_filter(s.place);
    const pe::OperandKind destination = instruction.operands[0].kind;
    if (o_.async && (destination == pe::kReg16 || destination == pe::kReg32)) {
      fail(*o_.async, "expected async only with a destination in a DSR or in memory, found it "
                      "with the register " +
                          quoted(s.operands[0].text));
    }
    encode_common();
    if (o_.index) config_.index = encode_index(*o_.index);
    if (o_.priority) config_.priority = encode_priority(*o_.priority);
    return config_;
  }

 private:
  [[noreturn]] void fail(Place place, const std::string& problem) const {
    a_.diagnostics.fail(place, problem);
  }

  /// Fails if any option is given; `why` says with what it may be, and with what it is.
  void refuse(const std::vector<GivenOption>& given, const std::string& why) const {
    if (!given.empty())
      fail(given.front().place, std::string("expected ") + given.front().word + why);
  }

  void check_scalar(const pe::OpcodeInfo& info) const {
    std::vector<GivenOption> given = completion_options(o_);
    for (const GivenOption& option : operation_options(o_)) given.push_back(option);
    refuse(given, std::string(" behind a DSD operation only, found it behind ") +
                      (info.vector() ? "a scalar " : "") + std::string(info.mnemonic));
  }

  // wse.md 6.7.
  void check_filter(Place place) const {
    if (!o_.async) fail(place, "expected async behind dfilt, found none; it runs on a microthread");
    for (const GivenOption& option : on_control_options(o_)) {
      fail(option.place, "expected no " + std::string(option.word) +
                             " behind dfilt, found one; dfilt counts the control wavelets");
    }
    if (o_.index) fail(o_.index->place, "expected no index= behind dfilt, found one");
  }

  // wse.md 5.11: what a DSR file may hold.
  void check_file(const pe::Operand& dsr, const pe::Dsd& dsd, Place place) const {
    if (dsd.kind == pe::DsdKind::kFabin && dsr.kind == pe::kDest) {
      fail(place, "expected a memory or fabout dsd for a destination DSR, found the fabin dsd " +
                      quoted(dsd.name));
    }
    if (dsd.kind == pe::DsdKind::kFabout && dsr.kind != pe::kDest) {
      fail(place, "expected a memory or fabin dsd for a source DSR, found the fabout dsd " +
                      quoted(dsd.name));
    }
  }

  // wse.md 5.6: the DSRs of a FIFO are its own for the life of the program.
  void check_reserved(const pe::Operand& dsr, Place place) const {
    if (dsr.kind == pe::kSrc0) return;
    for (const pe::Fifo& fifo : a_.image.fifos) {
      if (fifo.dsr != dsr.reg) continue;
      fail(place, "expected a DSR that no fifo has, found " + to_string(dsr.kind, dsr.reg) +
                      " of the fifo " + quoted(fifo.name) + " of line " +
                      std::to_string(fifo.line));
    }
  }

  // wse.md 5.11: which options a kind of descriptor takes.
  void check_load_kinds(const pe::Dsd& dsd) const {
    if (o_.save_address && !pe::is_memory(dsd.kind)) {
      fail(*o_.save_address,
           "expected save_address with a memory dsd only, found it with " + described(dsd));
    }
    if (!pe::is_memory(dsd.kind)) return;
    refuse(completion_options(o_),
           " with a fabin or fabout dsd only, found it with " + described(dsd));
  }

  static std::string described(const pe::Dsd& dsd) {
    return "the " + std::string(to_string(dsd.kind)) + " dsd " + quoted(dsd.name);
  }

  void encode_common() {
    config_.async = o_.async.has_value();
    if (o_.activate && o_.unblock)
      fail(o_.unblock->place, "expected either activate= or unblock=, found both");
    if (o_.activate) config_.activate = resolve_local_task_id(a_, *o_.activate);
    if (o_.unblock) config_.unblock = resolve_task_id(a_, *o_.unblock);
    if (o_.ut) config_.ut = encode_microthread(*o_.ut);
    encode_on_control();
  }

  void encode_on_control() {
    const std::vector<GivenOption> given = on_control_options(o_);
    if (given.size() > 1) {
      fail(given[1].place, "expected one of on_control=, on_control_activate= and "
                           "on_control_unblock=, found " +
                               std::string(given[0].word) + " and " + given[1].word);
    }
    if (o_.on_control) config_.on_control = o_.on_control->value;
    if (o_.on_control_activate) {
      config_.on_control = pe::OnControl::kActivate;
      config_.on_control_target = resolve_local_task_id(a_, *o_.on_control_activate);
    }
    if (o_.on_control_unblock) {
      config_.on_control = pe::OnControl::kUnblock;
      config_.on_control_target = resolve_task_id(a_, *o_.on_control_unblock);
    }
  }

  // wse.md 5.7: only WSE-3 chooses the microthread by number.
  MicrothreadId encode_microthread(const Expression& e) const {
    if (a_.options.generation != Generation::kWse3)
      fail(e.place, "expected no ut=, found one; a wse2 microthread belongs to its queue");
    if (!o_.async) {
      fail(e.place,
           "expected async with ut=, found ut= alone; only async operations have a microthread");
    }
    return MicrothreadId(
        static_cast<unsigned>(a_.integer(e, "a microthread", 0, kMicrothreadCount - 1)));
  }

  // wse.md 4, 5.5: on WSE-3 the descriptor has the priority.
  pe::Priority encode_priority(const Choice<pe::Priority>& s) const {
    if (a_.options.generation != Generation::kWse2) {
      fail(s.place, "expected no priority=, found one; on wse3 it stands with the fabin, fabout or "
                    "fifo");
    }
    if (!o_.async) {
      fail(s.place, "expected async with priority=, found priority= alone; only async operations "
                    "have a microthread");
    }
    return s.value;
  }

  pe::Operand encode_index(const OperandSyntax& o) const {
    if (o.kind != OperandSyntax::Kind::kRegister) {
      constexpr std::int64_t kHighest = 0xFFFF;
      const std::int64_t value = a_.integer(*o.expression, "an index", 0, kHighest);
      return {pe::kImm, 0, static_cast<std::int32_t>(value)};
    }
    if (o.reg.kind != pe::kReg16)
      fail(o.place, "expected a register r0..r15 or an index, found " + quoted(o.text));
    return {pe::kReg16, static_cast<std::uint8_t>(o.reg.number), 0};
  }

  // wse.md 5.1, 5.11.
  void encode_xdsr(const pe::Dsd& dsd, Place place) {
    const bool needed = dsd.kind == pe::DsdKind::kMem4d || dsd.kind == pe::DsdKind::kCircbuf;
    if (!needed && o_.xdsr) {
      fail(o_.xdsr->place,
           "expected xdsr= with a mem4d or circbuf dsd only, found it with " + described(dsd));
    }
    if (!needed) return;
    if (!o_.xdsr) fail(place, "expected xdsr= for " + described(dsd) + ", found none");
    const auto number =
        static_cast<std::uint8_t>(a_.integer(*o_.xdsr, "an XDSR", 0, pe::kXdsrCount - 1));
    for (const pe::Fifo& fifo : a_.image.fifos) {
      if (fifo.xdsr != number) continue;
      fail(o_.xdsr->place, "expected an XDSR that no fifo has, found " + std::to_string(number) +
                               " of the fifo " + quoted(fifo.name) + " of line " +
                               std::to_string(fifo.line));
    }
    config_.xdsr = number;
  }

  // wse.md 5.3.
  void encode_stride_registers(const pe::Dsd& dsd, Place place) {
    const std::size_t needed = dsd.stride_registers();
    const std::size_t given = o_.sr.size();
    if (given != needed) {
      const std::string wanted = needed == 0 ? "no sr="
                                             : "sr= with " + std::to_string(needed) +
                                                   (needed == 1 ? " number" : " numbers");
      fail(given == 0 ? place : o_.sr.front()->place,
           "expected " + wanted + " for " + described(dsd) + ", found " +
               (given == 0 ? "none" : std::to_string(given)));
    }
    for (std::size_t i = 0; i < needed; ++i) {
      const Expression& e = *o_.sr[i];
      const auto number = static_cast<std::uint8_t>(
          a_.integer(e, "a stride register", 0, pe::kStrideRegisterCount - 1));
      for (std::size_t j = 0; j < i; ++j) {
        if (config_.sr[j] == number) {
          fail(e.place,
               "expected each stride register once, found " + std::to_string(number) + " again");
        }
      }
      config_.sr[i] = number;
    }
  }

  const Assembly& a_;
  const OptionsSyntax& o_;
  pe::OpConfig config_;
};

}  // namespace

pe::OpConfig encode_load_options(const Assembly& a, const OptionsSyntax& options,
                                 const pe::Operand& dsr, const pe::Dsd& dsd, Place place) {
  return OptionsEncoder(a, options).of_load(dsr, dsd, place);
}

pe::OpConfig encode_operation_options(const Assembly& a, const InstructionStatement& s,
                                      const pe::Instruction& instruction) {
  return OptionsEncoder(a, s.options).of_operation(s, instruction);
}

}  // namespace tessera::tasm
