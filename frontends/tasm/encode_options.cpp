#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

/// What options come after.
enum OptionGroup : unsigned {
  kOnControl = 1,   ///< DSD operations but dfilt, and fabric DSR loads
  kCompletion = 2,  ///< DSD operations and fabric DSR loads
  kOperation = 4,   ///< DSD operations
  kLoad = 8,        ///< DSR loads
};

struct GivenOption {
  const char* word;
  Place place;
};

/// Name and place of every option of these groups that is given.
std::vector<GivenOption> given_options(const OptionsSyntax& o, unsigned groups) {
  std::vector<GivenOption> given;
  const auto add = [&](OptionGroup group, const char* word, const auto& option) {
    if (option && (groups & group) != 0) given.push_back({word, place_of(option)});
  };
  add(kCompletion, "async", o.async);
  add(kCompletion, "ut=", o.ut);
  add(kCompletion, "activate=", o.activate);
  add(kCompletion, "unblock=", o.unblock);
  add(kOnControl, "on_control=", o.on_control);
  add(kOnControl, "on_control_activate=", o.on_control_activate);
  add(kOnControl, "on_control_unblock=", o.on_control_unblock);
  add(kOperation, "index=", o.index);
  add(kOperation, "priority=", o.priority);
  add(kLoad, "save_address", o.save_address);
  add(kLoad, "single_step", o.single_step);
  add(kLoad, "xdsr=", o.xdsr);
  if (!o.sr.empty()) add(kLoad, "sr=", o.sr.front());
  return given;
}

class OptionsEncoder {
 public:
  OptionsEncoder(Assembly& a, const OptionsSyntax& options) : a_(a), o_(options) {}

  pe::OpConfig of_load(const pe::Operand& dsr, const pe::Dsd& dsd, Place place) {
    check_file(dsr, dsd, place);
    check_load_kinds(dsd);
    encode_load(dsr, place);
    const bool extended = dsd.kind == pe::DsdKind::kMem4d || dsd.kind == pe::DsdKind::kCircbuf;
    if (!extended && o_.xdsr) {
      a_.fail(o_.xdsr->place, "expected xdsr= with a mem4d or circbuf dsd only, found it with ",
              described(dsd));
    }
    if (extended && !o_.xdsr) config_.xdsr = own_register(a_.xdsrs, dsr, 0, "xdsr=", dsd, place);
    encode_stride_registers(dsr, dsd, place);
    return config_;
  }

  pe::OpConfig of_record(const pe::Operand& dsr, Place place) {
    encode_load(dsr, place);
    encode_given_strides();
    return config_;
  }

  pe::OpConfig of_operation(const InstructionStatement& s, const pe::Instruction& instruction) {
    const std::string mnemonic(s.info->mnemonic);
    refuse(kLoad, " after lddsr only, found it after " + mnemonic);
    if (!instruction.is_vector()) check_scalar(*s.info);
    if (s.info->op == pe::Opcode::kDfilt) check_filter(s.place);
    const pe::OperandKind destination = instruction.operands[0].kind;
    if (o_.async && (destination == pe::kReg16 || destination == pe::kReg32)) {
      a_.fail(*o_.async,
              "expected async only with a destination in a DSR or in memory, found it "
              "with the register ",
              in_quotes(s.operands[0].text));
    }
    encode_common();
    if (o_.index) config_.index = encode_index(*o_.index);
    if (o_.priority) config_.priority = encode_priority(*o_.priority);
    return config_;
  }

 private:
  /// Fails if any option of these groups is given; `why` says with what it may be, and with what it is.
  void refuse(unsigned groups, const std::string& why) const {
    const std::vector<GivenOption> given = given_options(o_, groups);
    if (!given.empty()) a_.fail(given.front().place, "expected ", given.front().word, why);
  }

  void check_scalar(const pe::OpcodeInfo& info) const {
    refuse(kCompletion | kOnControl | kOperation,
           std::string(" after a DSD operation only, found it after ") +
               (info.vector() ? "a scalar " : "") + std::string(info.mnemonic));
  }

  // wse.md 6.7.
  void check_filter(Place place) const {
    if (!o_.async)
      a_.fail(place, "expected async after dfilt, found none; it runs on a microthread");
    for (const GivenOption& option : given_options(o_, kOnControl)) {
      a_.fail(option.place, "expected no ", option.word,
              " after dfilt, found one; dfilt counts the control wavelets");
    }
    if (o_.index) a_.fail(o_.index->place, "expected no index= after dfilt, found one");
  }

  // wse.md 5.11: what a DSR file may hold.
  void check_file(const pe::Operand& dsr, const pe::Dsd& dsd, Place place) const {
    if (dsd.kind == pe::DsdKind::kFabin && dsr.kind == pe::kDest) {
      a_.fail(place, "expected a memory or fabout dsd for a destination DSR, found the fabin dsd ",
              in_quotes(dsd.name));
    }
    if (dsd.kind == pe::DsdKind::kFabout && dsr.kind != pe::kDest) {
      a_.fail(place, "expected a memory or fabin dsd for a source DSR, found the fabout dsd ",
              in_quotes(dsd.name));
    }
  }

  /// wse.md 5.6: the DSRs and XDSRs of a FIFO are its own for the life of the program.
  void check_reserved(std::uint8_t pe::Fifo::*member, std::uint8_t number, Place place,
                      const char* what, const std::string& text) const {
    for (const pe::Fifo& fifo : a_.image.fifos) {
      if (fifo.*member != number) continue;
      a_.fail(place, "expected ", what, " that no fifo has, found ", text, " of the fifo ",
              named(a_, fifo));
    }
  }

  // wse.md 5.11: which options a kind of descriptor takes.
  void check_load_kinds(const pe::Dsd& dsd) const {
    if (o_.save_address && !pe::is_memory(dsd.kind)) {
      a_.fail(*o_.save_address, "expected save_address with a memory dsd only, found it with ",
              described(dsd));
    }
    if (!pe::is_memory(dsd.kind)) return;
    refuse(kCompletion | kOnControl,
           " with a fabin or fabout dsd only, found it with " + described(dsd));
  }

  static std::string described(const pe::Dsd& dsd) {
    return "the " + std::string(to_string(dsd.kind)) + " dsd " + in_quotes(dsd.name);
  }

  void encode_common() {
    config_.async = o_.async.has_value();
    if (o_.activate && o_.unblock)
      a_.fail(o_.unblock->place, "expected either activate= or unblock=, found both");
    if (o_.activate) config_.activate = resolve_local_task_id(a_, *o_.activate);
    if (o_.unblock) config_.unblock = resolve_task_id(a_, *o_.unblock);
    if (o_.ut) config_.ut = encode_microthread(*o_.ut);
    encode_on_control();
  }

  void encode_on_control() {
    const std::vector<GivenOption> given = given_options(o_, kOnControl);
    if (given.size() > 1) {
      a_.fail(given[1].place,
              "expected one of on_control=, on_control_activate= and "
              "on_control_unblock=, found ",
              given[0].word, " and ", given[1].word);
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
    if (o_.leave_control && given.empty())
      a_.fail(*o_.leave_control,
              "expected leave_control after an option on_control, found it alone");
    config_.leaves_control = o_.leave_control.has_value();
  }

  // wse.md 5.7: only WSE-3 chooses the microthread by number.
  MicrothreadId encode_microthread(const Expression& e) const {
    a_.refuse_on(Generation::kWse2, &e, "ut=", "a wse2 microthread belongs to its queue");
    if (!o_.async) {
      a_.fail(e.place,
              "expected async with ut=, found ut= alone; only async operations have a microthread");
    }
    return MicrothreadId(a_.integer<unsigned>(e, "a microthread", 0, kMicrothreadCount - 1));
  }

  // wse.md 4, 5.5: on WSE-3 the descriptor has the priority.
  pe::Priority encode_priority(const Choice<pe::Priority>& s) const {
    a_.refuse_on(Generation::kWse3, &s,
                 "priority=", "on wse3 it stands with the fabin, fabout or fifo");
    if (!o_.async) {
      a_.fail(s.place,
              "expected async with priority=, found priority= alone; only async operations "
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
      a_.fail(o.place, "expected a register r0..r15 or an index, found ", in_quotes(o.text));
    return {pe::kReg16, static_cast<std::uint8_t>(o.reg.number), 0};
  }

  /// What all loads have in common: all but what the descriptor decides.
  void encode_load(const pe::Operand& dsr, Place place) {
    if (dsr.kind != pe::kSrc0)
      check_reserved(&pe::Fifo::dsr, dsr.reg, place, "a DSR", to_string(dsr.kind, dsr.reg));
    refuse(kOperation, " after a DSD operation only, found it after the load of a DSR");
    encode_common();
    config_.save_address = o_.save_address.has_value();
    config_.single_step = o_.single_step.has_value();
    if (o_.async && o_.single_step)
      a_.fail(*o_.single_step, "expected either async or single_step, found both");
    if (!o_.xdsr) return;
    const auto number = a_.integer<std::uint8_t>(*o_.xdsr, "an XDSR", 0, pe::kXdsrCount - 1);
    check_reserved(&pe::Fifo::xdsr, number, o_.xdsr->place, "an XDSR", std::to_string(number));
    config_.xdsr = number;
  }

  /// Register `which` of a load that does not name it.
  std::uint8_t own_register(LoadRegisters& registers, const pe::Operand& dsr, std::size_t which,
                            const char* option, const pe::Dsd& dsd, Place place) const {
    if (const std::optional<std::uint8_t> number = registers.of(dsr, which)) return *number;
    a_.fail(place, "expected ", option, " for ", described(dsd), ", found none, and all ",
            LoadRegisters::kCount, " are taken; DSRs that are not in use together can share one");
  }

  // wse.md 5.3.
  void encode_stride_registers(const pe::Operand& dsr, const pe::Dsd& dsd, Place place) {
    const std::size_t needed = dsd.stride_registers();
    const std::size_t given = o_.sr.size();
    if (given == 0) {
      for (std::size_t i = 0; i < needed; ++i)
        config_.sr[i] = own_register(a_.stride_registers, dsr, i, "sr=", dsd, place);
      return;
    }
    if (given != needed) {
      const std::string wanted = needed == 0 ? "no sr="
                                             : "sr= with " + std::to_string(needed) +
                                                   (needed == 1 ? " number" : " numbers");
      a_.fail(o_.sr.front()->place, "expected ", wanted, " for ", described(dsd), ", found ",
              given);
    }
    encode_given_strides();
  }

  void encode_given_strides() {
    for (std::size_t i = 0; i < o_.sr.size(); ++i) {
      const Expression& e = *o_.sr[i];
      const auto number =
          a_.integer<std::uint8_t>(e, "a stride register", 0, pe::kStrideRegisterCount - 1);
      for (std::size_t j = 0; j < i; ++j) {
        if (config_.sr[j] == number)
          a_.fail(e.place, "expected each stride register once, found ", number, " again");
      }
      config_.sr[i] = number;
    }
  }

  Assembly& a_;
  const OptionsSyntax& o_;
  pe::OpConfig config_;
};

}  // namespace

std::optional<std::uint8_t> LoadRegisters::of(const pe::Operand& dsr, std::size_t which) {
  std::uint8_t number = 0;
  while (number < kCount && (taken_ >> number & 1U) != 0) ++number;
  const std::array<std::size_t, 3> key = {dsr.kind, dsr.reg, which};
  const auto known = given_.find(key);
  if (known != given_.end()) return known->second;
  if (number == kCount) return std::nullopt;
  take(number);
  return given_[key] = number;
}

void reserve_load_registers(Assembly& a, const std::vector<Statement>& statements) {
  const auto reserve = [&a](const OptionsSyntax& o) {
    if (o.xdsr) a.xdsrs.take(a.integer<std::uint8_t>(*o.xdsr, "an XDSR", 0, pe::kXdsrCount - 1));
    for (const ExpressionPtr& e : o.sr) {
      a.stride_registers.take(
          a.integer<std::uint8_t>(*e, "a stride register", 0, pe::kStrideRegisterCount - 1));
    }
  };
  for (const pe::Fifo& fifo : a.image.fifos) a.xdsrs.take(fifo.xdsr);
  for_each<InitialLoadStatement>(
      statements, [&](const InitialLoadStatement& s, std::size_t) { reserve(s.options); });
  for_each<InstructionStatement>(
      statements, [&](const InstructionStatement& s, std::size_t) { reserve(s.options); });
}

pe::OpConfig encode_load_options(Assembly& a, const OptionsSyntax& options, const pe::Operand& dsr,
                                 const pe::Dsd& dsd, Place place) {
  return OptionsEncoder(a, options).of_load(dsr, dsd, place);
}

pe::OpConfig encode_record_options(Assembly& a, const OptionsSyntax& options,
                                   const pe::Operand& dsr, Place place) {
  return OptionsEncoder(a, options).of_record(dsr, place);
}

pe::OpConfig encode_operation_options(Assembly& a, const InstructionStatement& s,
                                      const pe::Instruction& instruction) {
  return OptionsEncoder(a, s.options).of_operation(s, instruction);
}

}  // namespace tessera::tasm
