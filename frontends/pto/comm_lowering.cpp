#include <algorithm>

#include "frontends/pto/operation_lowering.h"

namespace tessera::pto {

namespace {

/// Words that stand for signals: those of an array lie behind each other, far from other words.
constexpr std::int64_t kFirstSignal = std::int64_t{1} << 52;
constexpr std::int64_t kMostPolls = 100'000;
constexpr std::int64_t kMostParts = 1024;  // of a copy through a tile

constexpr Word<Predicate> kComparisons[] = {
    {"eq", Predicate::kEqual},     {"ne", Predicate::kNotEqual}, {"lt", Predicate::kLess},
    {"le", Predicate::kLessEqual}, {"gt", Predicate::kGreater},  {"ge", Predicate::kGreaterEqual}};

}  // namespace

TileOperand CommLowering::signal(const Argument& a, Access access) const {
  TileOperand operand = view_operand(a, access);
  if (operand.element != Element::kI32 && operand.element != Element::kU32)
    fail(a.place, a.text, " has elements of ", to_string(operand.element),
         ", expected a signal of i32");
  for (cluster::Dimension& d : operand.dimensions) d.size = 1;
  return operand;
}

Operand CommLowering::word_of(const Argument& signal, Place place) {
  const TileOperand view = scope_.view(signal).place;
  const std::int64_t first = kFirstSignal + cluster::kMostArrayBytes * view.array;
  Operand word = first + view.address.base;
  for (const auto& product : view.address.products) {
    const Operand offset = emitter_.compute(Opcode::kMul, product.a, product.b, place);
    word = emitter_.compute(Opcode::kAdd, word, offset, place);
  }
  return word;
}

// A notification follows all that the core has done before (pipe_barrier of all pipes).
void CommLowering::notify(const Operation& op) {
  const Operand value = scope_.scalar_or_number(op.arguments[1]);
  const Attribute* how = find(op.attributes, "notifyOp");
  const std::string word = how == nullptr ? "set" : pto::word_of(*how);
  if (word != "set" && word != "atomic_add") fail_expected(how->place, "set or atomic_add", word);
  const Operand address = word_of(op.arguments[0], op.place);
  const Operand old = emitter_.new_register(op.place);
  emitter_.emit(Opcode::kBarrier, op.place, Pipe::kAll);
  Instruction& i = emitter_.emit(word == "set" ? Opcode::kGmStore : Opcode::kGmAdd, op.place);
  i.a = address;
  i.b = value;
  i.rd = static_cast<std::uint16_t>(old.value);
  emitter_.attach({signal(op.arguments[0], Access::kWrite)});
}

// Code: LOAD: word; if it compares, jump END; polls += 1; if there are fewer than the most, jump LOAD; trap; END.
void CommLowering::test(const Operation& op) {
  const Operand value = scope_.scalar_or_number(op.arguments[1]);
  const Attribute* how = find(op.attributes, "cmp");
  const Predicate predicate =
      how == nullptr ? Predicate::kEqual
                     : require_word(kComparisons, pto::word_of(*how), how->place,
                                    "a comparison eq, ne, lt, le, gt or ge", diagnostics_);
  const Operand address = word_of(op.arguments[0], op.place);
  const Operand word = emitter_.new_register(op.place), polls = emitter_.new_register(op.place);
  emitter_.set(polls, 0, op.place);
  const std::uint32_t load = emitter_.next();
  Instruction& i = emitter_.emit(Opcode::kGmLoad, op.place);
  i.a = address;
  i.rd = static_cast<std::uint16_t>(word.value);
  emitter_.attach({signal(op.arguments[0], Access::kRead)});
  const Operand holds = emitter_.compare(predicate, word, value, op.place);
  if (!op.results.empty()) return scope_.define_scalar(op, holds);
  const std::uint32_t to_end = emitter_.branch(holds, op.place);
  emitter_.update(polls, Opcode::kAdd, 1, op.place);
  const Operand goes_on = emitter_.compare(Predicate::kLess, polls, kMostPolls, op.place);
  emitter_.branch(goes_on, op.place, load);
  auto& texts = emitter_.program().texts;
  texts.push_back(joined(op.name, ": the signal did not come in ", kMostPolls, " polls"));
  emitter_.emit(Opcode::kTrap, op.place).a = static_cast<std::int64_t>(texts.size() - 1);
  emitter_.land(to_end);
}

void CommLowering::transfer(const Operation& op) {
  const bool is_broadcast = op.name == "pto.comm.tbroadcast";
  if (!is_broadcast) return copy(op, op.arguments[0], op.arguments[1]);
  for (const Argument& a : op.arguments)
    if (a.key == "group") copy(op, a, op.arguments[0]);
}

// Through the staging tiles in turn: MTE2 loads a part, MTE3 stores it.
void CommLowering::copy(const Operation& op, const Argument& to, const Argument& from) {
  std::vector<const Argument*> stages;
  for (const Argument& a : op.arguments)
    if (a.key == "buf" || a.key == "recv") stages.push_back(&a);
  if (stages.empty()) fail(op, "expected buf(%tile) or recv(%tile)");
  const Value& stage = scope_.tile(*stages[0]);
  if (stage.type.location != "vec") fail(op, "expected staging tiles in vec");
  TileOperand source = view_operand(from, Access::kRead), target = view_operand(to, Access::kWrite);
  const std::size_t dimensions = std::min(source.dimensions.size(), target.dimensions.size());
  if (source.dimensions.size() != target.dimensions.size() || source.element != target.element)
    fail(op, "expected parts of tensors with as many dimensions and one type");
  // Rows are the next to last dimension, or the only one. Parts of them fit the tile.
  const std::size_t split = dimensions > 1 ? dimensions - 2 : 0;
  const Operand all = source.dimensions[split].size;
  Operand row = 1;
  for (std::size_t d = 0; d < dimensions; ++d)
    if (d != split) row = emitter_.size_product(row, source.dimensions[d].size, op.place);
  const std::int64_t room = stage.type.shape[0] * stage.type.shape[1];
  std::int64_t count = 1;
  if (!all.is_register && !row.is_register && row.value > 0) {
    const std::int64_t fitting = std::max<std::int64_t>(room / row.value, 1);
    count = std::max<std::int64_t>((all.value + fitting - 1) / fitting, 1);
    if (row.value > room || count > kMostParts)
      fail(op, "rows of ", row.value, " elements do not fit the staging tile, which has room for ",
           room);
  }
  const bool adds =
      find(op.attributes, "atomicType") != nullptr &&
      find(op.attributes, "atomicType")->value.find("atomic_add") != std::string::npos;
  for (std::int64_t part = 0; part < count; ++part) {
    const std::int64_t fitting = count == 1 ? 0 : room / row.value;
    TileOperand tile =
        tile_operand(*stages[static_cast<std::size_t>(part) % stages.size()], Access::kWrite);
    TileOperand in = source, out = target;
    if (count > 1) {
      const std::int64_t rows = std::min(fitting, all.value - part * fitting);
      for (TileOperand* o : {&in, &out}) {
        o->dimensions[split].size = rows;
        o->address.add(part * fitting, o->dimensions[split].stride);
      }
    }
    const Operand rows = count > 1 ? in.dimensions[split].size : all;
    const unsigned bits = cluster::bits_of(source.element);
    const std::array<Operand, 3> size = {rows, emitter_.bytes_of(row, bits, op.place), {}};
    tile.rows = rows;
    tile.columns = row;
    if (!row.is_register) {
      tile.row_stride = row.value;
      tile.full_rows = room / std::max<std::int64_t>(row.value, 1);
    }
    emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2).size = size;
    emitter_.attach({std::move(in), tile}, TileFunction::kCopy);
    tile.access = Access::kRead;
    if (adds) out.access = Access::kReadWrite;
    emitter_.emit_tile(Opcode::kCopyOut, op.place, Pipe::kMte3).size = size;
    emitter_.attach({std::move(tile), std::move(out)}, TileFunction::kCopy).adds = adds;
  }
}

}  // namespace tessera::pto
