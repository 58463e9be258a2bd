// What programs do to the fabric that the documents leave undefined or forbid (reference wse.md
// 1.2, 1.9; numesh.md 7). The router detects it, names the rule by a stable id, and stops;
// docs/undefined-behaviour.md lists the rules and a test keeps the page true.
#pragma once

#include <array>
#include <string_view>

#include "models/fabric/fabric_timing.h"

namespace tessera::fabric {

// These need an EpochChecker.
inline constexpr const char* kEpochMisroutedId = "/tessera/fabric/epoch_misrouted";
inline constexpr const char* kEpochStrandedId = "/tessera/fabric/epoch_stranded";
inline constexpr const char* kEpochEarlyId = "/tessera/fabric/epoch_early";

struct FabricRule {
  std::string_view id;
  std::string_view reference;  ///< section of wse.md
  std::string_view rule;       ///< one sentence for the page
};

inline constexpr std::array<FabricRule, 4> kFabricRules = {{
    {kCoincidenceId, "1.2",
     "Two wavelets of one color land at a router from two directions in one cycle."},
    {kEpochMisroutedId, "1.9",
     "A route is rewritten before a wavelet that was sent for the old one has passed; it goes the "
     "new way."},
    {kEpochStrandedId, "1.9",
     "A route is rewritten before a wavelet that was sent for the old one has passed; the new one "
     "does not receive it."},
    {kEpochEarlyId, "1.9",
     "A wavelet that was sent after a teardown passes a router ahead of it and goes the old way."},
}};

}  // namespace tessera::fabric
