// Host port as a module: HostPortCore behind a TLM-2.0 target socket (base protocol) and an
// interrupt line. Any TLM-2.0 initiator can load, launch, feed and read a machine through it.
//
// LT: b_transport. An access that looks at the machine or acts on it waits until its own time
// (now + delay) is there, so a temporally decoupled initiator may call it; it must then be a thread.
// AT: nb_transport with four phases. END_REQ comes with the return of BEGIN_REQ while there is room,
// else when an earlier transaction has been answered; BEGIN_RESP after the time of the access, one
// at a time, in the order of the requests.
// DMI: the memory of a tile or an array, while the machine is at rest; what starts the machine, or
// gives an array another size, invalidates it.
// Debug transport: everywhere, disturbs nothing.
//
// An access in cycle c sees the machine at the end of c and acts on it from c + 1 on. A refused one
// takes no time.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <optional>

#include "models/host/host_port_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::host {

/// Time of accesses; nothing of it is published.
struct PortConfig {
  unsigned access_cycles = 1;    ///< a word of registers, counters, streams
  unsigned bytes_per_cycle = 4;  ///< rate of memory windows
  unsigned stream_depth = 4096;  ///< wavelets of a color that may wait in front of an edge
  unsigned request_depth = 4;    ///< AT: requests that are accepted at once
  /// Illegal behaviour of the machine is told by StatusBit::kFailed and IrqBit::kFailure, and the
  /// simulation goes on. False: it ends the simulation.
  bool survives_failures = false;
};

class HostPort : public sc_core::sc_module,
                 private tlm::tlm_fw_transport_if<>,
                 private DeviceListener {
 public:
  /// b_transport with a delay from a process that cannot wait.
  static constexpr const char* kCannotWaitId = "/tessera/host/cannot_wait";
  /// nb_transport_fw with a phase that has no place here.
  static constexpr const char* kPhaseId = "/tessera/host/phase";
  /// nb_transport_fw with a payload that nobody keeps alive until its end.
  static constexpr const char* kMemoryId = "/tessera/host/memory";

  TargetSocket socket{"socket"};
  /// High while an enabled interrupt is pending; changes one cycle after what caused it.
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> irq{"irq"};

  /// Both must outlive the port.
  HostPort(sc_core::sc_module_name name, timing::ClockDomain& domain, Device& device,
           const PortConfig& config = {});

  const HostPortCore& core() const { return core_; }
  /// Transactions that nb_transport has not finished: 0 when nothing is on its way.
  std::size_t outstanding() const { return requests_.size() + (response_ ? 1 : 0); }
  /// Time of `bytes` of memory; DMI has that of one byte.
  sc_core::sc_time memory_time(std::uint64_t bytes) const { return bytes * byte_time_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Request {
    Payload* payload;
    sc_core::sc_time at;
    bool accepted;  // END_REQ has been said
  };
  struct Response {
    Payload* payload;
    bool end_awaited;  // BEGIN_RESP has been said
  };
  struct IrqChange {
    sc_core::sc_time at;
    bool level;
  };

  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& payload) override;

  // DeviceListener
  void launch_ended(Cycle now) override;
  void stream_completed(Cycle now) override;
  void came_to_rest(Cycle now) override;

  void end_of_elaboration() override;
  void start_of_simulation() override;
  /// Sets the status of a payload that cannot be carried out.
  HostPortCore::Checked check(Payload& payload);
  void tell_why(Payload& payload, const char* why);
  bool waits_until(sc_core::sc_time& delay);
  void execute(Payload& payload, const HostPortCore::Checked& checked);
  sc_core::sc_time time_of(const Payload& payload, const HostPortCore::Checked& checked) const;
  void invalidate_direct();
  void drop_irq_changes();
  void follow_irq(Cycle now);
  void change_irq();
  Cycle cycle() const { return domain_.to_cycle(sc_core::sc_time_stamp()); }

  // nb_transport
  void serve();
  void begin_request(Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void accept_waiting();
  void answer();
  void end_response();
  void report_phase(const Payload& payload, const tlm::tlm_phase& phase) const;
  bool has_room() const;

  timing::ClockDomain& domain_;
  Device& device_;
  const PortConfig config_;
  HostPortCore core_;
  const sc_core::sc_time byte_time_;
  const sc_core::sc_time access_time_;
  bool direct_given_ = false;

  bool irq_level_ = false;
  std::deque<IrqChange> irq_changes_;
  sc_core::sc_event irq_event_;

  std::deque<Request> requests_;  // by time, then as they came
  std::optional<Response> response_;
  sc_core::sc_time respond_at_;
  bool looked_again_ = false;
  sc_core::sc_event serve_event_;
};

}  // namespace tessera::host
