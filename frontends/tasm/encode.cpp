#include <algorithm>
#include <limits>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

/// "D,S; p,S; D,v" in parts.
std::vector<std::string> forms_of(pe::VectorForm form) {
  constexpr std::string_view kSeparator = "; ";
  std::vector<std::string> forms;
  std::string_view rest = to_string(form);
  for (;;) {
    const std::size_t end = rest.find(kSeparator);
    forms.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return forms;
    rest.remove_prefix(end + kSeparator.size());
  }
}

std::string form_of(const pe::Instruction& instruction, unsigned count) {
  std::string form = instruction.operands[0].is_dsr() ? "D" : "p";
  for (unsigned i = 1; i < count; ++i) form += instruction.operands[i].is_dsr() ? ",S" : ",v";
  return form;
}

/// Throws unless the operands of a DSD operation make one of the forms of wse.md 6.7.
void check_vector_form(const Assembly& a, const InstructionStatement& s,
                       const pe::Instruction& instruction) {
  // Its only operand is a source; the slot takes nothing else.
  if (s.info->form == pe::VectorForm::kFilter) return;
  const std::vector<std::string> forms = forms_of(s.info->form);
  const std::string form = form_of(instruction, s.info->operand_count);
  if (std::find(forms.begin(), forms.end(), form) != forms.end()) return;
  a.fail(s.place, "expected the operands ", text::alternatives(forms, "; "),
         " for the DSD operation ", s.info->mnemonic, ", found ", form,
         " (D: destination DSR, S: source DSR, v: register or immediate, p: destination "
         "register or memory)");
}

/// "a register r0..r15 or an immediate": what a slot takes.
std::string words_for(std::uint16_t kinds) {
  struct Word {
    std::uint16_t kind;
    const char* text;
  };
  static constexpr Word kWords[] = {
      {pe::kReg16, "r0..r15"},        {pe::kReg32, "d0, d2 .. d14"},
      {pe::kImm, "an immediate"},     {pe::kDest, "dds0..dds15"},
      {pe::kSrc0, "s0ds0..s0ds15"},   {pe::kSrc1, "s1ds0..s1ds15"},
      {pe::kMem, "[address]"},        {pe::kCode, "a label or function"},
      {pe::kTask, "a task"},          {pe::kDsd, "the name of a dsd"},
      {pe::kMicrothread, "ut0..ut7"},
  };
  std::vector<std::string> words;
  for (const Word& word : kWords) {
    if ((kinds & word.kind) != 0) words.emplace_back(word.text);
  }
  return text::alternatives(words, "; ");
}

constexpr std::int64_t kLowest16 = std::numeric_limits<std::int16_t>::min();
constexpr std::int64_t kHighest16 = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kLowest32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHighest32 = std::numeric_limits<std::uint32_t>::max();

class Encoder {
 public:
  Encoder(Assembly& a, const PlacedInstruction& placed)
      : a_(a), s_(*placed.statement), section_(a.sections[placed.section]), info_(*s_.info) {}

  pe::Instruction encode() {
    instruction_.op = info_.op;
    instruction_.line = s_.place.line;
    for (unsigned i = 0; i < info_.operand_count; ++i) instruction_.operands[i] = encode_operand(i);
    if (instruction_.is_vector()) {
      check_vector_form(a_, s_, instruction_);
    } else if (info_.vector() && instruction_.operands[0].kind == pe::kMem) {
      fail_scalar_to_memory();
    }
    instruction_.config = encode_options();
    return instruction_;
  }

 private:
  pe::Operand encode_operand(unsigned slot) const {
    const OperandSyntax& o = s_.operands[slot];
    const std::uint16_t kinds = info_.operands[slot];
    switch (o.kind) {
    case OperandSyntax::Kind::kRegister:
      if ((kinds & o.reg.kind) == 0) fail_kind(o, kinds);
      if (o.reg.kind == pe::kMicrothread) require_microthreads(o);
      return {o.reg.kind, static_cast<std::uint8_t>(o.reg.number), 0};
    case OperandSyntax::Kind::kMemory:
      if ((kinds & pe::kMem) == 0) fail_kind(o, kinds);
      return encode_memory(o,
                           info_.op == pe::Opcode::kLddsr ? pe::kRecordBytes : info_.bytes(slot));
    default:
      break;
    }
    if ((kinds & pe::kImm) != 0) return {pe::kImm, 0, encode_immediate(*o.expression, slot)};
    constexpr std::uint16_t kNamed = pe::kCode | pe::kTask | pe::kDsd;
    if ((kinds & kNamed) == 0 || o.expression->sole_name() == nullptr) fail_kind(o, kinds);
    const Name name{o.place, o.expression->sole_name()->text};
    if ((kinds & pe::kCode) != 0) return {pe::kCode, 0, encode_target(name)};
    if ((kinds & pe::kTask) != 0) return {pe::kTask, 0, encode_task(name)};
    const Entity& dsd = a_.names.require(name, {NameKind::kDsd}, "the name of a dsd");
    return {pe::kDsd, 0, static_cast<std::int32_t>(dsd.index)};
  }

  [[noreturn]] void fail_kind(const OperandSyntax& o, std::uint16_t kinds) const {
    const bool named = a_.options.generation == Generation::kWse3;
    const auto here = static_cast<std::uint16_t>(named ? kinds : kinds & ~pe::kMicrothread);
    a_.fail(o.place, "expected ", words_for(here), ", found ", in_quotes(o.text));
  }

  // wse.md 4: a WSE-2 microthread is blocked through its queue.
  void require_microthreads(const OperandSyntax& o) const {
    if (a_.options.generation == Generation::kWse3) return;
    a_.fail(o.place, "expected a task or an input queue, found ", in_quotes(o.text),
            "; a wse2 microthread is blocked with its queue");
  }

  [[noreturn]] void fail_scalar_to_memory() const {
    const OperandSyntax& o = s_.operands[0];
    a_.fail(o.place, "expected a register as the destination of a scalar ", info_.mnemonic,
            ", found ", in_quotes(o.text), "; ", (info_.bytes(0) == 2 ? "st16" : "st32"),
            " writes a register to memory");
  }

  std::int32_t encode_immediate(const Expression& e, unsigned slot) const {
    struct Limits {
      pe::Opcode op;
      const char* expected;
      std::int64_t low, high;
    };
    static constexpr Limits kLimits[] = {
        {pe::Opcode::kSetdsa, "a byte address", 0, pe::kSramBytes - 1},
        {pe::Opcode::kIncdsa, "a number of elements", -0x8000, 0x7FFF},
        {pe::Opcode::kSetdsl, "a length", 0, 0xFFFF},
        {pe::Opcode::kSetdss, "a stride", -0x80, 0x7F},
        {pe::Opcode::kSettp, "a task priority", 0, 1},
        {pe::Opcode::kSetmtp, "a main thread priority", 0, 3},
        {pe::Opcode::kSetctm, "a control transform mask", 0, 0x3F}};
    for (const Limits& l : kLimits) {
      if (l.op == info_.op) return immediate(e, l.expected, l.low, l.high);
    }
    return encode_value(e, info_.types[slot]);
  }

  std::int32_t encode_value(const Expression& e, pe::ValueType type) const {
    const bool wide = info_.op == pe::Opcode::kMovri ? instruction_.operands[0].kind == pe::kReg32
                                                     : pe::bytes_of(type) == 4;
    const bool is_float = type == pe::ValueType::kSingle || type == pe::ValueType::kHalf;
    // A move takes bits, also those of a float.
    const bool is_move = info_.op_class == pe::OpClass::kMove;
    if (is_float || (is_move && (e.is_bits || a_.evaluator().number(e).is_real))) {
      return wide ? static_cast<std::int32_t>(a_.evaluator().f32(e))
                  : a_.evaluator().half(e, a_.image.half);
    }
    return wide ? immediate(e, "a 32-bit immediate", kLowest32, kHighest32)
                : immediate(e, "a 16-bit immediate", kLowest16, kHighest16);
  }

  std::int32_t immediate(const Expression& e, const char* expected, std::int64_t low,
                         std::int64_t high) const {
    return static_cast<std::int32_t>(a_.integer<std::uint32_t>(e, expected, low, high));
  }

  pe::Operand encode_memory(const OperandSyntax& o, unsigned bytes) const {
    if (o.reg.kind != pe::kNoOperand) {
      std::int64_t offset = 0;
      if (o.expression)
        offset = a_.integer(*o.expression, "an offset in bytes", kLowest16, kHighest16);
      return {pe::kMem, static_cast<std::uint8_t>(o.reg.number), static_cast<std::int32_t>(offset)};
    }
    const std::int64_t highest = pe::kSramBytes - bytes;
    const std::int64_t address = a_.integer(*o.expression, "a byte address", 0, highest);
    // wse.md 1.10: memory is made of 16-bit words.
    if (address % 2 != 0)
      a_.fail(o.expression->place, "expected an even byte address, found ", address);
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
      a_.fail(name.place, "expected ", expected, ", found ", in_quotes(name.text),
              did_you_mean(name.text, known));
    }
    const Entity& function = a_.names.require(name, {NameKind::kFunction}, expected);
    return static_cast<std::int32_t>(a_.image.functions[function.index].entry);
  }

  std::int32_t encode_task(const Name& name) const {
    const bool local = info_.op == pe::Opcode::kActvt;
    const TaskId id = local ? resolve_local_task_id(a_, name) : resolve_task_id(a_, name);
    return static_cast<std::int32_t>(id.value());
  }

  pe::OpConfig encode_options() const {
    if (info_.op != pe::Opcode::kLddsr) return encode_operation_options(a_, s_, instruction_);
    if (instruction_.operands[1].kind == pe::kMem)
      return encode_record_options(a_, s_.options, instruction_.operands[0], s_.operands[0].place);
    const auto dsd = static_cast<std::size_t>(instruction_.operands[1].value);
    return encode_load_options(a_, s_.options, instruction_.operands[0], a_.image.dsds[dsd],
                               s_.operands[1].place);
  }

  Assembly& a_;
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
