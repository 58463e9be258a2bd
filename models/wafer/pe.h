// A PE of a wafer: its compute engine, and where its queues and the ways through its on-ramp stand
// in the arrays of the wafer. It is what the engine sees of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/pe/compute_engine_core.h"
#include "models/pe/pe_config.h"
#include "models/pe/pe_queues.h"
#include "models/wafer/slot.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

class WaferCore::Pe final : public pe::PeQueues, public pe::PeConfig {
 public:
  Pe(WaferCore& wafer, std::uint32_t place, TileCoord at,
     std::shared_ptr<const pe::DecodedImage> program, const QueueMap& map,
     observe::EventStream* events);

  // pe::PeQueues
  Cycle ready_at(QueueId q) const override;
  unsigned available(QueueId q, Cycle now) const override;
  std::uint32_t readable(std::uint32_t asked, Cycle) const override {
    return asked & with_wavelets;
  }
  std::uint32_t writable(std::uint32_t asked, Cycle) const override { return asked & with_room; }
  const link::Wavelet& front(QueueId q) const override;
  void pop(QueueId q, Cycle now) override;
  unsigned room(QueueId q, Cycle now) const override;
  void push(QueueId q, const link::Wavelet& w, Cycle now) override;

  // pe::PeConfig
  std::uint16_t read_config(config_space::Address address, Cycle now) const override;
  std::string why_illegal(config_space::Address address, std::uint16_t value) const override;
  void write_config(config_space::Address address, std::uint16_t value, Cycle due) override;

  InQueue& input(QueueId q) const { return wafer_.in_queues_[first_input + map_.input[q.value()]]; }
  OutQueue& output(QueueId q) const {
    return wafer_.out_queues_[first_output + map_.output[q.value()]];
  }

  /// Index of output queue `q` in the wafer; none: the program does not declare it.
  std::optional<std::uint32_t> output_index(QueueId q) const {
    const std::uint8_t i = map_.output[q.value()];
    return i == kNoQueue ? std::nullopt : std::optional(first_output + i);
  }

 private:
  WaferCore& wafer_;
  const QueueMap& map_;

 public:
  const std::uint32_t place;
  std::uint32_t first_input = 0;
  std::uint32_t first_output = 0;
  std::uint32_t first_ramp = 0;
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  std::uint8_t ramps = 0;
  std::uint8_t ramp_turn = 0;      ///< output queue that goes first (fabric::Arbiter)
  std::uint8_t with_wavelets = 0;  ///< input queues in which a wavelet has landed, one bit each
  std::uint8_t with_room = 0;      ///< output queues
  std::uint64_t arriving = 0;      ///< cycles in which a wavelet lands in one of the queues
  pe::ComputeEngineCore engine;
};

}  // namespace tessera::wafer
