// Value change dump (IEEE 1364) of what a waveform viewer shows well: per tile the task that runs,
// and per output of the router a pulse for every wavelet that leaves and its color.
//
//   scope  wafer
//   cycle     64 bits  the clock cycle
//   scope  wafer.tile_<x>_<y>
//   task      8 bits   id of the running task (64: launched function), z when none runs
//   name      string   its name, as GTKWave and other viewers read it
//   out_e out_w out_n out_s out_r             1 bit    1 in every cycle in which a wavelet leaves
//   color_e color_w color_n color_s color_r   5 bits   color of the last wavelet that left
//
// Time stamps are cycle * clock period, in ps.
#pragma once

#include <iosfwd>
#include <map>
#include <vector>

#include "models/observe/event_fields.h"
#include "models/observe/names.h"
#include "models/observe/scope.h"
#include "models/observe/sorted_sink.h"
#include "models/observe/vcd_writer.h"

namespace tessera::observe {

class VcdTrace final : public SortedSink {
 public:
  /// Declares the signals of all tiles of the scope: meant for up to some thousand tiles.
  VcdTrace(std::ostream& out, unsigned width, unsigned height, unsigned clock_period_ps,
           Names names = {}, const Scope& scope = {});

 protected:
  bool takes(Event& e) override;
  void on_sorted_event(const Event& e) override;
  void on_machine_reset(Cycle origin) override;
  void on_end() override;

 private:
  void declare_signals();
  VcdWriter::Signal signal_of_tile(std::size_t tile) const;
  VcdWriter::Signal pulse_signal(std::size_t output) const;
  void begin();
  void write_task(std::size_t tile, const Event& e);
  void advance_to(Cycle cycle);
  void change_task(const Event& e);
  void hop(const Event& e);
  void drop_old_pulses();

  /// One output of one router.
  struct Output {
    std::uint8_t color = kNoColor;  ///< color of the last wavelet
    bool high = false;              ///< the pulse signal is 1
    Cycle last_hop = 0;
  };
  static constexpr std::uint8_t kNoColor = 0xFF;

  VcdWriter writer_;
  VcdWriter::Signal first_signal_ = 0;
  unsigned width_;  ///< width of the machine, in tiles
  Names names_;
  Scope scope_;
  bool begun_ = false;                      ///< cycle `scope_.from` has been reached
  std::map<std::uint32_t, Event> running_;  ///< by place: the start of its task
  Cycle now_ = 0;
  std::vector<Output> outputs_;    ///< [tile of the scope][direction]
  std::vector<std::size_t> high_;  ///< outputs whose pulse signal is 1
};

}  // namespace tessera::observe
