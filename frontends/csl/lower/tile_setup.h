// What a tile has from the start (csl.md 5, 8, 9): queues, tasks, FIFOs, loaded DSRs and exported
// symbols, as the comptime blocks of its program ask for them.
#pragma once

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// Generation, format of 16-bit floats, bound queues and the table of control tasks.
void set_up_image(TileCode& code);
/// The FIFOs that have been declared since the last call.
void add_fifos(TileCode& code);
void add_tasks(TileCode& code);
void add_exports(TileCode& code);
void add_initial_loads(TileCode& code);
/// Task 29 calls the handlers of the colors that went into teardown.
void add_handler_task(TileCode& code);
/// Sets what is active, blocked or unblocked at the start, and gives unblocked colors their queues.
void set_start_states(TileCode& code);

}  // namespace tessera::csl
