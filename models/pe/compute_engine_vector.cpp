// DSD operations (reference wse.md 4, 5.7, 5.8, 6.3): dispatch, one group at a time, completion.
#include <algorithm>

#include "models/pe/arithmetic.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

void ComputeEngineCore::dispatch(const Instruction& in, Cycle now) {
  Operation op;
  op.instruction = &in;
  op.pc = main_.pc - 1;
  const unsigned operands = info(in.op).operand_count;
  for (unsigned i = 0; i < operands; ++i) op.cursors[i] = make_cursor(in.operands[i], i == 0);
  const Cursor& destination = op.cursors[0];
  for (unsigned i = 1; i < operands; ++i) {
    const Cursor& source = op.cursors[i];
    op.accumulates |=
        destination.is_register && source.is_register && source.reg == destination.reg;
  }
  if (in.config.async) op.thread = microthread_for(op);
  check_sources(op);
  require_free(op);
  set_length(op, in);
  set_rate(op);
  op.next_group_at = now + timing_.vector_start;
  probe_.emit(now, EventKind::kOpStart, static_cast<unsigned>(in.op) | op.thread << 8, op.length);
  operations_.push_back(op);
}

Cursor ComputeEngineCore::make_cursor(const Operand& operand, bool destination) {
  Cursor cursor;
  if (!operand.is_dsr()) {
    cursor.kind = Cursor::Kind::kScalar;
    cursor.is_register = operand.kind != kImm;
    cursor.reg = operand.reg;
    cursor.value = read_operand(operand);
    return cursor;
  }
  const Dsr& dsr = dsrs_[operand];
  const std::uint32_t pc = main_.pc - 1;
  if (dsr.load == 0) fail(pc, "a DSR is used that no lddsr has loaded");
  const Dsd& dsd = dsr.dsd;
  if (dsd.kind != DsdKind::kMem1d) {
    if (destination != (dsd.kind == DsdKind::kFabout)) {
      fail(pc, "descriptor '" + dsd.name + "' cannot be " +
                   (destination ? "a destination: it is a fabin" : "a source: it is a fabout"));
    }
    cursor.kind = Cursor::Kind::kFabric;
    cursor.queue = dsd.queue;
    cursor.color = dsd.color;
    return cursor;
  }
  const unsigned bytes = info(image_->code[pc].op).element_bytes;
  if (dsd.element_bytes != bytes) {
    fail(pc, "the instruction works on elements of " + std::to_string(bytes) +
                 " bytes, descriptor '" + dsd.name + "' has elements of " +
                 std::to_string(dsd.element_bytes));
  }
  cursor.kind = Cursor::Kind::kMemory;
  cursor.load = dsr.load;
  cursor.address = dsd.base;
  cursor.step = dsd.stride * static_cast<int>(bytes);
  return cursor;
}

namespace {

// Slots of the operands in the order of wse.md 4 and 5.8: source 0 DSRs, source 1 DSRs, others.
template <class Visit>
void for_each_source_dsr(const Instruction& in, Visit&& visit) {
  for (OperandKind file : {kSrc0, kSrc1}) {
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (in.operands[i].kind == file) visit(i);
    }
  }
}

}  // namespace

// wse.md 5.8: the first source with a length, else the destination, else one element.
void ComputeEngineCore::set_length(Operation& op, const Instruction& in) {
  std::uint16_t extent = 0;
  for_each_source_dsr(in, [&](unsigned i) {
    if (extent == 0) extent = dsrs_[in.operands[i]].dsd.extent;
  });
  if (extent == 0 && in.operands[0].is_dsr()) extent = dsrs_[in.operands[0]].dsd.extent;
  op.length = extent == 0 ? 1 : extent;
  op.endless = extent == kEndless;
}

void ComputeEngineCore::set_rate(Operation& op) {
  const VectorRate& rate = timing_.rate[static_cast<unsigned>(op.instruction->op)];
  op.width = rate.width;
  op.interval = rate.interval;
  // A queue hands over one wavelet a cycle; a register takes one element (wse.md 6.4).
  const bool one_by_one = op.cursors[0].kind == Cursor::Kind::kScalar ||
                          std::any_of(op.cursors.begin(), op.cursors.end(), [](const Cursor& c) {
                            return c.kind == Cursor::Kind::kFabric;
                          });
  if (one_by_one) {
    op.interval = (rate.interval + rate.width - 1) / rate.width;
    op.width = 1;
  }
  op.duration = op.interval;
  if (op.accumulates) {  // each element waits for the result of the one before (wse.md 6.4)
    const bool is_float = info(op.instruction->op).op_class == OpClass::kFloat;
    op.interval = std::max(op.interval, is_float ? timing_.float_latency : timing_.integer_latency);
  }
}

// wse.md 4: an explicit id, else that of the first fabric operand's queue in the order destination,
// source 0, source 1.
ThreadId ComputeEngineCore::microthread_for(const Operation& op) const {
  if (op.cursors[0].kind == Cursor::Kind::kScalar) {
    fail(op.pc, "an asynchronous operation cannot have a register as its destination");
  }
  const Cursor* fabric = op.cursors[0].kind == Cursor::Kind::kFabric ? &op.cursors[0] : nullptr;
  for_each_source_dsr(*op.instruction, [&](unsigned i) {
    if (fabric == nullptr && op.cursors[i].kind == Cursor::Kind::kFabric) fabric = &op.cursors[i];
  });
  if (fabric != nullptr) {
    return op.instruction->config.ut ? op.instruction->config.ut->value() : fabric->queue.value();
  }
  fail(op.pc, "an asynchronous operation needs a fabin or fabout operand");
}

// wse.md 5.5: WSE-3 takes one fabric-in operand. Two that read one queue would each get half of it.
void ComputeEngineCore::check_sources(const Operation& op) const {
  const Cursor* first = nullptr;
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric) continue;
    if (first == nullptr) {
      first = &source;
      continue;
    }
    if (image_->generation == Generation::kWse3) {
      fail(op.pc, "two sources are fabin descriptors; an operation of WSE-3 takes one");
    }
    if (source.queue == first->queue) {
      fail(op.pc, "both fabin sources read input queue " + std::to_string(source.queue.value()));
    }
  }
}

void ComputeEngineCore::require_free(const Operation& op) const {
  for (const Operation& other : operations_) {
    if (other.thread == op.thread) {
      fail(op.pc,
           "microthread " + std::to_string(op.thread) + " is still busy with " + describe(other));
    }
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      const QueueId queue(q);
      if (op.uses_input(queue) && other.uses_input(queue)) {
        fail(op.pc, "input queue " + std::to_string(q) + " is still read by " + describe(other));
      }
      if (op.uses_output(queue) && other.uses_output(queue)) {
        fail(op.pc,
             "output queue " + std::to_string(q) + " is still written by " + describe(other));
      }
    }
  }
}

bool ComputeEngineCore::operands_ready(const Operation& op, Cycle now) const {
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFabric && queues_.room(destination.queue, now) == 0)
    return false;
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind == Cursor::Kind::kFabric && queues_.ready_at(source.queue) > now) return false;
  }
  return true;
}

unsigned ComputeEngineCore::group_size(const Operation& op) const {
  return op.endless ? op.width : std::min(op.width, op.length - op.done);
}

void ComputeEngineCore::execute_group(Operation& op, Cycle now) {
  const unsigned elements = group_size(op);
  const Opcode opcode = op.instruction->op;
  const unsigned bytes = info(opcode).element_bytes;
  for (unsigned i = 0; i < elements; ++i) {
    const std::uint32_t a = read_element(op, op.cursors[1], bytes, now);
    const std::uint32_t b = read_element(op, op.cursors[2], bytes, now);
    const std::uint32_t c = read_element(op, op.cursors[3], bytes, now);
    write_element(op, evaluate(opcode, a, b, c), bytes, now);
    ++op.done;
  }
  op.next_group_at = now + op.interval;
  if (op.complete()) op.finish_at = now + op.duration - 1;
  probe_.emit(now, EventKind::kCompute, static_cast<unsigned>(opcode) | op.thread << 8, elements);
}

std::uint32_t ComputeEngineCore::read_element(Operation& op, Cursor& cursor, unsigned bytes,
                                              Cycle now) {
  switch (cursor.kind) {
  case Cursor::Kind::kNone:
    return 0;
  case Cursor::Kind::kScalar: {
    const bool running = op.accumulates && cursor.is_register && cursor.reg == op.cursors[0].reg;
    return running ? op.cursors[0].value : cursor.value;
  }
  case Cursor::Kind::kFabric: {
    const link::Wavelet& w = queues_.front(cursor.queue);
    if (w.control) {
      fail(op.pc, "a control wavelet reached input queue " + std::to_string(cursor.queue.value()) +
                      ", where the operation expects data");
    }
    const std::uint32_t payload = w.payload;
    queues_.pop(cursor.queue, now);
    return payload;
  }
  case Cursor::Kind::kMemory:
    break;
  }
  if (!Sram::accepts(cursor.address, bytes)) {
    fail(op.pc, "the operation reads address " + std::to_string(cursor.address) + " in element " +
                    std::to_string(op.done) + "; SRAM has words of 2 bytes at 0.." +
                    std::to_string(kSramBytes - 1));
  }
  const std::uint32_t value = sram_.read(cursor.address, bytes);
  cursor.address += static_cast<std::uint32_t>(cursor.step);
  return value;
}

void ComputeEngineCore::write_element(Operation& op, std::uint32_t value, unsigned bytes,
                                      Cycle now) {
  Cursor& cursor = op.cursors[0];
  if (cursor.kind == Cursor::Kind::kScalar) {
    cursor.value = value;
    return;
  }
  if (cursor.kind == Cursor::Kind::kFabric) {
    link::Wavelet w;
    w.payload = value;
    w.color = cursor.color;
    w.ident = (std::uint64_t{probe_.place()} + 1) << 32 | wavelets_sent_++;
    queues_.push(cursor.queue, w, now);
    return;
  }
  if (!Sram::accepts(cursor.address, bytes)) {
    fail(op.pc, "the operation writes address " + std::to_string(cursor.address) + " in element " +
                    std::to_string(op.done) + "; SRAM has words of 2 bytes at 0.." +
                    std::to_string(kSramBytes - 1));
  }
  check_store(op.pc, cursor.address);
  sram_.write(cursor.address, bytes, value);
  cursor.address += static_cast<std::uint32_t>(cursor.step);
}

// What outlives the operation: saved addresses (wse.md 5.11) and the last value of a register
// destination.
void ComputeEngineCore::write_back(Operation& op, Cycle now) {
  for (unsigned i = 0; i < kMaxOperands; ++i) {
    const Operand& operand = op.instruction->operands[i];
    if (!operand.is_dsr() || op.cursors[i].kind != Cursor::Kind::kMemory) continue;
    Dsr& dsr = dsrs_[operand];
    const bool reloaded = dsr.load != op.cursors[i].load;  // while the operation was running
    if (dsr.save_address && !reloaded)
      dsr.dsd.base = static_cast<std::uint16_t>(op.cursors[i].address);
  }
  if (op.cursors[0].kind == Cursor::Kind::kScalar) {
    write_register(op.instruction->operands[0], op.cursors[0].value, now + 1);
  }
}

std::string ComputeEngineCore::describe(const Operation& op) const {
  const std::string who =
      op.thread == kMainThread ? "main thread" : "microthread " + std::to_string(op.thread);
  return who + ", " + std::string(info(op.instruction->op).mnemonic) + " at " +
         image_->place_of(op.pc);
}

std::string ComputeEngineCore::progress_of(const Operation& op, Cycle now) const {
  std::string what = "its turn";
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFabric && queues_.room(destination.queue, now) == 0) {
    what = "room in output queue " + std::to_string(destination.queue.value()) + " (color " +
           std::to_string(destination.color.value()) + ")";
  }
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || queues_.ready_at(source.queue) <= now) continue;
    const QueueBinding* binding = image_->find_queue(true, source.queue);
    what = "a wavelet on input queue " + std::to_string(source.queue.value());
    if (binding != nullptr && binding->color) {
      what += " (color " + std::to_string(binding->color->value()) + ")";
    }
  }
  const std::string length = op.endless ? "" : " of " + std::to_string(op.length);
  return what + "; " + std::to_string(op.done) + length + " elements done";
}

}  // namespace tessera::pe
