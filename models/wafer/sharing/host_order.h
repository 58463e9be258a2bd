// A command of the host to a PE of another process: what pe::HostAccess is inside of a process, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/pe/host_copy.h"
#include "models/pe/task_unit.h"
#include "models/wafer/sharing/packet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

struct HostOrder {
  unsigned cycles = 0;  ///< as HostAccess::cycles
  std::vector<pe::HostWrite> writes;
  bool is_copy = false;
  pe::HostCopy copy;
  std::vector<std::uint32_t> words;  ///< of a copy into the PE
  bool is_told = false;              ///< somebody wants to know when the PE takes it

  void put(Packet& packet) const;
  static HostOrder get(Packet& packet);
};

/// What a PE has made of an order, in the cycle in which it took it.
struct OrderTaken {
  Cycle now = 0;
  bool is_copied = false;
  std::uint32_t address = 0;         ///< of the array
  std::vector<std::uint32_t> words;  ///< of a copy out of the PE

  void put(Packet& packet) const;
  static OrderTaken get(Packet& packet);
};

using TakenListener = std::function<void(const OrderTaken& taken)>;

/// Does the copy of an order, if there is one.
OrderTaken carry_out(const HostOrder& order, const pe::Image& image, pe::Sram& sram, Cycle now);

}  // namespace tessera::wafer
