// Data structure registers (reference wse.md 5.11): the descriptors as the vector instructions see
// them, the extended DSRs and the stride registers.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/pe/address_walk.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

struct Dsr {
  const Dsd* dsd = nullptr;    ///< what was loaded; nullptr: nothing, or a FIFO
  const Fifo* fifo = nullptr;  ///< for the life of the program
  std::uint8_t fifo_index = 0;
  const OpConfig* config = nullptr;  ///< options of the load
  // What the program may change in place:
  std::uint16_t base = 0;    ///< byte address; of a circbuf the head
  std::uint32_t extent = 0;  ///< elements; of a FIFO the read or write length
  std::int16_t stride = 1;   ///< elements
  /// Elements that a terminated operation on the FIFO left; 0: none.
  std::uint32_t left = 0;
  /// single_step: where it stands and how much is to come.
  AddressWalk walk;
  std::uint32_t remaining = 0;
  std::uint8_t held = 0;      ///< as Cursor::held, of a wavelet that a step began
  std::uint32_t wavelet = 0;  ///< as Cursor::wavelet

  std::uint32_t load = 0;         ///< counts loads and changes of the address
  std::uint32_t xdsr_ticket = 0;  ///< of the load of its XDSR; 0: has none
  std::array<std::uint32_t, 3> sr_tickets{};
  Cycle ready_at = 0;  ///< load-to-use (wse.md 6.5)

  bool loaded() const { return dsd != nullptr || fifo != nullptr; }
  DsdKind kind() const { return fifo != nullptr ? DsdKind::kFifo : dsd->kind; }
  const std::string& name() const { return fifo != nullptr ? fifo->name : dsd->name; }
  bool single_step() const { return config != nullptr && config->single_step; }
  bool endless() const {
    return extent == kEndless && (kind() == DsdKind::kFabin || kind() == DsdKind::kFabout);
  }
  std::uint32_t length() const { return left != 0 ? left : extent; }
  /// Where the next operation begins; of memory.
  std::uint32_t address() const { return single_step() ? walk.address() : base; }
};

/// The three files dest, src0, src1, each as long as the program uses it, and who loaded the XDSRs
/// and stride registers last.
class DsrFiles {
 public:
  /// FIFOs are in their DSRs from the start.
  explicit DsrFiles(const Image& image) {
    for (const Instruction& instruction : image.code) {
      for (const Operand& operand : instruction.operands) reserve(operand);
    }
    for (const InitialLoad& load : image.initial_loads) reserve(load.dsr);
    for (std::size_t i = 0; i < image.fifos.size(); ++i) {
      for (OperandKind file : {kDest, kSrc1}) {
        const Operand operand{file, image.fifos[i].dsr, 0};
        reserve(operand);
        (*this)[operand].fifo = &image.fifos[i];
        (*this)[operand].fifo_index = static_cast<std::uint8_t>(i);
      }
    }
  }
  /// Requires operand.is_dsr() and that the operand occurs in the image.
  Dsr& operator[](const Operand& operand) {
    auto& file = files_[file_of(operand.kind)];
    assert(operand.reg < file.size());
    return file[operand.reg];
  }
  const Dsr& operator[](const Operand& operand) const {
    return const_cast<DsrFiles&>(*this)[operand];
  }

  /// Puts `dsd` into the register; answers how many registers that loads (the DSR, an XDSR, stride
  /// registers).
  unsigned load(const Operand& operand, const Dsd& dsd, const OpConfig& config) {
    Dsr& dsr = (*this)[operand];
    dsr.dsd = &dsd;
    dsr.config = &config;
    dsr.base = dsd.base;
    dsr.extent = dsd.extent;
    dsr.stride = dsd.strides[0];
    dsr.remaining = dsd.extent;
    dsr.held = 0;
    dsr.wavelet = 0;
    dsr.walk = AddressWalk(dsd, dsd.base, dsd.strides[0]);
    dsr.xdsr_ticket = 0;
    dsr.sr_tickets = {};
    ++dsr.load;
    unsigned registers = 1;
    if (config.xdsr) {
      dsr.xdsr_ticket = xdsrs_[*config.xdsr] = ++tickets_;
      ++registers;
    }
    for (std::size_t i = 0; i < config.sr.size(); ++i) {
      if (!config.sr[i]) continue;
      dsr.sr_tickets[i] = srs_[*config.sr[i]] = ++tickets_;
      ++registers;
    }
    return registers;
  }
  /// Whether the XDSR, or a stride register, of `dsr` has been loaded for another DSR since.
  bool xdsr_lost(const Dsr& dsr) const {
    return dsr.xdsr_ticket != 0 && xdsrs_[*dsr.config->xdsr] != dsr.xdsr_ticket;
  }
  bool stride_register_lost(const Dsr& dsr) const {
    for (std::size_t i = 0; i < dsr.sr_tickets.size(); ++i) {
      if (dsr.sr_tickets[i] != 0 && srs_[*dsr.config->sr[i]] != dsr.sr_tickets[i]) return true;
    }
    return false;
  }

 private:
  static unsigned file_of(OperandKind kind) { return kind == kDest ? 0 : kind == kSrc0 ? 1 : 2; }
  void reserve(const Operand& operand) {
    if (!operand.is_dsr()) return;
    auto& file = files_[file_of(operand.kind)];
    if (file.size() <= operand.reg) file.resize(operand.reg + 1U);
  }

  std::array<std::vector<Dsr>, 3> files_;
  std::array<std::uint32_t, kXdsrCount> xdsrs_{};
  std::array<std::uint32_t, kStrideRegisterCount> srs_{};
  std::uint32_t tickets_ = 0;
};

}  // namespace tessera::pe
