#include "models/pe/dsr.h"

namespace tessera::pe {

namespace {

/// FIFOs have no descriptor in the language; an engine treats them as if they had.
Dsd descriptor_of(const Fifo& fifo) {
  Dsd dsd;
  dsd.name = fifo.name;
  dsd.kind = DsdKind::kFifo;
  dsd.simd = fifo.simd;
  dsd.priority = fifo.priority;
  return dsd;
}

}  // namespace

DsrLayout::DsrLayout(const Image& image) : image_(image) {
  for (auto& file : index_) file.fill(kUnused);
  const Changes changing = changes();
  for (const Instruction& instruction : image.code) {
    for (const Operand& operand : instruction.operands) reserve(operand, changing);
  }
  for (const InitialLoad& load : image.initial_loads) {
    reserve(load.dsr, changing);
    if (is_shared(load.dsr))
      shared_[index_of(load.dsr) - kShared].load_from(image.dsds[load.dsd], load.config);
  }
  for (const Fifo& fifo : image.fifos) {
    fifos_.push_back(descriptor_of(fifo));
    for (OperandKind file : {kDest, kSrc1}) reserve({file, fifo.dsr, 0}, changing);
  }
}

// Instructions change DSRs, operations those of FIFOs and those that save their address or go on
// element by element.
DsrLayout::Changes DsrLayout::changes() const {
  Changes changes{};
  for (const Instruction& instruction : image_.code) {
    const Operand& first = instruction.operands[0];
    if (info(instruction.op).op_class == OpClass::kDsr && first.is_dsr())
      changes[first.kind / kDest][first.reg] = true;
  }
  for (const InitialLoad& load : image_.initial_loads) {
    const OpConfig& config = load.config;
    const bool extended = config.xdsr || config.sr[0] || config.sr[1] || config.sr[2];
    if (config.save_address || config.single_step || extended)
      changes[load.dsr.kind / kDest][load.dsr.reg] = true;
  }
  for (const Fifo& fifo : image_.fifos) {
    for (OperandKind file : {kDest, kSrc1}) changes[file / kDest][fifo.dsr] = true;
  }
  return changes;
}

void DsrLayout::reserve(const Operand& operand, const Changes& changes) {
  if (!operand.is_dsr()) return;
  std::uint8_t& index = index_[operand.kind / kDest][operand.reg];
  if (index != kUnused) return;
  if (changes[operand.kind / kDest][operand.reg]) {
    index = count_++;
  } else {
    index = static_cast<std::uint8_t>(kShared + shared_.size());
    shared_.emplace_back();
  }
}

DsrFiles::DsrFiles(const DsrLayout& layout)
    : layout_(&layout),
      dsrs_(layout.count() == 0 ? nullptr : std::make_unique<Dsr[]>(layout.count())) {
  for (std::size_t i = 0; i < layout.fifos().size(); ++i) {
    const Fifo& fifo = layout.image().fifos[i];
    for (OperandKind file : {kDest, kSrc1})
      dsrs_[layout.index_of({file, fifo.dsr, 0})].dsd = &layout.fifos()[i];
    extras().fifos.emplace_back(fifo);
  }
}

DsrFiles::Extras& DsrFiles::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

unsigned DsrFiles::load(const Operand& operand, const Dsd& dsd, const OpConfig& config) {
  Dsr& dsr = own(operand);
  dsr.load_from(dsd, config);
  const bool strided = config.sr[0] || config.sr[1] || config.sr[2];
  if (!config.single_step && !config.xdsr && !strided) {
    dsr.extension.reset();
    return 1;
  }
  if (!dsr.extension) dsr.extension = std::make_unique<DsrExtension>();
  *dsr.extension = {};
  dsr.extension->remaining = dsd.extent;
  dsr.restart_walk(dsd.base);
  return 1 + take_tickets(*dsr.extension, dsd, config);
}

// Descriptors with equal loops share an XDSR, and equal strides a stride register: a load changes nothing for the others.
unsigned DsrFiles::take_tickets(DsrExtension& extension, const Dsd& dsd, const OpConfig& config) {
  Extras& last = extras();
  unsigned registers = 0;
  if (config.xdsr) {
    std::uint32_t& ticket = last.xdsrs[*config.xdsr];
    const Dsd*& loops = last.loops[*config.xdsr];
    if (loops == nullptr || !loops->has_loops_of(dsd)) ticket = ++last.last;
    loops = &dsd;
    extension.xdsr_ticket = ticket;
    ++registers;
  }
  for (std::size_t i = 0; i < config.sr.size(); ++i) {
    if (!config.sr[i]) continue;
    std::uint32_t& ticket = last.srs[*config.sr[i]];
    std::int16_t& stride = last.strides[*config.sr[i]];
    if (ticket == 0 || stride != dsd.stride_in_register(static_cast<unsigned>(i)))
      ticket = ++last.last;
    stride = dsd.stride_in_register(static_cast<unsigned>(i));
    extension.sr_tickets[i] = ticket;
    ++registers;
  }
  return registers;
}

bool DsrFiles::xdsr_lost(const Dsr& dsr) const {
  return dsr.extension && dsr.extension->xdsr_ticket != 0 &&
         extras_->xdsrs[*dsr.config->xdsr] != dsr.extension->xdsr_ticket;
}

bool DsrFiles::stride_register_lost(const Dsr& dsr) const {
  if (!dsr.extension) return false;
  for (std::size_t i = 0; i < dsr.extension->sr_tickets.size(); ++i) {
    const std::uint32_t ticket = dsr.extension->sr_tickets[i];
    if (ticket != 0 && extras_->srs[*dsr.config->sr[i]] != ticket) return true;
  }
  return false;
}

}  // namespace tessera::pe
