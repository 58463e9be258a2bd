#include "models/wafer/sharing/host_order.h"

namespace tessera::wafer {

void HostOrder::put(Packet& packet) const {
  packet.put(cycles);
  packet.put_all(writes);
  packet.put(is_copy);
  packet.put(copy);
  packet.put_all(words);
  packet.put(is_told);
}

HostOrder HostOrder::get(Packet& packet) {
  HostOrder order;
  order.cycles = packet.get<unsigned>();
  order.writes = packet.get_all<pe::HostWrite>();
  order.is_copy = packet.get<bool>();
  order.copy = packet.get<pe::HostCopy>();
  order.words = packet.get_all<std::uint32_t>();
  order.is_told = packet.get<bool>();
  return order;
}

void OrderTaken::put(Packet& packet) const {
  packet.put(now);
  packet.put(is_copied);
  packet.put(address);
  packet.put_all(words);
}

OrderTaken OrderTaken::get(Packet& packet) {
  OrderTaken taken;
  taken.now = packet.get<Cycle>();
  taken.is_copied = packet.get<bool>();
  taken.address = packet.get<std::uint32_t>();
  taken.words = packet.get_all<std::uint32_t>();
  return taken;
}

OrderTaken carry_out(const HostOrder& order, const pe::Image& image, pe::Sram& sram, Cycle now) {
  OrderTaken taken;
  taken.now = now;
  if (!order.is_copy) return taken;
  const pe::HostCopy& copy = order.copy;
  taken.address = sram.read(copy.pointer, 2);
  taken.is_copied = copy.may_be_made(image, taken.address);
  if (!taken.is_copied) return taken;
  if (!copy.into_pe) taken.words.resize(copy.elements);
  for (std::uint32_t i = 0; i < copy.elements; ++i) {
    const std::uint32_t at = taken.address + i * copy.element_bytes;
    if (copy.into_pe) {
      sram.write(at, copy.element_bytes, order.words[i]);
    } else {
      taken.words[i] = sram.read(at, copy.element_bytes);
    }
  }
  return taken;
}

}  // namespace tessera::wafer
