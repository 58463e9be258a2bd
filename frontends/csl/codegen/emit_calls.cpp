// Calls, and the frames that a call of a cycle keeps on the stack.
#include "frontends/csl/codegen/emitter.h"

namespace tessera::csl::codegen {

using namespace ir;

void Emitter::emit_call(const Instruction& in) {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    const Value& v = in.operands[i];
    if (v.is_register())
      moves.push_back({static_cast<std::uint8_t>(2 * i), allocation_[v.number], is_wide(v.type)});
  }
  emit_moves(moves);
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    const Value& v = in.operands[i];
    if (!v.is_register()) move(v.type, static_cast<unsigned>(2 * i), v);
  }
  if (is_tail_) {
    if (keeps_link_) link_access(O::kLd16, 1);
    code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, in.number, 0});
    put(O::kJmp, {{pe::kCode, 0, 0}});
    return;
  }
  const bool keeps = cycles_.is_inside(id_, in.number);
  if (keeps) keep_frame();
  code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, in.number, 0});
  put(O::kCall, {{pe::kCode, 0, 0}});
  if (keeps) restore_frame();
  if (in.results.empty()) return;
  const pe::Operand target = result(in);
  const bool pair = wide(in.results[0]);
  if (target.reg != 0) put(pair ? O::kMov32 : O::kMov16, {target, register_operand(0, pair)});
}

namespace {
constexpr unsigned kTop = 14;   // the address on the stack
constexpr unsigned kWord = 12;  // a word on its way
}  // namespace

template <class Copy>
void Emitter::copy_frame(const OwnFrame& frame, const Copy& copy) {
  std::int32_t at = 0;
  for (const VariableId v : frame.variables) {
    at = (at + 3) / 4 * 4;
    const auto bytes = static_cast<std::int32_t>(module_.variables[v].bytes());
    const bool is_aligned = is_wide(module_.variables[v].type);
    for (std::int32_t offset = 0; offset < bytes;) {
      const bool wide = is_aligned && bytes - offset >= 4;
      copy(std::optional(v), offset, at + offset, wide);
      offset += wide ? 4 : 2;
    }
    at += bytes;
  }
  if (frame.has_link) copy(std::optional<VariableId>(), 0, at, false);
}

void Emitter::keep_frame() {
  const OwnFrame frame = own_frame(module_, id_, cycles_);
  const pe::Operand top = register_operand(kTop, false);
  const auto bytes = static_cast<std::int32_t>(frame.bytes);
  const pe::Operand from = memory(address_of(*cycles_.top), 0, 1);
  put(O::kLd16, {top, from});
  const pe::Operand last =
      operand(address_of(*cycles_.stack, static_cast<std::int32_t>(kStackBytes) - bytes), 1);
  put(O::kLteu16, {top, last});
  code_.fixups.push_back({Fixup::Kind::kFunction, here(), 0, cycles_.overflow[cycles_.of[id_]], 0});
  put(O::kJmpf, {{pe::kCode, 0, 0}});
  copy_frame(frame,
             [&](std::optional<VariableId> v, std::int32_t offset, std::int32_t at, bool wide) {
               const pe::Operand word = register_operand(kWord, wide);
               if (v) {
                 const pe::Operand source = memory(address_of(*v), offset, 1);
                 put(wide ? O::kLd32 : O::kLd16, {word, source});
               } else {
                 code_.fixups.push_back({Fixup::Kind::kLink, here(), 1, id_, 0});
                 put(O::kLd16, {word, {pe::kMem, pe::kNoBase, 0}});
               }
               put(wide ? O::kSt32 : O::kSt16, {{pe::kMem, kTop, at}, word});
             });
  put(O::kAdd16, {top, top, immediate(bytes)});
  const pe::Operand to = memory(address_of(*cycles_.top), 0, 0);
  put(O::kSt16, {to, top});
}

void Emitter::restore_frame() {
  const OwnFrame frame = own_frame(module_, id_, cycles_);
  const pe::Operand top = register_operand(kTop, false);
  const pe::Operand from = memory(address_of(*cycles_.top), 0, 1);
  put(O::kLd16, {top, from});
  put(O::kSub16, {top, top, immediate(static_cast<std::int32_t>(frame.bytes))});
  const pe::Operand to = memory(address_of(*cycles_.top), 0, 0);
  put(O::kSt16, {to, top});
  copy_frame(frame,
             [&](std::optional<VariableId> v, std::int32_t offset, std::int32_t at, bool wide) {
               const pe::Operand word = register_operand(kWord, wide);
               put(wide ? O::kLd32 : O::kLd16, {word, {pe::kMem, kTop, at}});
               if (v) {
                 const pe::Operand target = memory(address_of(*v), offset, 0);
                 put(wide ? O::kSt32 : O::kSt16, {target, word});
               } else {
                 code_.fixups.push_back({Fixup::Kind::kLink, here(), 0, id_, 0});
                 put(O::kSt16, {{pe::kMem, pe::kNoBase, 0}, word});
               }
             });
}

}  // namespace tessera::csl::codegen
