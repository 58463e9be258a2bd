#include "platforms/vp/bus.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "tlm_ifaces/kit/process.h"

namespace tessera::vp {

namespace {

/// The address of a payload as its target sees it; the old one again at the end.
class Translated {
 public:
  Translated(tlm::tlm_generic_payload& payload, Address base)
      : payload_(payload), address_(payload.get_address()) {
    payload.set_address(address_ - base);
  }
  ~Translated() { payload_.set_address(address_); }
  Translated(const Translated&) = delete;
  Translated& operator=(const Translated&) = delete;

 private:
  tlm::tlm_generic_payload& payload_;
  const Address address_;
};

}  // namespace

Bus::Bus(sc_core::sc_module_name name, unsigned targets, unsigned initiators)
    : sc_core::sc_module(name), in("in", initiators), serve_event_("serve_event") {
  for (unsigned i = 0; i < targets; ++i)
    windows_.emplace_back(("out_" + std::to_string(i)).c_str(), *this);
  for (unsigned i = 0; i < initiators; ++i) {
    initiators_.emplace_back(*this, i);
    in[i].bind(static_cast<tlm::tlm_fw_transport_if<>&>(initiators_.back()));
  }
  TESSERA_HAS_PROCESS(Bus);
  SC_METHOD(serve);
  sensitive << serve_event_;
  dont_initialize();
}

void Bus::map(host::TargetSocket& target, Address base, Address bytes) {
  const auto free =
      std::find_if(windows_.begin(), windows_.end(), [](const Window& w) { return w.bytes == 0; });
  const bool wraps = bytes == 0 || base + (bytes - 1) < base;
  const bool taken = std::any_of(windows_.begin(), windows_.end(), [&](const Window& w) {
    return w.bytes > 0 && base <= w.base + (w.bytes - 1) && w.base <= base + (bytes - 1);
  });
  if (wraps || taken || free == windows_.end()) {
    std::ostringstream text;
    text << name() << ": the window of " << target.name() << ", 0x" << std::hex << bytes
         << " bytes at 0x" << base
         << (wraps   ? ", is empty or wraps around"
             : taken ? ", is taken in part"
                     : ", is one more than the bus was built for");
    SC_REPORT_ERROR(kOverlapId, text.str().c_str());
    return;
  }
  free->base = base;
  free->bytes = bytes;
  free->socket.bind(target);
}

void Bus::end_of_elaboration() {
  for (host::TargetSocket& socket : in)
    host::require_bound_once(socket.get_base_port(), socket.name(), "an initiator");
  for (const Window& window : windows_)
    host::require_bound_once(window.socket.get_base_port(), window.socket.name(),
                             "a target with map()");
}

Bus::Window* Bus::find(Address address) {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [address](const Window& w) { return w.holds(address); });
  return found == windows_.end() ? nullptr : &*found;
}

void Bus::block(Payload& payload, Time& delay) {
  Window* const window = find(payload.get_address());
  if (window == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const Translated translated(payload, window->base);
  window->socket->b_transport(payload, delay);
}

unsigned Bus::debug(Payload& payload) {
  Window* const window = find(payload.get_address());
  if (window == nullptr) return 0;
  const Translated translated(payload, window->base);
  return window->socket->transport_dbg(payload);
}

bool Bus::give_direct(Payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  Window* const window = find(payload.get_address());
  if (window == nullptr) {
    dmi.set_start_address(payload.get_address());
    dmi.set_end_address(payload.get_address());
    dmi.allow_none();
    return false;
  }
  const Translated translated(payload, window->base);
  const bool given = window->socket->get_direct_mem_ptr(payload, dmi);
  const Address last = window->bytes - 1;
  dmi.set_start_address(window->base + std::min<Address>(dmi.get_start_address(), last));
  dmi.set_end_address(window->base + std::min<Address>(dmi.get_end_address(), last));
  return given;
}

void Bus::Window::invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) {
  const Address last = bytes - 1;
  if (begin > last) return;
  for (host::TargetSocket& socket : bus.in)
    socket->invalidate_direct_mem_ptr(base + begin, base + std::min<Address>(end, last));
}

}  // namespace tessera::vp
