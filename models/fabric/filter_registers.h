// A filter as configuration registers (reference wse.md 1.7; words: config_space::FilterWord).
#pragma once

#include <cstdint>

#include "models/fabric/filter.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

/// Whether bits 6:5 of the first word name a kind of filter.
bool is_filter_kind(std::uint16_t control);

/// Word `offset` of the filter of `color`; 0 where it has none.
std::uint16_t filter_register(const Filter& filter, Color color, unsigned offset);
/// Half of a number of 32 bits leaves its other half. Requires is_filter_kind(value) for word 0.
void set_filter_register(Filter& filter, unsigned offset, std::uint16_t value);

}  // namespace tessera::fabric
