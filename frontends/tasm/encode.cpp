#include <limits>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

/// "a register r0..r15 or an immediate": what a slot takes.
std::string words_for(std::uint16_t kinds) {
  struct Word {
    std::uint16_t kind;
    const char* text;
  };
  static constexpr Word kWords[] = {
      {pe::kReg16, "r0..r15"},      {pe::kReg32, "d0, d2 .. d14"},
      {pe::kImm, "an immediate"},   {pe::kDest, "dds0..dds15"},
      {pe::kSrc0, "s0ds0..s0ds15"}, {pe::kSrc1, "s1ds0..s1ds15"},
      {pe::kMem, "[address]"},      {pe::kCode, "a label or function"},
      {pe::kTask, "a task"},        {pe::kDsd, "the name of a dsd"},
  };
  std::vector<std::string> words;
  for (const Word& word : kWords) {
    if ((kinds & word.kind) != 0) words.emplace_back(word.text);
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : "; ";
    text += words[i];
  }
  return text;
}

constexpr std::int64_t kLowest16 = std::numeric_limits<std::int16_t>::min();
constexpr std::int64_t kHighest16 = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kLowest32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHighest32 = std::numeric_limits<std::uint32_t>::max();

class Encoder {
 public:
  Encoder(const Assembly& a, const PlacedInstruction& placed)
      : a_(a), s_(*placed.statement), section_(a.sections[placed.section]), info_(*s_.info) {}

  pe::Instruction encode() {
    instruction_.op = info_.op;
    instruction_.line = s_.place.line;
    for (unsigned i = 0; i < info_.operand_count; ++i) {
      instruction_.operands[i] = encode_operand(s_.operands[i], info_.operands[i]);
    }
    if (instruction_.is_vector()) check_vector_form(a_, s_, instruction_);
    if (info_.op == pe::Opcode::kLddsr) check_load();
    encode_options();
    return instruction_;
  }

 private:
  pe::Operand encode_operand(const OperandSyntax& o, std::uint16_t kinds) const {
    switch (o.kind) {
    case OperandSyntax::Kind::kRegister:
      if ((kinds & o.reg.kind) == 0) fail_kind(o, kinds);
      return {o.reg.kind, static_cast<std::uint8_t>(o.reg.number), 0};
    case OperandSyntax::Kind::kMemory:
      if ((kinds & pe::kMem) == 0) fail_kind(o, kinds);
      return encode_memory(o);
    default:
      break;
    }
    if ((kinds & pe::kImm) != 0) return {pe::kImm, 0, encode_immediate(*o.expression)};
    constexpr std::uint16_t kNamed = pe::kCode | pe::kTask | pe::kDsd;
    if ((kinds & kNamed) == 0 || o.expression->op != Expression::Op::kName) fail_kind(o, kinds);
    const Name name{o.place, o.expression->name};
    if ((kinds & pe::kCode) != 0) return {pe::kCode, 0, encode_target(name)};
    if ((kinds & pe::kTask) != 0) return {pe::kTask, 0, encode_task(name)};
    const Entity& dsd = a_.names.require(name, {NameKind::kDsd}, "the name of a dsd");
    return {pe::kDsd, 0, static_cast<std::int32_t>(dsd.index)};
  }

  [[noreturn]] void fail_kind(const OperandSyntax& o, std::uint16_t kinds) const {
    a_.diagnostics.fail(o.place, "expected " + words_for(kinds) + ", found " + quoted(o.text));
  }

  std::int32_t encode_immediate(const Expression& e) const {
    if (info_.is_float)
      return static_cast<std::int32_t>(evaluate_f32(e, a_.name_value(), a_.diagnostics));
    if (info_.op == pe::Opcode::kSetdsa)
      return immediate(e, "a byte address", 0, pe::kSramBytes - 1);
    if (info_.op == pe::Opcode::kSetdsl) return immediate(e, "a length", 0, pe::kEndless);
    const bool wide = info_.op == pe::Opcode::kMovri ? instruction_.operands[0].kind == pe::kReg32
                                                     : info_.element_bytes == 4;
    return wide ? immediate(e, "a 32-bit immediate", kLowest32, kHighest32)
                : immediate(e, "a 16-bit immediate", kLowest16, kHighest16);
  }

  std::int32_t immediate(const Expression& e, const char* expected, std::int64_t low,
                         std::int64_t high) const {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(a_.integer(e, expected, low, high)));
  }

  pe::Operand encode_memory(const OperandSyntax& o) const {
    if (o.reg.kind != pe::kNoOperand) {
      std::int64_t offset = 0;
      if (o.expression)
        offset = a_.integer(*o.expression, "an offset in bytes", kLowest16, kHighest16);
      return {pe::kMem, static_cast<std::uint8_t>(o.reg.number), static_cast<std::int32_t>(offset)};
    }
    const std::int64_t highest = pe::kSramBytes - info_.element_bytes;
    const std::int64_t address = a_.integer(*o.expression, "a byte address", 0, highest);
    // wse.md 1.10: memory is made of 16-bit words.
    if (address % 2 != 0) {
      a_.diagnostics.fail(o.expression->place,
                          "expected an even byte address, found " + std::to_string(address));
    }
    return {pe::kMem, pe::kNoBase, static_cast<std::int32_t>(address)};
  }

  std::int32_t encode_target(const Name& name) const {
    const auto label = section_.labels.find(name.text);
    if (label != section_.labels.end()) return static_cast<std::int32_t>(label->second);
    const std::string expected = "a label of " + section_.title + " or a function";
    const Entity* entity = a_.names.find(name.text);
    if (entity == nullptr) {
      std::vector<std::string> known = a_.names.list({NameKind::kFunction});
      for (const auto& l : section_.labels) known.push_back(l.first);
      a_.diagnostics.fail(name.place, "expected " + expected + ", found " + quoted(name.text) +
                                          nearest_hint(name.text, known));
    }
    const Entity& function = a_.names.require(name, {NameKind::kFunction}, expected);
    return static_cast<std::int32_t>(a_.image.functions[function.index].entry);
  }

  std::int32_t encode_task(const Name& name) const {
    const bool local = info_.op == pe::Opcode::kActvt;
    const TaskId id = local ? resolve_local_task_id(a_, name) : resolve_task_id(a_, name);
    return static_cast<std::int32_t>(id.value());
  }

  // wse.md 5.11: what a DSR file may hold.
  void check_load() const {
    const pe::Operand& dsr = instruction_.operands[0];
    const pe::Dsd& dsd = a_.image.dsds[static_cast<std::size_t>(instruction_.operands[1].value)];
    const Place place = s_.operands[1].place;
    if (dsd.kind == pe::DsdKind::kFabin && dsr.kind == pe::kDest) {
      a_.diagnostics.fail(
          place, "expected a mem1d or fabout dsd for a destination DSR, found the fabin dsd " +
                     quoted(dsd.name));
    }
    if (dsd.kind == pe::DsdKind::kFabout && dsr.kind != pe::kDest) {
      a_.diagnostics.fail(place,
                          "expected a mem1d or fabin dsd for a source DSR, found the fabout dsd " +
                              quoted(dsd.name));
    }
    if (s_.options.save_address && dsd.kind != pe::DsdKind::kMem1d) {
      a_.diagnostics.fail(*s_.options.save_address,
                          "expected save_address with a mem1d dsd only, found it with " +
                              quoted(dsd.name));
    }
  }

  void encode_options() {
    const OptionsSyntax& o = s_.options;
    pe::OpConfig& config = instruction_.config;
    if (o.save_address && info_.op != pe::Opcode::kLddsr) {
      a_.diagnostics.fail(*o.save_address,
                          "expected save_address behind lddsr only, found it behind " +
                              std::string(info_.mnemonic));
    }
    require_vector(o);
    if (o.async && !instruction_.operands[0].is_dsr()) {
      a_.diagnostics.fail(
          *o.async, "expected async only with a destination DSR, found it with the register " +
                        quoted(s_.operands[0].text));
    }
    config.save_address = o.save_address.has_value();
    config.async = o.async.has_value();
    if (o.activate && o.unblock) {
      a_.diagnostics.fail(o.unblock->place, "expected either activate= or unblock=, found both");
    }
    if (o.activate) config.activate = resolve_local_task_id(a_, *o.activate);
    if (o.unblock) config.unblock = resolve_task_id(a_, *o.unblock);
    if (o.ut) config.ut = encode_microthread(*o.ut);
  }

  void require_vector(const OptionsSyntax& o) const {
    if (instruction_.is_vector()) return;
    if (o.async) fail_scalar(*o.async, "async");
    if (o.ut) fail_scalar(o.ut->place, "ut=");
    if (o.activate) fail_scalar(o.activate->place, "activate=");
    if (o.unblock) fail_scalar(o.unblock->place, "unblock=");
  }

  [[noreturn]] void fail_scalar(Place place, const std::string& option) const {
    const std::string what = info_.vector ? "a scalar " : "";
    a_.diagnostics.fail(place, "expected " + option +
                                   " behind a DSD operation only, found it behind " + what +
                                   std::string(info_.mnemonic));
  }

  // wse.md 5.7: only WSE-3 chooses the microthread by number.
  MicrothreadId encode_microthread(const Expression& e) const {
    if (a_.options.generation != Generation::kWse3) {
      a_.diagnostics.fail(e.place,
                          "expected no ut=, found one; a wse2 microthread belongs to its queue");
    }
    if (!s_.options.async) {
      a_.diagnostics.fail(
          e.place,
          "expected async with ut=, found ut= alone; only async operations have a microthread");
    }
    return MicrothreadId(
        static_cast<unsigned>(a_.integer(e, "a microthread", 0, kMicrothreadCount - 1)));
  }

  const Assembly& a_;
  const InstructionStatement& s_;
  const Section& section_;
  const pe::OpcodeInfo& info_;
  pe::Instruction instruction_;
};

}  // namespace

void encode_instructions(Assembly& a) {
  a.image.code.reserve(a.instructions.size());
  for (const PlacedInstruction& placed : a.instructions)
    a.image.code.push_back(Encoder(a, placed).encode());
}

}  // namespace tessera::tasm
