#include "platforms/capi/tessera.h"

#include <systemc>

#include <cstddef>
#include <new>

#include "models/pe/program.h"
#include "platforms/capi/machine.h"
#include "platforms/cli/main.h"
#include "tlm_ifaces/vocabulary/errors.h"

// The kernel library refers to it, although nobody calls it here; a program that has one keeps its own.
[[gnu::weak, gnu::visibility("default")]] int sc_main(int, char*[]) {
  return 0;
}

namespace {

using tessera::UserError;
using tessera::capi::Simulation;

std::string& last_error() {
  static thread_local std::string text;
  return text;
}

tessera_status fail(tessera_status status, const std::string& text) {
  last_error() = text;
  return status;
}

/// Carries out `work`; what it throws becomes the answer.
template <class Work>
tessera_status guarded(Work&& work) {
  try {
    work();
    return TESSERA_OK;
  } catch (const std::bad_alloc&) {
    return fail(TESSERA_USER_INPUT, "there is not enough memory for this machine");
  } catch (...) {
    const tessera::cli::Failure failure = tessera::cli::current_failure();
    return fail(static_cast<tessera_status>(tessera::report::exit_code(failure.status)),
                failure.message);
  }
}

/// The same in the simulation of `machine`.
template <class Work>
tessera_status in(tessera_machine* machine, Work&& work) {
  return guarded([&] {
    if (machine == nullptr) throw UserError("", "", "the machine is NULL");
    const Simulation::Entered entered(machine->simulation());
    work(*machine);
  });
}

template <class List>
const char* name_in(const List& names, std::uint32_t number) {
  return number < names.size() ? names[number].c_str() : nullptr;
}

/// Throws UserError for bytes that are not all in the memory of `place`.
void require_inside(const tessera_machine& machine, std::uint32_t place, std::uint32_t at,
                    std::uint32_t bytes) {
  const std::uint32_t there = machine.memory_bytes(place);
  if (at <= there && bytes <= there - at) return;
  throw UserError("", "",
                  "bytes " + std::to_string(at) + " to " +
                      std::to_string(std::uint64_t{at} + bytes) + " are not all in memory " +
                      std::to_string(place) + ", which has " + std::to_string(there));
}

}  // namespace

uint32_t tessera_abi_version(void) {
  return TESSERA_ABI_VERSION;
}
const char* tessera_version(void) {
  return TESSERA_VERSION;
}
const char* tessera_last_error(void) {
  return last_error().c_str();
}
const char* tessera_type_name(uint32_t type) {
  if (type > static_cast<uint32_t>(tessera::pe::ElementType::kF32)) return "";
  return to_string(static_cast<tessera::pe::ElementType>(type)).data();  // of a literal
}

tessera_status tessera_create(const char* kind, const char* program, int option_count,
                              const char* const* options, tessera_machine** created) {
  return guarded([&] {
    if (kind == nullptr || program == nullptr || created == nullptr ||
        (options == nullptr && option_count > 0))
      throw UserError("", "", "tessera_create was given NULL");
    *created = nullptr;
    std::vector<std::string> words;
    for (int i = 0; i < option_count; ++i) words.emplace_back(options[i]);
    *created = new tessera_machine(kind, program, words);
  });
}

void tessera_destroy(tessera_machine* machine) {
  guarded([machine] { delete machine; });
}

tessera_status tessera_reset(tessera_machine* machine, int keep_memory) {
  return in(machine, [&](tessera_machine& m) { m.reset(keep_memory != 0); });
}

tessera_status tessera_get_info(tessera_machine* machine, tessera_info* info) {
  return in(machine, [&](tessera_machine& m) {
    const auto& from = m.info();
    const auto count = [](const auto& list) { return static_cast<uint32_t>(list.size()); };
    *info = {static_cast<uint32_t>(from.kind),
             from.width,
             from.height,
             from.tile_bytes,
             count(from.functions),
             count(from.edges),
             count(from.arrays),
             count(from.symbols),
             count(from.counters),
             from.period_ps};
  });
}

const char* tessera_function_name(tessera_machine* machine, uint32_t number) {
  return machine == nullptr ? nullptr : name_in(machine->info().functions, number);
}
const char* tessera_array_name(tessera_machine* machine, uint32_t number) {
  return machine == nullptr ? nullptr : name_in(machine->info().arrays, number);
}
const char* tessera_counter_name(tessera_machine* machine, uint32_t number) {
  return machine == nullptr ? nullptr : name_in(machine->info().counters, number);
}
const char* tessera_symbol_name(tessera_machine* machine, uint32_t number) {
  if (machine == nullptr || number >= machine->info().symbols.size()) return nullptr;
  return machine->info().symbols[number].name.c_str();
}

tessera_status tessera_get_symbol(tessera_machine* machine, uint32_t number,
                                  tessera_symbol* symbol) {
  return in(machine, [&](tessera_machine& m) {
    if (number >= m.info().symbols.size())
      throw UserError("", "", "there is no symbol " + std::to_string(number));
    const auto& from = m.info().symbols[number];
    *symbol = {from.program, from.address, from.bytes, from.type};
  });
}

tessera_status tessera_get_edge(tessera_machine* machine, uint32_t number, tessera_edge* edge) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(number, 0);
    const auto& from = m.info().edges[number];
    *edge = {from.tile.x, from.tile.y, static_cast<uint32_t>(index(from.side)), from.colors_out};
  });
}

tessera_status tessera_find_symbol(tessera_machine* machine, uint32_t x, uint32_t y,
                                   const char* name, tessera_symbol* symbol) {
  return in(machine, [&](tessera_machine& m) {
    *symbol = m.find_symbol({static_cast<int>(x), static_cast<int>(y)}, name);
  });
}

tessera_status tessera_run(tessera_machine* machine, uint64_t limit, tessera_stop* stop) {
  return in(machine, [&](tessera_machine& m) {
    const tessera_stop found = m.run(limit);
    if (stop != nullptr) *stop = found;
  });
}

tessera_status tessera_step(tessera_machine* machine, uint64_t cycles, tessera_stop* stop) {
  return tessera_run(machine, tessera_cycle(machine) + cycles, stop);
}

uint64_t tessera_cycle(tessera_machine* machine) {
  uint64_t cycle = 0;
  in(machine, [&](tessera_machine& m) { cycle = m.domain().next_free_cycle(); });
  return cycle;
}

uint64_t tessera_time_ps(tessera_machine* machine) {
  uint64_t time = 0;
  in(machine, [&](tessera_machine&) { time = sc_core::sc_time_stamp().value(); });
  return time;
}

void tessera_set_listener(tessera_machine* machine, tessera_listener listener, void* user) {
  in(machine, [&](tessera_machine& m) { m.set_listener(listener, user); });
}

tessera_status tessera_read(tessera_machine* machine, uint32_t place, uint32_t at, void* to,
                            uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    require_inside(m, place, at, bytes);
    m.device().read_memory(place, at, bytes, static_cast<std::byte*>(to));
  });
}

tessera_status tessera_write(tessera_machine* machine, uint32_t place, uint32_t at,
                             const void* from, uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    require_inside(m, place, at, bytes);
    m.device().write_memory(place, at, bytes, static_cast<const std::byte*>(from));
  });
}

tessera_status tessera_map(tessera_machine* machine, uint32_t place, void** data, uint32_t* bytes) {
  return in(machine, [&](tessera_machine& m) {
    *bytes = m.memory_bytes(place);
    *data = m.device().direct_memory(place);
  });
}

tessera_status tessera_resize_array(tessera_machine* machine, uint32_t array, uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    if (array >= m.info().arrays.size())
      throw UserError("", "", "there is no array " + std::to_string(array));
    if (!m.device().resize_array(array, bytes))
      throw UserError("", "", "an array cannot be resized while a kernel runs");
  });
}

tessera_status tessera_launch(tessera_machine* machine, const char* function, uint32_t x,
                              uint32_t y, uint32_t width, uint32_t height,
                              const uint32_t* arguments, uint32_t argument_count) {
  return in(machine, [&](tessera_machine& m) {
    if (argument_count > tessera::host::kMaxArguments)
      throw UserError("", "", "a launch takes at most 4 arguments");
    tessera::host::LaunchRequest request;
    request.origin = {static_cast<int>(x), static_cast<int>(y)};
    request.width = width;
    request.height = height;
    request.arguments.assign(arguments, arguments + argument_count);
    m.launch(function, std::move(request));
  });
}

uint32_t tessera_open_launches(tessera_machine* machine) {
  return machine == nullptr ? 0 : machine->open_launches();
}

tessera_status tessera_send(tessera_machine* machine, uint32_t edge, uint32_t color,
                            const uint32_t* words, uint32_t count, int control) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(edge, color);
    std::vector<tessera::host::Word> sent;
    for (uint32_t i = 0; i < count; ++i) sent.push_back({words[i], control != 0});
    m.device().send(edge, tessera::Color(color), std::move(sent), m.domain().next_free_cycle());
  });
}

tessera_status tessera_expect(tessera_machine* machine, uint32_t edge, uint32_t color,
                              uint32_t count) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(edge, color);
    m.device().expect(edge, tessera::Color(color), count);
  });
}

tessera_status tessera_cancel(tessera_machine* machine, uint32_t edge, uint32_t color) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(edge, color);
    m.device().cancel(edge, tessera::Color(color));
  });
}

tessera_status tessera_receive(tessera_machine* machine, uint32_t edge, uint32_t color,
                               uint32_t* words, uint32_t count, uint32_t* taken) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(edge, color);
    *taken = m.receive(edge, tessera::Color(color), words, count);
  });
}

tessera_status tessera_counter(tessera_machine* machine, uint32_t number, uint64_t* value) {
  return in(machine, [&](tessera_machine& m) {
    if (number >= m.info().counters.size())
      throw UserError("", "", "there is no counter " + std::to_string(number));
    *value = m.device().counter(number);
  });
}

const char* tessera_report(tessera_machine* machine) {
  const char* text = nullptr;
  in(machine, [&](tessera_machine& m) { text = m.report(); });
  return text;
}

const char* tessera_waits(tessera_machine* machine) {
  const char* text = nullptr;
  in(machine, [&](tessera_machine& m) { text = m.waits(); });
  return text;
}
