#include "models/pe/decoded_image.h"

#include <algorithm>
#include <utility>

#include "models/pe/operation.h"
#include "models/pe/quick_scalar.h"
#include "models/pe/scoreboard.h"

namespace tessera::pe {

namespace {

Sram memory_of(const Image& image) {
  Sram memory;
  for (const Symbol& symbol : image.symbols) {
    const unsigned bytes = bytes_of(symbol.type);
    std::uint32_t address = symbol.address;
    for (std::uint32_t bits : symbol.init) {
      memory.write(address, bytes, bits);
      address += bytes;
    }
  }
  return memory;
}

std::uint32_t latency_of(OpClass op_class, const PeTiming& timing) {
  if (op_class == OpClass::kMove) return timing.move_latency;
  if (op_class == OpClass::kFloat) return timing.float_latency;
  if (op_class == OpClass::kFloatDivide) return timing.float_divide_latency;
  if (op_class == OpClass::kIntegerDivide) return timing.integer_divide_latency;
  if (op_class == OpClass::kLoad) return timing.load_latency;
  return timing.integer_latency;
}

/// Cycles of an instruction that stands for a sequence of others.
std::uint32_t cycles_of(const Instruction& in, OpClass op_class, std::uint32_t pc,
                        const PeTiming& timing) {
  switch (in.op) {
  case Opcode::kImul32:
    return timing.multiply32_cycles;
  case Opcode::kSll32:
  case Opcode::kSlr32:
  case Opcode::kSar32:
    return timing.shift32_cycles;
  case Opcode::kEq32:
  case Opcode::kLt32:
  case Opcode::kLte32:
    return timing.compare32_cycles;
  case Opcode::kLtu32:
  case Opcode::kLteu32:
    return timing.unsigned_compare32_cycles;
  case Opcode::kTsc:
    return timing.timestamp_cycles;
  case Opcode::kJmp:
  case Opcode::kJmpt:
  case Opcode::kJmpf: {
    const bool goes_back = static_cast<std::uint32_t>(in.operands[0].value) <= pc;
    return timing.branch_taken + (goes_back ? timing.branch_back : 0);
  }
  default:
    return op_class == OpClass::kBranch ? timing.branch_taken : 1;
  }
}

std::uint32_t registers_of(const Operand& operand) {
  if (operand.kind == kReg32)
    return Scoreboard::bit(operand.reg) | Scoreboard::bit(operand.reg + 1U);
  const bool has_base = operand.kind == kMem && operand.reg != kNoBase;
  return operand.kind == kReg16 || has_base ? Scoreboard::bit(operand.reg) : 0;
}

bool reads_flag(Opcode op) {
  switch (op) {
  case Opcode::kAddc16:
  case Opcode::kSel16:
  case Opcode::kSel32:
  case Opcode::kJmpt:
  case Opcode::kJmpf:
  case Opcode::kEndt:
  case Opcode::kEndf:
    return true;
  default:
    return false;
  }
}

// Registers interlock: an instruction that reads or writes one, named or implied, issues after the
// last writer of the register is done.
std::uint32_t waits_for(const Instruction& in, OpClass op_class) {
  // The counter lies in memory, so that reading it is a load (wse_timing.md A3, A4).
  const bool overlaps = in.is_vector() || op_class == OpClass::kLoad || in.op == Opcode::kTsc ||
                        (op_class == OpClass::kBranch && in.op != Opcode::kRet);
  const bool is_short =
      op_class == OpClass::kMove || op_class == OpClass::kInteger || op_class == OpClass::kCompare;
  std::uint32_t items =
      overlaps ? 0 : Scoreboard::bit(is_short ? Scoreboard::kRelease : Scoreboard::kDrain);
  for (const Operand& operand : in.operands) items |= registers_of(operand);
  if (in.config.index) items |= registers_of(*in.config.index);
  if (in.op == Opcode::kRet) items |= Scoreboard::bit(kReturnRegister);
  if (reads_flag(in.op)) items |= Scoreboard::bit(Scoreboard::kFlag);
  return items;
}

// The only operand of dfilt, in slot 0, is a source.
void find_dsrs_of_operation(DecodedInstruction& decoded, const Instruction& in) {
  const unsigned first_source = in.op == Opcode::kDfilt ? 0 : 1;
  const bool destination = first_source == 1 && in.operands[0].is_dsr();
  if (destination) decoded.dsrs.push_back(0);
  for (OperandKind file : {kSrc0, kSrc1}) {
    for (unsigned i = first_source; i < kMaxOperands; ++i) {
      const Operand& source = in.operands[i];
      if (source.kind != file) continue;
      decoded.lengths.push_back(static_cast<std::uint8_t>(i));
      const bool first = &*std::find(in.operands.begin(), in.operands.end(), source) == &source;
      if (first) decoded.dsrs.push_back(static_cast<std::uint8_t>(i));
    }
  }
  if (destination) decoded.lengths.push_back(0);
}

/// `in` must outlive the result.
DecodedInstruction decode(const Instruction& in, std::uint32_t pc, const PeTiming& timing) {
  DecodedInstruction decoded;
  decoded.instruction = &in;
  decoded.pc = pc;
  const OpcodeInfo& row = info(in.op);
  decoded.op_class = row.op_class;
  decoded.operand_count = row.operand_count;
  decoded.vector = in.is_vector();
  decoded.reads_flag = reads_flag(in.op);
  decoded.waits_for = waits_for(in, decoded.op_class);
  decoded.cycles = cycles_of(in, decoded.op_class, pc, timing);
  decoded.latency = latency_of(decoded.op_class, timing);
  if (decoded.op_class != OpClass::kBranch)
    decoded.latency = std::max(decoded.latency, decoded.cycles);
  if (decoded.vector) find_dsrs_of_operation(decoded, in);
  for (std::uint8_t i = 0; i < kMaxOperands; ++i) {
    decoded.bytes[i] = static_cast<std::uint8_t>(row.bytes(i));
    if (!decoded.vector && in.operands[i].is_dsr()) decoded.dsrs.push_back(i);
  }
  decoded.quick = quick_scalar_of(decoded);
  return decoded;
}

}  // namespace

DecodedImage::DecodedImage(std::shared_ptr<const Image> image, const PeTiming& timing)
    : image_(std::move(image)), timing_(timing), dsrs_(*image_), tasks_(*image_),
      code_size_(static_cast<std::uint32_t>(image_->code.size())),
      may_reach_routing_(image_->may_reach_routing()), memory_(memory_of(*image_)) {
  code_.reserve(code_size_);
  std::uint32_t operations = 0;
  for (std::uint32_t pc = 0; pc < code_size_; ++pc) {
    code_.push_back(decode(image_->code[pc], pc, timing));
    if (code_.back().vector) code_.back().number = operations++;
  }
  prototypes_ = std::vector<std::atomic<const Prototype*>>(operations);
  dispatched_ = std::vector<std::atomic<std::uint8_t>>(operations);
  data_begin_ = image_->task_table_bytes() + code_size_ * kInstructionBytes;
  for (const QueueBinding& queue : image_->queues) {
    const QueueBinding*& entry = queues_[queue.input].at(queue.id.value());
    if (entry == nullptr) entry = &queue;
    const bool receives = queue.color || image_->generation == Generation::kWse3;
    if (!queue.input || !receives || !image_->has_channel(queue)) continue;
    const TaskId channel = image_->channel_of(queue);
    inputs_.push_back({queue.id, task_bit(channel), tasks_.data_task(channel), &queue});
    channels_ |= task_bit(channel);
  }
}

DecodedImage::~DecodedImage() {
  for (const auto& prototype : prototypes_) delete prototype.load();
}

void DecodedImage::keep_prototype(const DecodedInstruction& in, const Prototype& prototype) const {
  auto kept = std::make_unique<const Prototype>(prototype);
  const Prototype* nobody = nullptr;
  if (prototypes_[in.number].compare_exchange_strong(nobody, kept.get())) kept.release();
}

}  // namespace tessera::pe
