#include "platforms/capi/tessera.h"

#include <systemc>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <set>

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

/// The machines there are. SystemC has one present simulation, so calls are carried out one after the other.
struct Library {
  std::recursive_mutex mutex;  // a listener may call the library for another machine
  std::set<const tessera_machine*> machines;
};

Library& library() {
  static auto* const library = new Library;  // also for calls while the process ends
  return *library;
}

/// Carries out `work`; what it throws becomes the answer.
template <class Work>
tessera_status guarded(Work&& work) {
  try {
    const std::lock_guard<std::recursive_mutex> lock(library().mutex);
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

void require_alive(const tessera_machine* machine) {
  if (machine == nullptr) throw UserError("", "", "the machine is NULL");
  if (library().machines.count(machine) == 0)
    throw UserError("", "", "there is no such machine; it may have been destroyed");
  if (machine->is_running())
    throw UserError("", "", "the listener must not call the library for its machine");
}

/// The same in the simulation of `machine`.
template <class Work>
tessera_status in(tessera_machine* machine, Work&& work) {
  return guarded([&] {
    require_alive(machine);
    const Simulation::Entered entered(machine->simulation());
    work(*machine);
  });
}

/// What a pointer of the caller points to; `count`: 0 elements may be NULL.
template <class T>
T* given(T* pointer, const char* name, std::uint64_t count = 1) {
  if (pointer == nullptr && count > 0)
    throw UserError("", "", std::string("the argument '") + name + "' is NULL");
  return pointer;
}

/// The value that `answer` gives for `machine`; a default value if there is none.
template <class Answer>
auto answer_of(tessera_machine* machine, Answer&& answer) {
  decltype(answer(*machine)) value{};
  in(machine, [&](tessera_machine& m) { value = answer(m); });
  return value;
}

/// A text that `answer` makes: one for each thread, since another may call for the same machine meanwhile.
template <class Answer>
const char* text_of(tessera_machine* machine, Answer&& answer) {
  static thread_local std::string text;
  const tessera_status status = in(machine, [&](tessera_machine& m) { text = answer(m); });
  return status == TESSERA_OK ? text.c_str() : nullptr;
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

std::vector<std::uint32_t> words_of(const std::uint32_t* words, std::uint64_t count) {
  given(words, "words", count);
  return {words, words + count};
}

void give(const std::vector<std::uint32_t>& from, std::uint32_t* to) {
  std::copy(from.begin(), from.end(), to);
}

tessera::Color color_of(std::uint32_t color) {
  if (color < tessera::kColorCount) return tessera::Color(static_cast<std::uint8_t>(color));
  throw UserError("", "", "there is no color " + std::to_string(color));
}

/// Throws UserError for a region that does not take `count` words.
tessera::wse::Region region_of(const tessera_region* from, std::uint64_t count) {
  using tessera::wse::Region;
  if (from->bits != 16 && from->bits != 32)
    throw UserError("", "", "the elements of a region have 16 or 32 bits");
  if (from->broadcast > 2 || from->by_column > 1)
    throw UserError("", "", "the region has no such broadcast or order");
  if (from->column_stride < 0 || from->row_stride < 0)
    throw UserError("", "", "the strides of a region are 0 or more");
  Region region;
  region.rect = {from->x, from->y, from->width, from->height};
  region.elements = from->elements;
  region.order = from->by_column != 0 ? Region::Order::kColumn : Region::Order::kRow;
  region.copies = static_cast<Region::Copies>(from->broadcast);
  region.narrow = from->bits == 16;
  region.column_stride = std::max(from->column_stride, 1);
  region.row_stride = std::max(from->row_stride, 1);
  if (region.word_count() == count) return region;
  throw UserError("", "",
                  "the array has " + std::to_string(count) + " words; the region takes " +
                      std::to_string(region.word_count()));
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
  const auto& names = tessera::host::kSymbolTypes;
  return type < names.size() ? names[type].data() : "";  // literals
}

tessera_status tessera_create(const char* kind, const char* program, int option_count,
                              const char* const* options, tessera_machine** created) {
  return guarded([&] {
    *given(created, "created") = nullptr;
    if (option_count < 0)
      throw UserError("", "", "the argument 'option_count' is " + std::to_string(option_count));
    given(options, "options", static_cast<uint64_t>(option_count));
    std::vector<std::string> words;
    for (int i = 0; i < option_count; ++i) words.emplace_back(given(options[i], "options"));
    auto machine =
        std::make_unique<tessera_machine>(given(kind, "kind"), given(program, "program"), words);
    library().machines.insert(machine.get());
    *created = machine.release();
  });
}

void tessera_destroy(tessera_machine* machine) {
  if (machine == nullptr) return;
  guarded([machine] {
    require_alive(machine);
    library().machines.erase(machine);
    delete machine;
  });
}

tessera_status tessera_reset(tessera_machine* machine, int keep_memory) {
  return in(machine, [&](tessera_machine& m) { m.reset(keep_memory != 0); });
}

tessera_status tessera_save(tessera_machine* machine, const char* path) {
  return in(machine, [&](tessera_machine& m) { m.save(given(path, "path")); });
}

tessera_status tessera_restore(tessera_machine* machine, const char* path) {
  return in(machine, [&](tessera_machine& m) { m.restore(given(path, "path")); });
}

const char* tessera_debug(tessera_machine* machine, const char* request) {
  return text_of(machine, [&](auto& m) { return m.debug(given(request, "request")); });
}

tessera_status tessera_get_info(tessera_machine* machine, tessera_info* info) {
  return in(machine, [&](tessera_machine& m) {
    const auto& from = m.info();
    const auto count = [](const auto& list) { return static_cast<uint32_t>(list.size()); };
    *given(info, "info") = {static_cast<uint32_t>(from.kind),
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
  return answer_of(machine, [=](auto& m) { return name_in(m.info().functions, number); });
}
const char* tessera_array_name(tessera_machine* machine, uint32_t number) {
  return answer_of(machine, [=](auto& m) { return name_in(m.info().arrays, number); });
}
const char* tessera_counter_name(tessera_machine* machine, uint32_t number) {
  return answer_of(machine, [=](auto& m) { return name_in(m.info().counters, number); });
}
const char* tessera_symbol_name(tessera_machine* machine, uint32_t number) {
  return answer_of(machine, [=](auto& m) -> const char* {
    const auto& symbols = m.info().symbols;
    return number < symbols.size() ? symbols[number].name.c_str() : nullptr;
  });
}

tessera_status tessera_get_symbol(tessera_machine* machine, uint32_t number,
                                  tessera_symbol* symbol) {
  return in(machine, [&](tessera_machine& m) {
    if (number >= m.info().symbols.size())
      throw UserError("", "", "there is no symbol " + std::to_string(number));
    const auto& from = m.info().symbols[number];
    *given(symbol, "symbol") = {from.program, from.address, from.bytes, from.type};
  });
}

tessera_status tessera_get_edge(tessera_machine* machine, uint32_t number, tessera_edge* edge) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(number, 0);
    const auto& from = m.info().edges[number];
    *given(edge, "edge") = {from.tile.x, from.tile.y, static_cast<uint32_t>(index(from.side)),
                            from.colors_out};
  });
}

tessera_status tessera_find_symbol(tessera_machine* machine, uint32_t x, uint32_t y,
                                   const char* name, tessera_symbol* symbol) {
  return in(machine, [&](tessera_machine& m) {
    *given(symbol, "symbol") =
        m.find_symbol({static_cast<int>(x), static_cast<int>(y)}, given(name, "name"));
  });
}

tessera_status tessera_run(tessera_machine* machine, uint64_t limit, tessera_stop* stop) {
  return in(machine, [&](tessera_machine& m) {
    const tessera_stop found = m.run(limit);
    if (stop != nullptr) *stop = found;
  });
}

tessera_status tessera_step(tessera_machine* machine, uint64_t cycles, tessera_stop* stop) {
  return in(machine, [&](tessera_machine& m) {
    const tessera::Cycle now = m.domain().next_free_cycle();
    const tessera_stop found = m.run(now + std::min(cycles, UINT64_MAX - now));
    if (stop != nullptr) *stop = found;
  });
}

uint64_t tessera_cycle(tessera_machine* machine) {
  return answer_of(machine, [](auto& m) { return m.domain().next_free_cycle(); });
}

uint64_t tessera_time_ps(tessera_machine* machine) {
  return answer_of(machine, [](auto&) { return uint64_t{sc_core::sc_time_stamp().value()}; });
}

void tessera_set_listener(tessera_machine* machine, tessera_listener listener, void* user) {
  in(machine, [&](tessera_machine& m) { m.set_listener(listener, user); });
}

tessera_status tessera_read(tessera_machine* machine, uint32_t place, uint32_t at, void* to,
                            uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    require_inside(m, place, at, bytes);
    if (bytes > 0)
      m.device().read_memory(place, at, bytes, static_cast<std::byte*>(given(to, "to")));
  });
}

tessera_status tessera_write(tessera_machine* machine, uint32_t place, uint32_t at,
                             const void* from, uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    require_inside(m, place, at, bytes);
    if (bytes > 0)
      m.device().write_memory(place, at, bytes, static_cast<const std::byte*>(given(from, "from")));
  });
}

tessera_status tessera_map(tessera_machine* machine, uint32_t place, void** data, uint32_t* bytes) {
  return in(machine, [&](tessera_machine& m) {
    given(data, "data");
    *given(bytes, "bytes") = m.memory_bytes(place);
    *data = *bytes == 0 ? nullptr : m.device().direct_memory(place);
  });
}

tessera_status tessera_resize_array(tessera_machine* machine, uint32_t array, uint32_t bytes) {
  return in(machine, [&](tessera_machine& m) {
    if (array >= m.info().arrays.size())
      throw UserError("", "", "there is no array " + std::to_string(array));
    if (bytes > tessera::host::kArrayStride)
      throw UserError(
          "", "", "an array has at most " + std::to_string(tessera::host::kArrayStride) + " bytes");
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
    given(arguments, "arguments", argument_count);
    request.arguments.assign(arguments, arguments + argument_count);
    m.launch(given(function, "function"), std::move(request));
  });
}

uint32_t tessera_open_launches(tessera_machine* machine) {
  return answer_of(machine, [](auto& m) { return m.open_launches(); });
}

tessera_status tessera_send(tessera_machine* machine, uint32_t edge, uint32_t color,
                            const uint32_t* words, uint32_t count, int control) {
  return in(machine, [&](tessera_machine& m) {
    m.require_channel(edge, color);
    given(words, "words", count);
    std::vector<tessera::host::Word> sent;
    sent.reserve(count);
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
    given(taken, "taken");
    *taken = m.receive(edge, tessera::Color(color), given(words, "words", count), count);
  });
}

tessera_status tessera_counter(tessera_machine* machine, uint32_t number, uint64_t* value) {
  return in(machine, [&](tessera_machine& m) {
    if (number >= m.info().counters.size())
      throw UserError("", "", "there is no counter " + std::to_string(number));
    *given(value, "value") = m.device().counter(number);
  });
}

const char* tessera_report(tessera_machine* machine) {
  return text_of(machine, [](auto& m) { return m.report(); });
}

const char* tessera_waits(tessera_machine* machine) {
  return text_of(machine, [](auto& m) { return m.waits(); });
}

tessera_status tessera_csl_rectangle(tessera_machine* machine, int32_t rectangle[4]) {
  return in(machine, [&](tessera_machine& m) {
    const auto found = m.csl_rectangle();
    given(rectangle, "rectangle");
    for (const int number : {found.x, found.y, found.w, found.h}) *rectangle++ = number;
  });
}

const char* tessera_csl_functions(tessera_machine* machine) {
  return text_of(machine, [](auto& m) { return m.csl_functions(); });
}

tessera_status tessera_csl_copy_to(tessera_machine* machine, const char* symbol,
                                   const tessera_region* region, const uint32_t* words,
                                   uint64_t count) {
  return in(machine, [&](tessera_machine& m) {
    const auto of = region_of(given(region, "region"), count);
    m.csl([&](auto& host) { host.copy_to(given(symbol, "symbol"), of, words_of(words, count)); });
  });
}

tessera_status tessera_csl_copy_from(tessera_machine* machine, const char* symbol,
                                     const tessera_region* region, uint32_t* words,
                                     uint64_t count) {
  return in(machine, [&](tessera_machine& m) {
    const auto of = region_of(given(region, "region"), count);
    m.csl([&](auto& host) {
      give(host.copy_from(given(symbol, "symbol"), of), given(words, "words", count));
    });
  });
}

tessera_status tessera_csl_stream_to(tessera_machine* machine, uint32_t color,
                                     const tessera_region* region, const uint32_t* words,
                                     uint64_t count) {
  return in(machine, [&](tessera_machine& m) {
    const auto of = region_of(given(region, "region"), count);
    m.csl([&](auto& host) { host.stream_to(color_of(color), of, words_of(words, count)); });
  });
}

tessera_status tessera_csl_stream_from(tessera_machine* machine, uint32_t color,
                                       const tessera_region* region, uint32_t* words,
                                       uint64_t count) {
  return in(machine, [&](tessera_machine& m) {
    const auto of = region_of(given(region, "region"), count);
    m.csl([&](auto& host) {
      give(host.stream_from(color_of(color), of), given(words, "words", count));
    });
  });
}

tessera_status tessera_csl_launch(tessera_machine* machine, const char* function,
                                  const uint32_t* arguments, uint32_t argument_count) {
  return in(machine, [&](tessera_machine& m) {
    m.csl_launch([&] {
      return tessera_machine::Call{given(function, "function"),
                                   words_of(arguments, argument_count)};
    });
  });
}
