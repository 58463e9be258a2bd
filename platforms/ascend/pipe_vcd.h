// Wave form of AI cores (models/observe/vcd_writer.h): what each pipe does, cycle by cycle.
//
//   scope  ascend
//   cycle     64 bits  the clock cycle
//   scope  ascend.cluster_C.UNIT.PIPE, such as ascend.cluster_0.AIV1.MTE2
//   busy      1 bit    an operation is under way
//   op        string   the one that began last
//   wait      string   why the next one cannot begin
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/cluster/program/program.h"
#include "models/observe/sorted_sink.h"
#include "models/observe/vcd_log.h"

namespace tessera::ascend {

class PipeVcd final : public observe::SortedSink {
 public:
  /// The program of the core at a place; nullptr: there is no such core, which has no signals.
  using Programs = std::function<const cluster::Program*(std::uint32_t place)>;
  /// `out` must outlive the wave form.
  PipeVcd(std::ostream& out, std::uint64_t clock_khz, unsigned clusters, Programs programs,
          const observe::Scope& scope);

 protected:
  bool takes(observe::Event& e) override;
  void on_sorted_event(const observe::Event& e) override;
  void on_machine_reset(Cycle origin) override;
  void on_end() override;

 private:
  struct Pipe {
    observe::VcdLog::Signal busy = 0, op = 0, wait = 0;
    unsigned under_way = 0;
  };
  void declare_core(std::uint32_t place);
  void rest(Pipe& pipe, Cycle now);

  observe::VcdLog log_;
  const Programs programs_;
  std::vector<Pipe> pipes_;  ///< by place and pipe
  Cycle end_ = 0;
};

}  // namespace tessera::ascend
