// A small bus: any number of initiators and targets, found by address. The bus itself takes no time; that of
// an access is the target's.
//
// LT: b_transport, debug transport and DMI with addresses translated both ways.
// AT: nb_transport with four phases. A target gets one request at a time, the next after its END_REQ, and an
// initiator one response at a time, the next after its END_RESP: in the order of their times, then by
// the number of the initiator, then as they came. What cannot go on waits here, as long as it takes.
#pragma once

#include <systemc>
#include <tlm>

#include <cstddef>
#include <deque>
#include <list>

#include "platforms/vp/bus_map.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class Bus : public sc_core::sc_module {
 public:
  /// Two targets want one address, or a window wraps around.
  static constexpr const char* kOverlapId = "/tessera/vp/overlap";
  /// nb_transport with a phase that has no place here.
  static constexpr const char* kPhaseId = "/tessera/vp/phase";

  sc_core::sc_vector<host::TargetSocket> in;  ///< to the initiators

  /// A bus for so many targets, which have to be mapped before the simulation starts.
  Bus(sc_core::sc_module_name name, unsigned targets, unsigned initiators = 1);

  /// Binds a target; it sees addresses from 0 on.
  void map(host::TargetSocket& target, Address base, Address bytes);
  /// Transactions of nb_transport that are under way.
  std::size_t outstanding() const { return open_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  using Phase = tlm::tlm_phase;
  using Time = sc_core::sc_time;
  struct Window;
  /// One of nb_transport.
  struct Transaction {
    Payload* payload;
    unsigned initiator;
    Window* window;
    Address address;    // as the initiator gave it
    Time at;            // when it may go to the target, then: back to the initiator
    bool ends = false;  // the target waits for END_RESP
  };
  /// One target: its window, and the way back from it.
  struct Window : tlm::tlm_bw_transport_if<> {
    Window(const char* name, Bus& owner) : bus(owner), socket(name) {
      socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
    bool holds(Address address) const { return address >= base && address - base < bytes; }
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, Time& delay) override {
      return bus.backward(*this, payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override;

    Bus& bus;
    Address base = 0;
    Address bytes = 0;  // 0: not mapped yet
    host::InitiatorSocket socket;
    std::deque<Transaction*> requests;
    Transaction* asked = nullptr;  // transaction whose END_REQ has not come
  };
  /// What an initiator calls.
  struct Initiator : tlm::tlm_fw_transport_if<> {
    Initiator(Bus& owner, unsigned index) : bus(owner), number(index) {}
    void b_transport(Payload& payload, Time& delay) override { bus.block(payload, delay); }
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, Time& delay) override {
      return bus.forward(*this, payload, phase, delay);
    }
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
      return bus.give_direct(payload, dmi);
    }
    unsigned transport_dbg(Payload& payload) override { return bus.debug(payload); }

    Bus& bus;
    const unsigned number;
    std::deque<Transaction*> responses;
    Transaction* answered = nullptr;  // transaction whose END_RESP has not come
  };

  void end_of_elaboration() override;
  Window* find(Address address);
  // LT
  void block(Payload& payload, Time& delay);
  bool give_direct(Payload& payload, tlm::tlm_dmi& dmi);
  unsigned debug(Payload& payload);
  // AT
  tlm::tlm_sync_enum forward(Initiator& from, Payload& payload, Phase& phase, const Time& delay);
  tlm::tlm_sync_enum begin(const Initiator& from, Payload& payload, const Time& delay);
  tlm::tlm_sync_enum backward(Window& from, Payload& payload, const Phase& phase,
                              const Time& delay);
  void serve();
  void ask(Window& window);
  void end_request(const Transaction& transaction, const Time& delay);
  void take_response(Transaction& transaction, const Time& delay, bool ends);
  void answer(Initiator& initiator);
  void finish(Initiator& initiator, const Time& delay);
  Transaction* find(const Payload& payload, const Window& window);
  void report_phase(const Payload& payload, const Phase& phase) const;

  std::deque<Window> windows_;
  std::deque<Initiator> initiators_;
  std::list<Transaction> open_;
  sc_core::sc_event serve_event_;
};

}  // namespace tessera::vp
