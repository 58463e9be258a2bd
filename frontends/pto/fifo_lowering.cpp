#include "frontends/pto/fifo.h"

#include <algorithm>

namespace tessera::pto {

// --- opening ---

void FifoLowering::define_buffer(const Operation& op, const OperationInfo& info) {
  const std::string function =
      info.meaning == Meaning::kReserveBuffer ? scope_.function().name : text_of(op, "peer_func");
  const std::string name = text_of(op, "name");
  const ReservedBuffers::Buffer* buffer = context_.reserved.find(function, name);
  if (buffer == nullptr)
    fail(op.place, "@", function, " reserves no buffer ", text::in_quotes(name));
  Value v = Value::of_scalar(buffer->address);
  v.reserved = buffer;
  scope_.define(op, std::move(v));
}

void FifoLowering::open_pipe(const Operation& op) {
  const std::int64_t id = number_of(op, "id", 0, diagnostics_);
  if (table_.find(id) != nullptr) fail(op, "pipe ", id, " is open already");
  const Value* gm = nullptr;
  Value c2v, v2c;
  for (const Argument& a : op.arguments) {
    if (a.key == "gm_slot_buffer") gm = &scope_.value(a, Value::Kind::kPointer, "a pointer");
    if (a.key == "gm_slot_tensor") gm = &scope_.value(a, Value::Kind::kView, "a tensor view");
    if (gm != nullptr && gm == &scope_.any_value(a)) continue;
    if (a.key == "c2v_consumer_buf")
      c2v = scope_.value(a, Value::Kind::kScalar, "the address of a buffer");
    else if (a.key == "v2c_consumer_buf")
      v2c = scope_.value(a, Value::Kind::kScalar, "the address of a buffer");
    else
      fail(a.place, "expected gm_slot_buffer, gm_slot_tensor, c2v_consumer_buf or "
                    "v2c_consumer_buf");
  }
  Fifo& fifo = table_.add(op, id, gm != nullptr);
  fifo.has_entries = gm != nullptr && gm->kind == Value::Kind::kView;
  fifo.has_buffer = !fifo.has_entries;
  table_.open_ends(fifo, op, gm, c2v, v2c);
  signals_.open(fifo, op.place);
  set_ffts(op.place);
}

void FifoLowering::open_handle(const Operation& op) {
  const bool through_gm = op.name == "pto.initialize_l2g2l_pipe";
  const std::size_t first = through_gm ? 1 : 0;  // where the buffers on chip begin
  if (op.arguments.empty()) fail(op, "expected the address of its buffer");
  const Value* gm = through_gm ? &scope_.any_value(op.arguments[0]) : nullptr;
  const auto buffer = [&](std::size_t i) {
    return i < op.arguments.size()
               ? scope_.value(op.arguments[i], Value::Kind::kScalar, "the address of a buffer")
               : Value();
  };
  Fifo& fifo = table_.add(op, 0, through_gm);
  fifo.is_handle = true;
  fifo.has_buffer = op.arguments.size() > first;
  const std::size_t second = fifo.directions == 3 ? first + 1 : first;
  table_.open_ends(fifo, op, gm, buffer(first), buffer(second));
  signals_.open(fifo, op.place);
  set_ffts(op.place);
  Value v{Value::Kind::kPipe};
  v.pipe = table_.index_of(fifo);
  scope_.define(op, std::move(v));
}

// On A2/A3 pipes use cross-core flags; who opens one sets their base address (ascend.md 2.6).
void FifoLowering::set_ffts(Place place) {
  const auto& code = emitter_.program().code;
  const auto sets = [](const Instruction& i) { return i.op == Opcode::kSetFfts; };
  if (!is_a5() && std::none_of(code.begin(), code.end(), sets))
    emitter_.emit(Opcode::kSetFfts, place);
}

void FifoLowering::close_all(Place place) {
  for (const Fifo& fifo : table_.all())
    for (const FifoEnd& end : fifo.ends) signals_.close(fifo, end, place);
}

// --- tiles ---

void FifoLowering::push(const Operation& op) {
  Fifo& fifo = table_.of(op);
  refuse_subblock(op);
  FifoEnd& end = table_.end_of(fifo, op, true);
  const Value* entry = scope_.find(op.arguments[0].text);
  if (entry != nullptr && entry->kind == Value::Kind::kView) {
    end.tiles.push_back({op.place, entry->type, fifo.split});
    signals_.signal_ready(fifo, end, op.place);
    return signals_.count(end, op.place);
  }
  const Value& source = scope_.tile(op.arguments[0]);
  if (is_cube() && !fifo.converts_to.empty() && source.type.element != fifo.converts_from)
    fail(op, "FIX converts ", fifo.converts_from, " here, found a tile of ", source.type.element);
  if (is_cube() && !fifo.converts_from.empty() && bits_of(source.type.element) != 32)
    fail(op, "FIX moves f32 or i32, found a tile of ", source.type.element);
  const char* expected = is_cube() ? "acc" : "vec";
  if (source.type.location != expected)
    fail(op.arguments[0].place, op.name, ": expected a tile in ", expected, ", found one in ",
         source.type.location);
  table_.note_tile(fifo, end, op, source.type);
  signals_.take_part(fifo, op.place, [&] {
    signals_.ask_for_slot(fifo, end, op.place);
    copies_.to_slot(fifo, end, op, source, signals_.slot(end, fifo.slots, op.place));
    signals_.signal_ready(fifo, end, op.place);
    signals_.count(end, op.place);
  });
}

// Only a divided pipe asks which AIV it is.
void FifoLowering::refuse_subblock(const Operation& op) const {
  for (const Argument& a : op.arguments)
    if (a.key == "aiv_subblockid" && pto::number_of(op, "split", 0, diagnostics_) == 0)
      fail(op, "aiv_subblockid is for split 1 and 2");
}

void FifoLowering::pop(const Operation& op) {
  refuse_subblock(op);
  Fifo& fifo = table_.of(op);
  FifoEnd& end = table_.end_of(fifo, op, false);
  if (!op.result_types.empty() && op.result_types[0].kind == Type::Kind::kTensorView)
    return pop_entry(op, fifo, end);
  Value slot{Value::Kind::kSlot};
  slot.pipe = table_.index_of(fifo);
  const std::int64_t ring = fifo.through_gm ? fifo.local_slots : fifo.slots;
  slot.scalar = signals_.slot(end, ring, op.place);
  const bool by_handle = op.name == "pto.tpop";
  if (by_handle && !op.results.empty()) return scope_.define(op, std::move(slot));
  const Type& type = by_handle ? scope_.tile(op.arguments[0]).type
                     : op.result_types.empty() && !op.types.empty() ? op.types[0]
                                                                    : tile_type(op);
  Value popped = pop_tile(op, fifo, type, slot.scalar);
  if (!by_handle) return scope_.define(op, std::move(popped));
  // The pop gives its address to a tile of pto.declare_tile.
  scope_.redefine(op.arguments[0].text, std::move(popped));
}

void FifoLowering::fifo_tile(const Operation& op) {
  const Value& slot = scope_.value(op.arguments[1], Value::Kind::kSlot, "what pto.tpop gives");
  scope_.define(op, pop_tile(op, table_.at(slot.pipe), tile_type(op), slot.scalar));
}

const Type& FifoLowering::tile_type(const Operation& op) const {
  if (op.result_types.empty()) fail(op.place, "expected -> and the type of the tile");
  return op.result_types[0];
}

Value FifoLowering::declared_tile(const Operation& op, const Type& type) const {
  if (type.kind != Type::Kind::kTile) fail(op.place, "expected a type !pto.tile_buf of the tile");
  if (type.location != "vec" && type.location != "mat" && op.name != "pto.declare_tile")
    fail(op, "expected a tile in vec or mat, found one in ", type.location);
  Value v = tile_of(type, op.results.empty() ? op.arguments[0].text : op.results[0].name);
  v.place.holder = Holder::kSelf;
  v.sizes = known_sizes(type);
  return v;
}

Value FifoLowering::pop_tile(const Operation& op, Fifo& fifo, const Type& type, Operand slot) {
  FifoEnd& end = table_.end_of(fifo, op, false);
  Value v = declared_tile(op, type);
  const char* expected = is_cube() ? "mat" : "vec";
  if (type.location != expected)
    fail(op, "expected a tile in ", expected, ", found one in ", type.location);
  // %t = pto.tpop_from_aic(%rows, %columns) names the valid sizes that the type leaves open.
  if (op.name.rfind("pto.tpop_from_", 0) == 0 && op.arguments.size() == 2) {
    v.sizes = {scope_.scalar(op.arguments[0]), scope_.scalar(op.arguments[1])};
    check_valid(op, v);
  }
  table_.note_tile(fifo, end, op, type);
  if (fifo.is_handle && !fifo.has_buffer) {
    v.place.address.add(context_.memory.allot(op, room_of(v.place, v.type)), 1);
  } else {
    v.place.address.add(end.buffer, 1);
    v.place.address.add(slot, fifo.slot_bytes);
  }
  signals_.take_part(fifo, op.place, [&] {
    signals_.wait_ready(fifo, end, op.place);
    if (fifo.through_gm)
      copies_.from_slot(fifo, end, op, v);
    else
      copies_.touch(end.reader, op, v);
    signals_.count(end, op.place);
  });
  end.popped = std::make_shared<Value>(v);
  return v;
}

void FifoLowering::free_slot(const Operation& op) {
  Fifo& fifo = table_.of(op);
  const FifoEnd& end = table_.end_of(fifo, op, false);
  signals_.take_part(fifo, op.place, [&] {
    if (!fifo.through_gm && end.popped) copies_.touch(end.reader, op, *end.popped);
    signals_.count_free(fifo, end, op.place);
  });
}

// --- entries ---

Value FifoLowering::entry_of(const Operation& op, const Fifo& fifo, const FifoEnd& end,
                             const Type& type) {
  if (is_a5()) fail(op, "entries that are tensors are of A2/A3; push a tile");
  if (!fifo.has_entries)
    fail(op, "pipe ", fifo.id, " has no gm_slot_tensor, expected one of its slots");
  if (type.kind != Type::Kind::kTensorView) fail(op, "expected -> !pto.tensor_view<..>");
  Value v{Value::Kind::kView, type};
  v.place = fifo.gm;
  v.place.name = op.results[0].name;
  if (element(type) != fifo.gm.element)
    fail(op, "elements of ", type.element, " in slots of ", to_string(fifo.gm.element),
         ", expected the same");
  const std::int64_t bits = cluster::bits_of(fifo.gm.element);
  const auto elements = [bits](std::int64_t bytes) { return bytes * 8 / bits; };
  std::int64_t stride = 1;
  v.place.dimensions.assign(type.shape.size(), {});
  v.sizes.assign(type.shape.size(), Operand());
  for (std::size_t d = type.shape.size(); d-- > 0;) {
    if (type.shape[d] == kDynamic || type.shape[d] > fifo.slot_bytes || stride > fifo.slot_bytes)
      fail(op, "expected sizes that are known and fit a slot of ", fifo.slot_bytes, " bytes");
    v.sizes[d] = type.shape[d];
    v.place.dimensions[d] = {type.shape[d], stride};
    stride *= type.shape[d];
  }
  if (stride > elements(fifo.slot_bytes))
    fail(op, "the entry takes ", stride * bits / 8, " bytes of a slot, which has ",
         fifo.slot_bytes);
  v.place.view_address = fifo.gm.address;
  v.place.view = {{elements(fifo.gm_bytes()), 1}};
  v.place.address.add(elements(end.first_byte), 1);
  v.place.address.add(signals_.slot(end, fifo.slots, op.place), elements(fifo.slot_bytes));
  return v;
}

void FifoLowering::alloc_entry(const Operation& op) {
  Fifo& fifo = table_.of(op);
  const FifoEnd& end = table_.end_of(fifo, op, true);
  if (op.result_types.empty()) fail(op, "expected -> !pto.tensor_view<..>");
  signals_.ask_for_slot(fifo, end, op.place);
  scope_.define(op, entry_of(op, fifo, end, op.result_types[0]));
}

void FifoLowering::pop_entry(const Operation& op, const Fifo& fifo, FifoEnd& end) {
  Value entry = entry_of(op, fifo, end, op.result_types[0]);
  end.tiles.push_back({op.place, entry.type, fifo.split});
  signals_.wait_ready(fifo, end, op.place);
  signals_.count(end, op.place);
  scope_.define(op, std::move(entry));
}

}  // namespace tessera::pto
