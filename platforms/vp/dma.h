// A DMA engine: copies bytes from one address on the bus to another, one piece after the other. As a target it has
// registers, as an initiator it is approximately timed. It takes no time of its own.
//
// Registers, words of 32 bits, R and W as they say:
//   0x00  source, low and high word         RW
//   0x08  destination, low and high word    RW
//   0x10  bytes                             RW
//   0x14  control                           W   DmaControl
//   0x18  status                            R   DmaStatus
#pragma once

#include <systemc>
#include <tlm>

#include <array>
#include <cstdint>
#include <vector>

#include "platforms/vp/bus_map.h"
#include "tlm_ifaces/host/host_socket.h"
#include "tlm_ifaces/host/payload_pool.h"

namespace tessera::vp {

enum DmaControl : std::uint32_t {
  kDmaStart = 1U << 0,     ///< refused while it is busy
  kDmaToStream = 1U << 1,  ///< with kDmaStart: all words go to one address (streaming width 4)
  kDmaClear = 1U << 2,     ///< clears done and error: the interrupt falls
};
enum DmaStatus : std::uint32_t {
  kDmaBusy = 1U << 0,
  kDmaDone = 1U << 1,   ///< the interrupt line is high
  kDmaError = 1U << 2,  ///< with kDmaDone: a target refused an access, and the rest was not copied
};

class Dma : public sc_core::sc_module,
            private tlm::tlm_fw_transport_if<>,
            private tlm::tlm_bw_transport_if<> {
 public:
  static constexpr Address kBytes = 0x1C;
  /// Bytes of an access.
  static constexpr unsigned kPiece = 64;

  host::TargetSocket socket{"socket"};     ///< registers
  host::InitiatorSocket memory{"memory"};  ///< what it copies from and to
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> irq{"irq"};

  /// `access_time`: the time that an access to the registers takes for each word.
  Dma(sc_core::sc_module_name name, const sc_core::sc_time& access_time);

  /// Payloads that are under way.
  std::size_t outstanding() const { return pool_.in_use(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  enum Word : unsigned { kSource, kSourceHigh, kTarget, kTargetHigh, kCount, kControl, kStatus };

  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& payload) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void end_of_elaboration() override;

  tlm::tlm_response_status access(Payload& payload);
  tlm::tlm_response_status control(std::uint32_t bits);
  bool shows_end() const;
  void drive_irq();
  void go_on();
  void ask(tlm::tlm_command command, Address at);
  void take(Payload& payload);
  void stop(std::uint32_t status);
  Address address(Word low) const {
    return words_[low] | static_cast<Address>(words_[low + 1U]) << 32;
  }

  const sc_core::sc_time access_time_;
  std::array<std::uint32_t, kBytes / 4> words_{};
  sc_core::sc_time ended_at_;
  bool to_stream_ = false;
  std::uint32_t copied_ = 0;
  bool reads_ = false;  // the next piece is to be read
  std::vector<unsigned char> piece_;
  host::PayloadPool pool_;
  sc_core::sc_event next_;
  sc_core::sc_event irq_event_;
};

}  // namespace tessera::vp
