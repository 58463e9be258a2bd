#include "platforms/qemu/guest_bridge.h"

#include <unistd.h>

#include <cmath>
#include <cstring>

#include "models/host/memory_map.h"
#include "tlm_ifaces/kit/process.h"

namespace tessera::qemu {

namespace {

// A guest that gets interrupts and has not asked for anything for so long may wait for one: the machine
// then runs on.
constexpr int kPauseMs = 20;
constexpr int kGraceMs = 5000;
const sc_core::sc_time kSlice(1, sc_core::SC_US);

}  // namespace

GuestBridge::GuestBridge(sc_core::sc_module_name name, Process& qemu, PciFunction& function,
                         const timing::ClockDomain& domain, const Config& config)
    : sc_core::sc_module(name), qemu_(qemu), function_(function), domain_(domain), config_(config),
      wire_(qemu.take_socket()) {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  TESSERA_HAS_PROCESS(GuestBridge);
  SC_THREAD(run);
  SC_METHOD(follow_irq);
  dont_initialize();
  sensitive << irq;
}

void GuestBridge::end_of_elaboration() {
  host::require_bound_once(socket.get_base_port(), std::string("guest '") + name() + "', socket",
                           "a bus or a target");
}

tlm::tlm_sync_enum GuestBridge::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}

void GuestBridge::run() {
  try {
    while (true) {
      wait_for_request();
      serve(wire_.receive());
    }
  } catch (const PeerGone& gone) {
    judge_status(gone.what());
  } catch (const WireError& error) {
    failure_ = error.what();
  }
  done_ = true;
}

void GuestBridge::wait_for_request() {
  std::uint64_t silent_ms = 0;
  while (!wire_.wait(kPauseMs, end_of_interrupt_.get())) {
    if (end_of_interrupt_.is_open() && can_read(end_of_interrupt_.get())) {
      std::uint64_t ended = 0;
      if (::read(end_of_interrupt_.get(), &ended, sizeof ended) > 0 && irq.read())
        raise();  // the cause is still there
      continue;
    }
    if (interrupt_.is_open() && !domain_.idle()) {
      run_ahead();
      silent_ms = 0;
      continue;
    }
    silent_ms += kPauseMs;
    if (silent_ms >= config_.silence_s * 1000)
      throw WireError("QEMU has asked for nothing for " + std::to_string(config_.silence_s) +
                      " seconds, and the machine is at rest; --silence sets the limit");
  }
}

// Simulated time goes on without the guest, which may sleep until an interrupt.
void GuestBridge::run_ahead() {
  while (!domain_.idle() && !wire_.wait(0)) sc_core::wait(kSlice);
}

void GuestBridge::serve(Request request) {
  std::uint64_t answer = 0;
  switch (request.command) {
  case Command::kConfigWrite:
    function_.write_config(static_cast<std::uint32_t>(request.address),
                           static_cast<std::uint32_t>(request.value), request.bytes);
    break;
  case Command::kConfigRead:
    answer = function_.read_config(static_cast<std::uint32_t>(request.address), request.bytes);
    break;
  case Command::kBarWrite:
  case Command::kBarRead:
    answer = access_bar(request);
    break;
  case Command::kInterruptLines:
    take_lines(request);
    break;
  case Command::kReset:
    reset_device();
    break;
  case Command::kRamMap:  // the device has no DMA
  case Command::kAnswer:
    break;
  }
  if (request.wants_answer()) wire_.answer(answer);
}

// An access that nobody answers reads as ones, as on a PCI bus.
std::uint64_t GuestBridge::access_bar(const Request& request) {
  const bool reads = request.command == Command::kBarRead;
  ++(reads ? reads_ : writes_);
  used_ = true;
  sc_core::wait(config_.access_time);
  unsigned char data[8];
  std::memcpy(data, &request.value, sizeof data);
  const auto address = function_.translate(request.address, request.bytes);
  const auto command = reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
  if (!request.is_memory || !address ||
      transport(command, *address, data, request.bytes) != tlm::TLM_OK_RESPONSE) {
    ++refused_;
    return ~std::uint64_t{0};
  }
  std::uint64_t value = 0;
  if (reads) std::memcpy(&value, data, request.bytes);
  return value;
}

tlm::tlm_response_status GuestBridge::transport(tlm::tlm_command command, std::uint64_t address,
                                                unsigned char* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  sc_core::wait(delay);
  return payload.get_response_status();
}

void GuestBridge::take_lines(Request& request) {
  interrupt_ = std::move(request.files[0]);
  end_of_interrupt_ = std::move(request.files[1]);
  follow_irq();
}

// QEMU resets its buses a varying number of times; only the first one after an access takes time.
void GuestBridge::reset_device() {
  function_.reset();
  if (!used_) return;
  used_ = false;
  ++resets_;
  const std::uint32_t reset = host::kReset | host::kResetMachine;
  unsigned char data[sizeof reset];
  std::memcpy(data, &reset, sizeof reset);
  transport(tlm::TLM_WRITE_COMMAND, static_cast<std::uint64_t>(host::Register::kControl), data,
            sizeof data);
}

void GuestBridge::follow_irq() {
  if (!function_.set_interrupt(irq.read())) return;
  ++interrupts_;
  raise();
}

void GuestBridge::raise() const {
  const std::uint64_t one = 1;
  if (interrupt_.is_open() && ::write(interrupt_.get(), &one, sizeof one) < 0)
    SC_REPORT_WARNING("/tessera/qemu/interrupt", "QEMU does not take an interrupt");
}

void GuestBridge::judge_status(const std::string& reason) {
  const auto status = qemu_.status(kGraceMs);
  if (!status) {
    failure_ = reason + ", but still runs";
  } else if (*status != config_.expected_status) {
    failure_ = "QEMU ended with status " + std::to_string(*status) + ", expected " +
               std::to_string(config_.expected_status) + " (--expect-exit), after " +
               std::to_string(reads_ + writes_) + " accesses to the device";
  }
}

bool GuestBridge::is_done(run::Stop stop, const observe::Waits&) {
  return stop == run::Stop::kIdle && done_;
}

std::vector<report::Check> GuestBridge::checks() const {
  report::Check check;
  check.name = "guest";
  check.passed = failure_.empty();
  check.detail = failure_;
  return {check};
}

std::string GuestBridge::describe_stop(const std::string& stopped, const report::Report&) const {
  return stopped + "; the guest has made " + std::to_string(reads_ + writes_) +
         " accesses to the device";
}

void GuestBridge::finish(report::Report& report) {
  const double end_ps = sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS);
  report.counters.insert(
      report.counters.begin(),
      {{"guest_end_ps", static_cast<std::uint64_t>(std::llround(end_ps)), "ps",
        "simulated time at the end"},
       {"guest_reads", reads_, "accesses", "of the guest to the windows of the device"},
       {"guest_writes", writes_, "accesses", "of the guest to the windows of the device"},
       {"guest_refused", refused_, "accesses", "of these, not answered by the device"},
       {"guest_resets", resets_, "resets", "of the device, such as by a reboot"},
       {"guest_interrupts", interrupts_, "interrupts", "of the device"}});
}

}  // namespace tessera::qemu
