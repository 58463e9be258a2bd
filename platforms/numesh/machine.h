// A scheduled mesh in one of two structures (docs/architecture.md#two-structures): a module per node, or all
// nodes in one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"
#include "models/timing/clock_domain.h"

namespace tessera::numesh {

/// What --structure accepts. "auto": modules for up to kAutoModuleNodes nodes, else dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleNodes = 256;

class Machine {
 public:
  /// `program`, `events` and `checker` must outlive the machine. Throws IllegalBehaviour for a
  /// program that policy CHECK refuses.
  Machine(const std::string& structure, unsigned clock_period_ps, const scheduled::Program& program,
          observe::EventStream& events, scheduled::WordChecker& checker);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// "modules" or "dense".
  const char* structure() const { return dense_ ? "dense" : "modules"; }
  timing::ClockDomain& domain() { return domain_; }
  const timing::ClockDomain& domain() const { return domain_; }
  const scheduled::MeshView& view() const { return *view_; }

 private:
  const bool dense_;
  timing::ClockDomain domain_;
  std::unique_ptr<sc_core::sc_module> mesh_;
  const scheduled::MeshView* view_ = nullptr;
};

}  // namespace tessera::numesh
