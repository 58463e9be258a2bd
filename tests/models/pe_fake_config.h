// The registers of a router, by hand: sixteen bits each, that keep what is written to them. They
// keep the contract of PeConfig: a write counts from its cycle on, a read gives the value at the end
// of the cycle before.
#pragma once

#include <map>
#include <vector>

#include "models/pe/pe_config.h"

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

  std::uint16_t read_config(config_space::Address address, Cycle now) const override {
    const auto found = initial.find(address);
    std::uint16_t value = found == initial.end() ? 0 : found->second;
    for (const Write& w : writes) {
      if (w.address == address && w.due < now) value = w.value;
    }
    return value;
  }
  void write_config(config_space::Address address, std::uint16_t value, Cycle due) override {
    writes.push_back({address, value, due});
  }
};

}  // namespace tessera::pe::test
