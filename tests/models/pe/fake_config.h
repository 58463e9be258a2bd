// The registers of a router, by hand: sixteen bits each, that keep what is written to them. They
// keep the contract of PeConfig: a write counts from its cycle on, a read gives the value at the end
// of the cycle before, and what no router of the generation has cannot be written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/fabric/registers.h"
#include "models/pe/pe_ports.h"

namespace tessera::pe::test {

class FakeConfig : public PeConfig {
 public:
  struct Write {
    config_space::Address address = 0;
    std::uint16_t value = 0;
    Cycle due = 0;
  };
  std::map<config_space::Address, std::uint16_t> initial;  ///< 0 where nothing is said
  std::vector<Write> writes;
  Generation generation = Generation::kWse3;  ///< whose rules routes obey

  std::uint16_t read_config(config_space::Address address, Cycle now) const override {
    const auto found = initial.find(address);
    std::uint16_t value = found == initial.end() ? 0 : found->second;
    for (const Write& w : writes) {
      if (w.address == address && w.due < now) value = w.value;
    }
    return value;
  }
  std::string why_illegal(config_space::Address address, std::uint16_t value) const override {
    return fabric::why_illegal(address, value, generation);
  }
  void write_config(config_space::Address address, std::uint16_t value, Cycle due) override {
    writes.push_back({address, value, due});
  }
};

}  // namespace tessera::pe::test
