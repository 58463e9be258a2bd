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
  return std::all_of(deliveries_.begin(), deliveries_.end(),
                     [this](const Delivery& d) { return delivered(d); })
             ? Stop::kCondition
             : Stop::kIdle;
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
  const std::size_t count = mapping_of(layout_, step).elements_per_tile();
  for (std::size_t t = 0; t < stream.tiles.size(); ++t) {
    std::vector<host::Word> words;
    words.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      words.push_back({static_cast<std::uint32_t>(array.bits(t * count + i)), false});
    }
    machine_.edge(stream.tiles[t], stream.side).send(step.color, std::move(words));
  }
  sends_.emplace_back(&stream, count);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::StreamOut& step) {
  const HostStream& stream = stream_of_current_step();
  const std::size_t count = mapping_of(layout_, step).elements_per_tile();
  for (std::size_t t = 0; t < stream.tiles.size(); ++t) {
    const TileCoord at = stream.tiles[t];
    std::size_t& claimed = claimed_[{at.x, at.y, stream.side, step.color.value()}];
    machine_.edge(at, stream.side).expect(step.color, count);
    deliveries_.push_back({&stream, t, claimed, count});
    claimed += count;
  }
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

bool HostProgram::delivered(const Delivery& d) const {
  const auto& received =
      machine_.edge(d.stream->tiles[d.tile], d.stream->side).received(d.stream->step->color);
  return received.size() >= d.first + d.count;
}

bool HostProgram::streams_of_array_ended(const std::string& name) const {
  const bool out_ended =
      std::all_of(deliveries_.begin(), deliveries_.end(),
                  [&](const Delivery& d) { return d.stream->step->name != name || delivered(d); });
  const bool in_ended = std::all_of(sends_.begin(), sends_.end(), [&](const auto& send) {
    const HostStream& stream = *send.first;
    if (stream.step->name != name) return true;
    return std::all_of(stream.tiles.begin(), stream.tiles.end(), [&](TileCoord at) {
      return machine_.edge(at, stream.side).core().all_sent(stream.step->color);
    });
  });
  return out_ended && in_ended;
}

// What has come so far is put into the arrays; an incomplete stream leaves the rest as it was.
void HostProgram::collect_deliveries() {
  for (const Delivery& d : deliveries_) {
    data::HostArray& array = arrays_[d.stream->step->name];
    const auto& received =
        machine_.edge(d.stream->tiles[d.tile], d.stream->side).received(d.stream->step->color);
    for (std::size_t i = 0; i < d.count && d.first + i < received.size(); ++i) {
      array.set_bits(d.tile * d.count + i, received[d.first + i].wavelet.payload);
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
