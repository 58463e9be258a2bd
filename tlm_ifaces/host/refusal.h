// Why a target refused an access, in words: an extension of the base protocol that may be ignored. An
// initiator that wants to know attaches one to its payload; a host port that refuses the access fills
// it in.
#pragma once

#include <tlm>

#include <string>

namespace tessera::host {

struct Refusal : tlm::tlm_extension<Refusal> {
  std::string text;  ///< "write of 4 bytes at 0x74: it can only be read"; empty: was not refused

  tlm::tlm_extension_base* clone() const override { return new Refusal(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    text = static_cast<const Refusal&>(other).text;
  }
};

}  // namespace tessera::host
