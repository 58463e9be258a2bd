#include <algorithm>

#include "frontends/pto/operation_lowering.h"

namespace tessera::pto {

namespace {

/// Words that stand for signals: those of an array lie one after the other, far from other words.
constexpr std::int64_t kFirstSignal = std::int64_t{1} << 52;
constexpr std::int64_t kMostPolls = 100'000;
constexpr std::int64_t kMostParts = 1024;  // limit of the parts of one copy through a tile

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
  cluster::Offset word = view.address;
  word.base += first;
  if (view.number.is_register) word.add(view.number, 1);  // a tensor of a front-end without text
  return sum_of(word, place);
}

// A notification follows all that the core has done before (pipe_barrier of all pipes).
void CommLowering::notify(const Operation& op) {
  const Operand value = scope_.scalar_or_number(op.arguments[1]);
  const Attribute* how = find(op.attributes, "notifyOp");
  const std::string word = how == nullptr ? "set" : pto::word_of(*how);
  if (word != "set" && word != "atomic_add") fail_expected(how->place, "set or atomic_add", word);
  const Operand address = word_of(op.arguments[0], op.place);
  const Operand old = emitter_.new_register(op.place);
  if (find(op.attributes, "ordered") == nullptr)  // st_atomic of C++ waits for nothing
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

TileOperand CommLowering::nth(TileOperand tensor, const TileOperand& part, std::size_t n) {
  const std::size_t split = part.dimensions.size() > 1 ? part.dimensions.size() - 2 : 0;
  const Operand rows = part.dimensions[split].size;
  tensor.dimensions = part.dimensions;
  for (std::size_t d = 0; d < tensor.dimensions.size() && d < tensor.view.size(); ++d)
    tensor.dimensions[d].stride = tensor.view[d].stride;
  if (n > 0) tensor.address.add(rows, tensor.dimensions[split].stride);
  return n > 1 ? nth(std::move(tensor), part, n - 1) : tensor;
}

// All parts of a gather and of a scatter have the sizes of those in the group.
void CommLowering::transfer(const Operation& op) {
  const auto at = [&](const Argument& a, Access access) { return view_operand(a, access); };
  const Argument& first = op.arguments[0];
  const bool gathers = op.name == "pto.comm.tgather", scatters = op.name == "pto.comm.tscatter";
  if (!gathers && !scatters && op.name != "pto.comm.tbroadcast") {
    copy(op, at(first, Access::kWrite), at(op.arguments[1], Access::kRead));
    if (!op.results.empty()) scope_.define_scalar(op, 1);  // the event of the transfer
    return;
  }
  std::size_t n = 0;
  for (const Argument& a : op.arguments) {
    if (a.key != "group") continue;
    const TileOperand part = at(a, Access::kRead);
    if (gathers)
      copy(op, nth(at(first, Access::kWrite), part, n), part);
    else
      copy(op, at(a, Access::kWrite),
           scatters ? nth(at(first, Access::kRead), part, n) : at(first, Access::kRead));
    ++n;
  }
}

void CommLowering::session(const Operation& op) {
  const Value& scratch = scope_.any_value(op.arguments[0]);
  scope_.define(op, scratch.kind == Value::Kind::kTile ? scratch : Value::of_scalar(1));
}

// treduce(%to, %sum, recv(%a, ..), group(%x, ..)): a load of each part, and an operation of the vector
// unit for all but the first.
void CommLowering::reduce(const Operation& op) {
  constexpr Word<cluster::Arithmetic> kOperations[] = {
      {"sum", Arithmetic::kAdd}, {"max", Arithmetic::kMax}, {"min", Arithmetic::kMin}};
  const Attribute* how = find(op.attributes, "reduceOp");
  std::string word = how == nullptr ? "sum" : pto::word_of(*how);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const Arithmetic arithmetic = require_word(
      kOperations, word, how == nullptr ? op.place : how->place, "sum, max or min", diagnostics_);
  const Value& sum = scope_.tile(op.arguments[1]);
  const Argument* stage = nullptr;
  for (const Argument& a : op.arguments)
    if (a.key == "recv" && stage == nullptr) stage = &a;
  if (stage == nullptr) fail(op, "expected recv(%tile)");
  const Value& part = scope_.tile(*stage);
  if (sum.type.location != "vec" || part.type.location != "vec") fail(op, "expected tiles in vec");
  const std::array<Operand, 3> size = {
      sum.sizes[0],
      emitter_.bytes_of(sum.sizes[1], cluster::bits_of(sum.place.element), op.place),
      {}};
  bool first = true;
  for (const Argument& a : op.arguments) {
    if (a.key != "group") continue;
    const Value& to = first ? sum : part;
    emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2).size = size;
    emitter_.attach({view_operand(a, Access::kRead), tile_operand(to, Access::kWrite)},
                    TileFunction::kCopy);
    if (!first) {
      const Operand elements = emitter_.size_product(sum.sizes[0], sum.sizes[1], op.place);
      Instruction& i = emitter_.emit_tile(Opcode::kVector, op.place, Pipe::kV);
      i.type = data_type(sum);
      i.size[0] = elements;
      emitter_
          .attach({tile_operand(sum, Access::kRead), tile_operand(part, Access::kRead),
                   tile_operand(sum, Access::kWrite)},
                  TileFunction::kMap)
          .arithmetic = arithmetic;
    }
    first = false;
  }
  emitter_.emit_tile(Opcode::kCopyOut, op.place, Pipe::kMte3).size = size;
  emitter_.attach({tile_operand(sum, Access::kRead), view_operand(op.arguments[0], Access::kWrite)},
                  TileFunction::kCopy);
}

// The parts use the staging tiles in turn: MTE2 loads a part, MTE3 stores it.
void CommLowering::copy(const Operation& op, TileOperand target, TileOperand source) {
  std::vector<const Argument*> stages;
  for (const Argument& a : op.arguments)
    if (a.key == "buf" || a.key == "recv" || scope_.any_value(a).kind == Value::Kind::kTile)
      stages.push_back(&a);
  if (stages.empty()) fail(op, "expected buf(%tile) or recv(%tile)");
  const Value& stage = scope_.tile(*stages[0]);
  if (stage.type.location != "vec") fail(op, "expected staging tiles in vec");
  const std::size_t dimensions = std::min(source.dimensions.size(), target.dimensions.size());
  if (source.dimensions.size() != target.dimensions.size() || source.element != target.element)
    fail(op, "expected parts of tensors with as many dimensions and one type");
  // Rows are the next to last dimension, or the only one. Parts of them fit the tile.
  const std::size_t split = dimensions > 1 ? dimensions - 2 : 0;
  const Operand all = source.dimensions[split].size;
  Operand row = 1;
  for (std::size_t d = 0; d < dimensions; ++d)
    if (d != split) row = emitter_.size_product(row, source.dimensions[d].size, op.place);
  const std::int64_t room = bytes_of(stage.place) * 8 / cluster::bits_of(source.element);
  std::int64_t count = 1;
  if (!all.is_register && !row.is_register && row.value > 0) {
    const std::int64_t fitting = std::max<std::int64_t>(room / row.value, 1);
    count = std::max<std::int64_t>((all.value + fitting - 1) / fitting, 1);
    if (row.value > room || count > kMostParts)
      fail(op, "rows of ", row.value, " elements do not fit the staging tile, which has room for ",
           room);
  }
  const Attribute* const atomic = find(op.attributes, "atomicType");
  const bool adds = atomic != nullptr && is_addition(*atomic, op.place, diagnostics_);
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
    tile.element = source.element;
    if (!row.is_register) {
      tile.row_stride = row.value;
      tile.full_rows = room / std::max<std::int64_t>(row.value, 1);
    }
    emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2).size = size;
    emitter_.attach({std::move(in), tile}, TileFunction::kCopy);
    tile.access = Access::kRead;
    if (adds) out.access = Access::kAdd;
    emitter_.emit_tile(Opcode::kCopyOut, op.place, Pipe::kMte3).size = size;
    emitter_.attach({std::move(tile), std::move(out)}, TileFunction::kCopy).adds = adds;
  }
}

}  // namespace tessera::pto
