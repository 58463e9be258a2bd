/* Tessera for C: machines to load, run, feed and read from another program (docs/c-api.md). Link
 * libtessera.so, or open it with dlopen.
 *
 * Every function that can fail returns a tessera_status; tessera_last_error() has the sentence. No exception
 * and no signal leaves the library. Names are valid as long as the machine, the texts of tessera_report() and
 * tessera_waits() until the next call of the thread for such a text. Calls of several threads are carried out one after
 * the other.
 *
 * A pointer that is NULL without need, a machine that was destroyed, and a call of a listener for its own machine
 * are refused with TESSERA_USER_INPUT.
 *
 * A process may have any number of machines, one after the other or side by side: each has a SystemC
 * simulation of its own. */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface: a program compiled for another number does not fit the library. */
#define TESSERA_ABI_VERSION 1

/** What became of a call; the numbers are the exit codes of the executables (docs/running.md). */
typedef enum tessera_status {
  TESSERA_OK = 0,
  TESSERA_USER_INPUT = 2,  /**< program, options or arguments that cannot be accepted */
  TESSERA_INTEGRATION = 3, /**< a mistake in how modules are bound */
  TESSERA_FAILED = 4,  /**< the program did what the machine does not allow; reset the machine */
  TESSERA_INTERNAL = 5 /**< a defect of the library */
} tessera_status;

/** Why a run stopped. */
typedef enum tessera_stop {
  TESSERA_AT_REST = 0,  /**< nothing moves any more: all is done, or what is left waits for ever */
  TESSERA_AT_LIMIT = 1, /**< the cycle that was asked for is reached */
  TESSERA_ON_REQUEST = 2, /**< the listener asked for it */
  TESSERA_AT_STOP = 3     /**< the debugger holds it; see tessera_debug() */
} tessera_stop;

/** Bits of a notification, as the interrupts of the host port (docs/host-port.md). */
typedef enum tessera_notice {
  TESSERA_LAUNCH_DONE = 1, /**< a launched function has ended on one tile */
  TESSERA_STREAM_DONE =
      2, /**< the last wavelet of a send has left, or the last expected one has come */
  TESSERA_CAME_TO_REST = 4,
  TESSERA_MACHINE_FAILED = 8
} tessera_notice;

typedef struct tessera_machine tessera_machine;

/** What a machine has. */
typedef struct tessera_info {
  uint32_t kind; /**< 1: WSE, 2: AI-core clusters, 3: scheduled mesh */
  uint32_t width, height;
  uint32_t tile_bytes; /**< bytes of memory of a tile; 0: the memory is that of arrays */
  uint32_t functions, edges, arrays, symbols, counters;
  uint64_t period_ps;
} tessera_info;

/** A named array in the memory of the tiles that run one program. */
typedef struct tessera_symbol {
  uint32_t program; /**< its number */
  uint32_t address, bytes;
  uint32_t type; /**< see tessera_type_name() */
} tessera_symbol;

/** A link that the host holds. */
typedef struct tessera_edge {
  int32_t x, y;
  uint32_t side;       /**< 0 west, 1 east, 2 south, 3 north, 4 ramp */
  uint32_t colors_out; /**< colors that the host takes, one bit each */
} tessera_edge;

/** Called when something has happened, while the machine runs; `notice`: one bit. Answers nonzero to stop
 * the run after this cycle. The listener must not call the library for this machine. */
typedef int (*tessera_listener)(void* user, uint32_t notice, uint64_t cycle);

/** PEs of a CSL program, and how the words of their elements lie in an array of the host (docs/c-api.md). */
typedef struct tessera_region {
  int32_t x, y, width, height; /**< counted in the rectangle of the program */
  uint32_t elements;           /**< elements of each PE */
  uint32_t bits; /**< size of an element in a PE, 16 or 32 bits; each is a word for the host */
  uint32_t
      by_column; /**< element i of PE (x, y) is word 0: (y * width + x) * elements + i; 1: y + x *
                         height + i * height * width */
  uint32_t
      broadcast; /**< 0: each PE has words of its own; 1: all columns have the same, the array is that of
                         width 1; 2: all rows have the same, the array is that of height 1 */
  int32_t column_stride, row_stride; /**< only every n-th column or row; 0 and 1: each */
} tessera_region;

/** TESSERA_ABI_VERSION of the library. */
uint32_t tessera_abi_version(void);
const char* tessera_version(void);
/** The sentence of the last call of this thread that failed; "" before. */
const char* tessera_last_error(void);
/** "f32", "u16": the name of an element type, "" if there is none. */
const char* tessera_type_name(uint32_t type);

/** Builds a machine. `kind`: "wse" for a layout, a CSL file or the folder of a compiled CSL program;
 * "ascend" for a PTO program; "numesh" for a communication program. `options`: those of the executable that runs
 * such programs, as on its command line ("--preset", "wse2", ..). */
tessera_status tessera_create(const char* kind, const char* program, int option_count,
                              const char* const* options, tessera_machine** created);
/** nullptr is allowed. */
void tessera_destroy(tessera_machine* machine);
/** The machine is as it was built, in the middle of anything; with `keep_memory` its memory stays. Time goes
 * on, cycles count from 0. */
tessera_status tessera_reset(tessera_machine* machine, int keep_memory);

/** Writes the state of the machine between two cycles to a file (docs/checkpoints.md): memory, what moves, launches, streams
 * of the host, counters, digest and accounts of waits. The file that had the name becomes `path`.1. Machines of every kind
 * and structure can be saved. */
tessera_status tessera_save(tessera_machine* machine, const char* path);
/** The machine becomes the one that was saved, in the middle of anything: this one or another one of this or another process, of
 * the same program, files, parameters, configuration and version, and for fabrics of the same structure. The number of threads
 * may differ. Its cycles count on from the saved one, simulated time passes as if it had run. What the listener is, and the
 * breakpoints of the debugger, stay. A file that does not fit is refused, and nothing has changed or, where the sentence says
 * so, the machine is reset. */
tessera_status tessera_restore(tessera_machine* machine, const char* path);

tessera_status tessera_get_info(tessera_machine* machine, tessera_info* info);
/** Names by number; NULL: there is none. */
const char* tessera_function_name(tessera_machine* machine, uint32_t number);
const char* tessera_array_name(tessera_machine* machine, uint32_t number);
const char* tessera_symbol_name(tessera_machine* machine, uint32_t number);
const char* tessera_counter_name(tessera_machine* machine, uint32_t number);
tessera_status tessera_get_symbol(tessera_machine* machine, uint32_t number,
                                  tessera_symbol* symbol);
tessera_status tessera_get_edge(tessera_machine* machine, uint32_t number, tessera_edge* edge);
/** The symbol `name` of the program of tile (x, y). */
tessera_status tessera_find_symbol(tessera_machine* machine, uint32_t x, uint32_t y,
                                   const char* name, tessera_symbol* symbol);

/** Runs until nothing moves any more, but not beyond cycle `limit` (UINT64_MAX: no limit), which is not
 * stepped. `stop` may be NULL. */
tessera_status tessera_run(tessera_machine* machine, uint64_t limit, tessera_stop* stop);
/** The same for so many cycles from now on. */
tessera_status tessera_step(tessera_machine* machine, uint64_t cycles, tessera_stop* stop);
/** The next cycle that has not been stepped, counted from the last reset. */
uint64_t tessera_cycle(tessera_machine* machine);
/** Simulated time. */
uint64_t tessera_time_ps(tessera_machine* machine);
void tessera_set_listener(tessera_machine* machine, tessera_listener listener, void* user);

/** Bytes of the memory of a tile (`place`: its row-major number), or of an array. */
tessera_status tessera_read(tessera_machine* machine, uint32_t place, uint32_t at, void* to,
                            uint32_t bytes);
tessera_status tessera_write(tessera_machine* machine, uint32_t place, uint32_t at,
                             const void* from, uint32_t bytes);
/** Memory of a tile or array in one piece, for reading and writing until the machine runs, is reset or
 * destroyed, or the array is resized. */
tessera_status tessera_map(tessera_machine* machine, uint32_t place, void** data, uint32_t* bytes);
/** Gives an array so many bytes, all zero. */
tessera_status tessera_resize_array(tessera_machine* machine, uint32_t array, uint32_t bytes);

/** Starts a function on the tiles of a rectangle that have it (width or height 0: all). */
tessera_status tessera_launch(tessera_machine* machine, const char* function, uint32_t x,
                              uint32_t y, uint32_t width, uint32_t height,
                              const uint32_t* arguments, uint32_t argument_count);
/** Launched functions that have not ended, one for each tile. */
uint32_t tessera_open_launches(tessera_machine* machine);

/** Wavelets into the fabric, one a cycle; `control`: as control wavelets. */
tessera_status tessera_send(tessera_machine* machine, uint32_t edge, uint32_t color,
                            const uint32_t* words, uint32_t count, int control);
/** Asks for TESSERA_STREAM_DONE when so many more wavelets have come. */
tessera_status tessera_expect(tessera_machine* machine, uint32_t edge, uint32_t color,
                              uint32_t count);
tessera_status tessera_cancel(tessera_machine* machine, uint32_t edge, uint32_t color);
/** Takes at most `count` wavelets that have come; `taken`: how many. */
tessera_status tessera_receive(tessera_machine* machine, uint32_t edge, uint32_t color,
                               uint32_t* words, uint32_t count, uint32_t* taken);

tessera_status tessera_counter(tessera_machine* machine, uint32_t number, uint64_t* value);
/** The report as the executables write it (docs/report-and-traces.md), and its list of waits alone: who
 * waits for what now. JSON; NULL: see tessera_last_error(). */
const char* tessera_report(tessera_machine* machine);
const char* tessera_waits(tessera_machine* machine);

/** A request of the Debug Adapter Protocol as JSON; answers a JSON list of messages: the events since the last call, and the
 * response (docs/debugger.md). NULL: the machine has no debugger; see tessera_last_error(). The machine is held between two calls
 * that let it run. `continue`, `next` and other steps say how the next tessera_run(), tessera_step() or
 * tessera_csl_launch() goes on; these return at a stop, tessera_run() and tessera_step() with TESSERA_AT_STOP. A launch of
 * CSL that is held goes on in tessera_run(), which answers TESSERA_AT_REST when it is complete. Other commands of CSL cannot be
 * held: what they meet counts as a hit. `disconnect` ends the debugger. Fabrics that one thread steps have one. */
const char* tessera_debug(tessera_machine* machine, const char* request);

/* The host of a CSL program gives commands, one after the other (docs/csl-host.md): each lets the machine run until it
 * is complete, and takes the time that the configuration says (memcpy.*). TESSERA_FAILED: it can never be complete;
 * the sentence says who waits for what. Such commands and tessera_launch() do not go together between two resets. */

/** x, y, width and height of the program on the tiles. */
tessera_status tessera_csl_rectangle(tessera_machine* machine, int32_t rectangle[4]);
/** JSON: an object with the functions that the program exports, each a list of the types of its parameters, as CSL writes
 * them. NULL: see tessera_last_error(). */
const char* tessera_csl_functions(tessera_machine* machine);
/** Copies words to the memory behind an exported pointer, and the other way. `count`: as many as the region takes. */
tessera_status tessera_csl_copy_to(tessera_machine* machine, const char* symbol,
                                   const tessera_region* region, const uint32_t* words,
                                   uint64_t count);
tessera_status tessera_csl_copy_from(tessera_machine* machine, const char* symbol,
                                     const tessera_region* region, uint32_t* words, uint64_t count);
/** Streams words on a color that the program takes from the host, or gives to it. */
tessera_status tessera_csl_stream_to(tessera_machine* machine, uint32_t color,
                                     const tessera_region* region, const uint32_t* words,
                                     uint64_t count);
tessera_status tessera_csl_stream_from(tessera_machine* machine, uint32_t color,
                                       const tessera_region* region, uint32_t* words,
                                       uint64_t count);
/** Calls an exported function on all PEs that have it, until each has asked for the next command. An argument is a word,
 * whatever the type of the parameter is: 16 bits in its low half, f32 as its bits. */
tessera_status tessera_csl_launch(tessera_machine* machine, const char* function,
                                  const uint32_t* arguments, uint32_t argument_count);

#ifdef __cplusplus
}
#endif
#endif
