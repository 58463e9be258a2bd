// A platform as a stranger writes it: a processor that is a thread, a bus of simple sockets, a fabric and AI cores
// behind their host ports. The driver loads by DMI, resets the fabric in the middle of a GEMV, and
// does it again; the simulation runs in slices. my_prototype LAYOUT KERNEL
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "platforms/vp/accelerator.h"
#include "tlm_ifaces/host/refusal.h"

using namespace tessera;

constexpr std::uint64_t kWindow = std::uint64_t{1} << 40;  // bytes on the bus for each accelerator

struct Bus : sc_core::sc_module {
  tlm_utils::simple_target_socket<Bus> in{"in"};
  tlm_utils::simple_initiator_socket_tagged<Bus> out0{"out0"}, out1{"out1"};

  explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
    in.register_b_transport(this, &Bus::b_transport);
    in.register_get_direct_mem_ptr(this, &Bus::get_direct);
    out0.register_invalidate_direct_mem_ptr(this, &Bus::invalidate, 0);
    out1.register_invalidate_direct_mem_ptr(this, &Bus::invalidate, 1);
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t address = p.get_address();
    p.set_address(address % kWindow);
    address < kWindow ? out0->b_transport(p, delay) : out1->b_transport(p, delay);
    p.set_address(address);
  }
  bool get_direct(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    const std::uint64_t address = p.get_address(), base = address / kWindow * kWindow;
    p.set_address(address % kWindow);
    const bool given =
        base == 0 ? out0->get_direct_mem_ptr(p, dmi) : out1->get_direct_mem_ptr(p, dmi);
    p.set_address(address);
    dmi.set_start_address(base + dmi.get_start_address());
    dmi.set_end_address(base + std::min<std::uint64_t>(dmi.get_end_address(), kWindow - 1));
    return given;
  }
  void invalidate(int port, sc_dt::uint64 begin, sc_dt::uint64 end) {
    const std::uint64_t base = port == 0 ? 0 : kWindow;
    in->invalidate_direct_mem_ptr(base + begin, base + std::min<sc_dt::uint64>(end, kWindow - 1));
  }
};

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}
std::uint32_t bits(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, 4);
  return word;
}

struct Processor : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
  sc_core::sc_in<bool> irq0{"irq0"}, irq1{"irq1"};
  const host::DeviceInfo* fabric = nullptr;
  std::uint32_t a_address = 0;
  unsigned invalidated = 0;
  bool done = false;
  std::string failure;

  explicit Processor(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_invalidate_direct_mem_ptr(this, &Processor::invalidate);
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }
  void invalidate(sc_dt::uint64, sc_dt::uint64) { ++invalidated; }

  std::vector<std::uint32_t> access(tlm::tlm_command command, std::uint64_t at,
                                    std::vector<std::uint32_t> words, std::string* why = nullptr) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(at);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
    p.set_data_length(static_cast<unsigned>(4 * words.size()));
    p.set_streaming_width(p.get_data_length());
    host::Refusal refusal(p);
    sc_core::sc_time delay;
    socket->b_transport(p, delay);
    wait(delay);
    if (why != nullptr) *why = refusal.text;
    require(p.is_response_ok() || why != nullptr, "refused: " + refusal.text);
    return words;
  }
  void write(std::uint64_t at, std::vector<std::uint32_t> words) {
    access(tlm::TLM_WRITE_COMMAND, at, std::move(words));
  }
  std::vector<std::uint32_t> read(std::uint64_t at, std::size_t words) {
    return access(tlm::TLM_READ_COMMAND, at, std::vector<std::uint32_t>(words));
  }
  std::uint64_t channel(int x, int y, Direction side, unsigned color) const {
    for (std::size_t e = 0; e < fabric->edges.size(); ++e)
      if (fabric->edges[e].tile == TileCoord{x, y} && fabric->edges[e].side == side)
        return host::kStreamBase + e * host::kEdgeStride + color * host::kChannelStride;
    throw std::runtime_error("no such edge");
  }

  unsigned char* direct(std::uint64_t tile) {
    tlm::tlm_generic_payload p;
    p.set_write();
    p.set_address(host::kMemoryBase + tile * host::kTileStride);
    tlm::tlm_dmi dmi;
    require(socket->get_direct_mem_ptr(p, dmi), "no DMI at rest");
    return dmi.get_dmi_ptr();
  }

  // A = 1, 2, 3, 4 in every tile by DMI, x = 1, b = 10 and 20: y = 26 and 44 in each row.
  void begin_gemv() {
    for (std::uint64_t t = 0; t < 12; ++t) {
      const float a[4] = {1, 2, 3, 4};
      std::memcpy(direct(t) + a_address, a, sizeof a);
    }
    write(0x50, {host::kStreamDone});
    for (int y = 0; y < 3; ++y) write(channel(3, y, Direction::kEast, 2) + 0x54, {2});
    write(host::kDoorbellBase, {1});
    for (int x = 0; x < 4; ++x) write(channel(x, 0, Direction::kNorth, 0), {bits(1), bits(1)});
  }
  void gemv() {
    begin_gemv();
    for (int y = 0; y < 3; ++y) write(channel(0, y, Direction::kWest, 2), {bits(10), bits(20)});
    while (!irq0.read()) wait(irq0.value_changed_event());
    for (int y = 0; y < 3; ++y)
      require(read(channel(3, y, Direction::kEast, 2), 2) ==
                  std::vector<std::uint32_t>{bits(26), bits(44)},
              "y is wrong");
  }
  void work() {
    wait(1, sc_core::SC_US);  // the engines have come to rest
    gemv();
    const std::uint64_t a0 = host::kMemoryBase + a_address;
    require(std::memcmp(direct(0) + a_address, read(a0, 4).data(), 16) == 0,
            "DMI shows other bytes");
    const unsigned before = invalidated;
    write(0x40, {host::kResetMachine});
    require(invalidated > before, "DMI was not taken back");
    require(read(a0, 4) == std::vector<std::uint32_t>(4), "memory was not cleared");
    wait(1, sc_core::SC_US);
    begin_gemv();  // the half of it
    wait(17, sc_core::SC_NS);
    // The other accelerator does its work meanwhile.
    write(kWindow + 0x50, {host::kLaunchDone});
    write(kWindow + host::kArrayBase + 0x30, {256});
    write(kWindow + host::kMemoryBase, {bits(1.5F), bits(-2)});
    write(kWindow + host::kDoorbellBase, {1});
    write(0x40, {host::kResetMachine});
    wait(1, sc_core::SC_US);
    gemv();
    while (!irq1.read()) wait(irq1.value_changed_event());
    require(read(kWindow + host::kMemoryBase + host::kArrayStride, 2) ==
                std::vector<std::uint32_t>{bits(3), bits(-4)},
            "the AI cores are wrong");
    std::string why;
    access(tlm::TLM_WRITE_COMMAND, 0x44, {1}, &why);
    require(why == "write of 4 bytes at 0x44: it can only be read", why);
  }
  void run() {
    try {
      work();
    } catch (const std::exception& e) {
      failure = e.what();
    }
    done = true;
  }
};

int run_platform(const std::string& layout, const std::string& kernel) {
  vp::Options options;
  const auto fabric = vp::build_accelerator(options, {"wse", layout, ""});
  const auto cores = vp::build_accelerator(options, {"ascend", kernel, ""});
  host::HostPort port0("port0", fabric->domain(), fabric->device());
  host::HostPort port1("port1", cores->domain(), cores->device());
  Bus bus("bus");
  Processor processor("processor");
  processor.fabric = &fabric->device().info();
  processor.a_address = fabric->find_symbol({0, 0}, "A").value();
  sc_core::sc_signal<bool> irq0("irq0"), irq1("irq1");
  processor.socket.bind(bus.in);
  bus.out0.bind(port0.socket);
  bus.out1.bind(port1.socket);
  port0.irq.bind(irq0);
  port1.irq.bind(irq1);
  processor.irq0.bind(irq0);
  processor.irq1.bind(irq1);
  unsigned slices = 0;
  while (!processor.done && slices < 100'000) {
    sc_core::sc_start(7, sc_core::SC_NS);
    ++slices;
  }
  if (!processor.failure.empty() || !processor.done) {
    std::cerr << "failed: " << processor.failure << '\n';
    return 1;
  }
  std::cout << "both are right after a reset in the middle\n";
  return 0;
}

int sc_main(int argc, char* argv[]) {
  if (argc != 3) return 2;
  return cli::run_guarded("my_prototype", [&] { return run_platform(argv[1], argv[2]); });
}
