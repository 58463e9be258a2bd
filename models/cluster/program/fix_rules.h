// What the FIX pipe may convert on its way out of L0C, with and without scales (reference ascend_2.md 1.3).
#pragma once

#include <string>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// Why FIX of this generation does not move elements `from` of L0C as elements `to` into `target`; "" if it
/// does. `scales`: by a number, or by one for each column.
std::string find_fix_fault(Profile profile, Element from, Element to, Location target, bool scales);

}  // namespace tessera::cluster
