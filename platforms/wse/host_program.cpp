#include "platforms/wse/host_program.h"

#include <algorithm>
#include <variant>

#include "platforms/wse/tile_copy.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::wse {

namespace {

std::uint32_t argument_bits(const std::variant<std::int64_t, double>& argument) {
  if (const auto* integer = std::get_if<std::int64_t>(&argument))
    return static_cast<std::uint32_t>(*integer);
  return bit_cast<std::uint32_t>(static_cast<float>(std::get<double>(argument)));
}

}  // namespace

HostProgram::HostProgram(const layout::Layout& layout, const Programs& programs,
                         const std::vector<HostStream>& streams, HostArrays& arrays,
                         const Checks& checks, Machine& machine, cli::RunControl& control)
    : layout_(layout), programs_(programs), streams_(streams), arrays_(arrays), checks_(checks),
      machine_(machine), control_(control), transfers_(arrays, machine) {
  control_.set_progress([this] { return progress(); });
}

HostProgram::~HostProgram() {
  control_.set_progress(nullptr);
}

cli::RunControl::Stop HostProgram::run() {
  for (step_ = 0; step_ < layout_.host.size(); ++step_) {
    const Stop stop =
        std::visit([this](const auto& step) { return carry_out(step); }, layout_.host[step_]);
    if (stop != Stop::kCondition) return stop;
  }
  const Stop stop = control_.run_to_idle();
  transfers_.collect();
  if (stop != Stop::kIdle) return stop;
  return transfers_.all_ended() ? Stop::kCondition : Stop::kIdle;
}

std::string HostProgram::current_step() const {
  if (step_ >= layout_.host.size()) return "the end of its program";
  return std::visit([](const auto& step) { return step.place; }, layout_.host[step_]);
}

cli::RunControl::Stop HostProgram::carry_out(const layout::CopyIn& step) {
  copy_in(layout_, *layout_.find_symbol(step.name), programs_, arrays_[step.name], machine_);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::CopyOut& step) {
  copy_out(layout_, *layout_.find_symbol(step.name), programs_, machine_, arrays_[step.name]);
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
  transfers_.begin(stream);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::StreamOut& step) {
  const HostStream& stream = stream_of_current_step();
  const std::size_t count = stream.wavelets_per_tile();
  for (TileCoord at : stream.tiles) machine_.edge(at, stream.side).expect(step.color, count);
  transfers_.begin(stream);
  return Stop::kCondition;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::Wait& step) {
  Stop stop = Stop::kCondition;
  if (step.name) {
    stop = control_.run_until([&] { return transfers_.ended(*step.name); });
  } else {
    stop = control_.run_to_idle();
    if (stop == Stop::kIdle) stop = Stop::kCondition;
  }
  transfers_.collect();
  ++waits_ended_;
  return stop;
}

cli::RunControl::Stop HostProgram::carry_out(const layout::Check& step) {
  results_.push_back(checks_.carry_out(step));
  return Stop::kCondition;
}

const HostStream& HostProgram::stream_of_current_step() const {
  return *std::find_if(streams_.begin(), streams_.end(),
                       [this](const HostStream& s) { return s.step_index == step_; });
}

std::optional<cli::Progress> HostProgram::progress() const {
  for (const bool into_fabric : {false, true}) {
    std::size_t total = 0;
    for (const HostStream& stream : streams_) {
      if (stream.into_fabric == into_fabric)
        total += stream.tiles.size() * stream.wavelets_per_tile();
    }
    if (total == 0) continue;
    return cli::Progress{static_cast<double>(transfers_.moved(into_fabric)),
                         static_cast<double>(total),
                         into_fabric ? "wavelets sent" : "awaited wavelets"};
  }
  const auto waits =
      std::count_if(layout_.host.begin(), layout_.host.end(), [](const layout::HostStep& step) {
        return std::holds_alternative<layout::Wait>(step);
      });
  if (waits < 2) return std::nullopt;
  return cli::Progress{static_cast<double>(waits_ended_), static_cast<double>(waits), "waits"};
}

}  // namespace tessera::wse
