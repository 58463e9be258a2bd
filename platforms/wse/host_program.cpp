#include "platforms/wse/host_program.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "platforms/data/compare.h"
#include "platforms/data/npy.h"
#include "platforms/wse/mappings.h"

namespace tessera::wse {

namespace {

std::uint32_t argument_bits(const std::variant<std::int64_t, double>& argument) {
  if (const auto* integer = std::get_if<std::int64_t>(&argument))
    return static_cast<std::uint32_t>(*integer);
  const auto value = static_cast<float>(std::get<double>(argument));
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

HostProgram::HostProgram(const layout::Layout& layout, const Programs& programs,
                         const std::vector<HostStream>& streams, HostArrays& arrays,
                         Machine& machine, cli::RunControl& control)
    : layout_(layout), programs_(programs), streams_(streams), arrays_(arrays), machine_(machine),
      control_(control) {}

cli::RunControl::Stop HostProgram::run() {
  for (step_ = 0; step_ < layout_.host.size(); ++step_) {
    const Stop stop =
        std::visit([this](const auto& step) { return carry_out(step); }, layout_.host[step_]);
    if (stop != Stop::kCondition) return stop;
  }
  const Stop stop = control_.run_to_idle();
  collect_deliveries();
  if (stop != Stop::kIdle) return stop;
  return all_ended() ? Stop::kCondition : Stop::kIdle;
}

std::string HostProgram::current_step() const {
  if (step_ >= layout_.host.size()) return "the end of its program";
  return std::visit([](const auto& step) { return step.place; }, layout_.host[step_]);
}

cli::RunControl::Stop HostProgram::carry_out(const layout::CopyIn& step) {
  const data::HostArray& array = arrays_[step.name];
  for_each_tile(*layout_.find_symbol(step.name),
                [&](std::size_t i, pe::Sram& sram, std::uint32_t address) {
                  sram.write(address, static_cast<unsigned>(data::bytes_of(array.dtype)),
                             static_cast<std::uint32_t>(array.bits(i)));
                });
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::CopyOut& step) {
  data::HostArray& array = arrays_[step.name];
  for_each_tile(
      *layout_.find_symbol(step.name), [&](std::size_t i, pe::Sram& sram, std::uint32_t address) {
        array.set_bits(i, sram.read(address, static_cast<unsigned>(data::bytes_of(array.dtype))));
      });
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::Launch& step) {
  std::vector<std::uint32_t> arguments;
  for (const auto& argument : step.args) arguments.push_back(argument_bits(argument));
  const layout::Rect rect = step.rect.value_or(layout::Rect{0, 0, layout_.width, layout_.height});
  const Cycle at = machine_.domain().next_free_cycle();
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x) {
      const auto& image = programs_.image_of({x, y});
      if (image == nullptr) continue;
      if (const pe::Function* function = image->find_function(step.function)) {
        machine_.launch({x, y}, *function, arguments, at);
      }
    }
  }
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::StreamIn& step) {
  const HostStream& stream = stream_of_current_step();
  const data::HostArray& array = arrays_[step.name];
  for (std::size_t t = 0; t < stream.tiles.size(); ++t) {
    std::vector<host::Word> words;
    words.reserve(stream.wavelets_per_tile());
    for (const std::uint32_t payload : pack(stream, array, t)) words.push_back({payload, false});
    machine_.edge(stream.tiles[t], stream.side).send(step.color, std::move(words));
  }
  begin_transfers(stream);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::StreamOut& step) {
  const HostStream& stream = stream_of_current_step();
  const std::size_t count = stream.wavelets_per_tile();
  for (TileCoord at : stream.tiles) machine_.edge(at, stream.side).expect(step.color, count);
  begin_transfers(stream);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::Wait& step) {
  Stop stop = Stop::kCondition;
  if (step.name) {
    stop = control_.run_until([&] { return streams_of_array_ended(*step.name); });
  } else {
    stop = control_.run_to_idle();
    if (stop == Stop::kIdle) stop = Stop::kCondition;
  }
  collect_deliveries();
  return stop;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::Check& step) {
  const data::HostArray& actual = arrays_[step.name];
  const double atol = step.atol_value
                          ? arrays_.evaluate(*step.atol_value, {}, step.place).elements.at(0)
                          : step.atol;
  const data::Comparison result =
      step.expect ? data::compare(actual, data::read_npy(*step.expect), step.rtol, atol)
                  : data::compare(actual, arrays_.evaluate(*step.value, actual.shape, step.place),
                                  step.rtol, atol);
  checks_.push_back({step.name, result.passed, result.detail});
  return Stop::kCondition;
}

const HostStream& HostProgram::stream_of_current_step() const {
  return *std::find_if(streams_.begin(), streams_.end(),
                       [this](const HostStream& s) { return s.step_index == step_; });
}

void HostProgram::begin_transfers(const HostStream& stream) {
  const std::size_t count = stream.wavelets_per_tile();
  for (std::size_t t = 0; t < stream.tiles.size(); ++t) {
    const TileCoord at = stream.tiles[t];
    std::size_t& promised =
        promised_[{at.x, at.y, stream.side, stream.step->color.value(), stream.into_fabric}];
    transfers_.push_back({&stream, t, promised, count});
    promised += count;
  }
}

bool HostProgram::ended(const Transfer& t) const {
  const host::Edge& edge = machine_.edge(t.stream->tiles[t.tile], t.stream->side);
  const Color color = t.stream->step->color;
  const std::size_t so_far =
      t.stream->into_fabric ? edge.core().sent(color) : edge.received(color).size();
  return so_far >= t.first + t.count;
}

bool HostProgram::all_ended() const {
  return std::all_of(transfers_.begin(), transfers_.end(),
                     [this](const Transfer& t) { return ended(t); });
}

bool HostProgram::streams_of_array_ended(const std::string& name) const {
  return std::all_of(transfers_.begin(), transfers_.end(),
                     [&](const Transfer& t) { return t.stream->step->name != name || ended(t); });
}

// What has come since the last time is put into the arrays; an incomplete stream leaves the rest as
// it was.
void HostProgram::collect_deliveries() {
  for (Transfer& t : transfers_) {
    if (t.stream->into_fabric) continue;
    data::HostArray& array = arrays_[t.stream->step->name];
    const auto& received =
        machine_.edge(t.stream->tiles[t.tile], t.stream->side).received(t.stream->step->color);
    for (; t.collected < t.count && t.first + t.collected < received.size(); ++t.collected) {
      unpack(*t.stream, t.tile, t.collected, received[t.first + t.collected].wavelet.payload,
             array);
    }
  }
}

void HostProgram::for_each_tile(const layout::Symbol& symbol,
                                const std::function<void(std::size_t host_index, pe::Sram& sram,
                                                         std::uint32_t address)>& visit) {
  const data::TileMapping mapping = mapping_of(layout_, symbol);
  const std::size_t count = mapping.elements_per_tile();
  for (std::size_t y = 0; y < static_cast<std::size_t>(symbol.rect.h); ++y) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(symbol.rect.w); ++x) {
      const TileCoord at{symbol.rect.x + static_cast<int>(x), symbol.rect.y + static_cast<int>(y)};
      const pe::Symbol& data = *programs_.image_of(at)->find_symbol(symbol.symbol);
      pe::Sram& sram = machine_.engine(at)->sram();
      for (std::size_t k = 0; k < count; ++k) {
        const auto address = static_cast<std::uint32_t>(data.address + k * pe::bytes_of(data.type));
        visit(mapping.host_index(x, y, k), sram, address);
      }
    }
  }
}

}  // namespace tessera::wse
