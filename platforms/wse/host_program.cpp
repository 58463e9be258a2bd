#include "platforms/wse/host_program.h"

#include <algorithm>
#include <variant>

#include "models/state/archive.h"
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

HostProgram::HostProgram(const Workload& workload, HostArrays& arrays, const Checks& checks,
                         Machine& machine)
    : layout_(workload.layout), programs_(workload.programs), streams_(workload.streams),
      arrays_(arrays), checks_(checks), machine_(machine), transfers_(arrays, machine) {}

run::Stop HostProgram::drive(run::RunControl& control) {
  control_ = &control;
  control.set_progress([this] { return progress(); });
  const Checkpoints::Ended ended(checkpoints_);
  if (checkpoints_ == nullptr || !checkpoints_->begin(control)) step_ = 0;
  for (; step_ < layout_.host.size(); ++step_) {
    const Stop stop =
        std::visit([this](const auto& step) { return carry_out(step); }, layout_.host[step_]);
    if (stop != Stop::kCondition) return stop;
  }
  const Stop stop = run_to_idle();
  transfers_.collect();
  if (stop != Stop::kIdle) return stop;
  return transfers_.all_ended() ? Stop::kCondition : Stop::kIdle;
}

// A bound that only cuts off wake-ups with nothing to do is not in the way of a finished program.
bool HostProgram::is_done(Stop stop, const observe::Waits& waits) {
  if (waits.blocking() > 0) return false;
  if (stop == Stop::kCondition) return true;
  return stop == Stop::kMaxCycles && step_ >= layout_.host.size() && transfers_.all_ended() &&
         machine_.wavelets_held() == 0;
}

std::string HostProgram::describe_stop(const std::string& stopped,
                                       const report::Report& report) const {
  const std::string text = stopped + "; the host is at " + current_step();
  if (report.stuck.empty()) return text;
  const std::vector<int>& at = report.stuck.front().at;
  return text + run::first_wait(report, "PE " + to_string(TileCoord{at[0], at[1]}) + ": ");
}

std::string HostProgram::remark(const observe::Waits& waits) const {
  return unread_wavelets(machine_, waits, [this](std::uint32_t place) {
    const auto tile = static_cast<int>(place);
    return "PE " + to_string(TileCoord{tile % layout_.width, tile / layout_.width});
  });
}

std::string HostProgram::current_step() const {
  if (step_ >= layout_.host.size()) return "the end of its program";
  return std::visit([](const auto& step) { return step.place; }, layout_.host[step_]);
}

run::Stop HostProgram::carry_out(const layout::CopyIn& step) {
  copy_in(layout_, *layout_.find_symbol(step.name), programs_, arrays_[step.name], machine_);
  return Stop::kCondition;
}

run::Stop HostProgram::carry_out(const layout::CopyOut& step) {
  copy_out(layout_, *layout_.find_symbol(step.name), programs_, machine_, arrays_[step.name]);
  return Stop::kCondition;
}

run::Stop HostProgram::carry_out(const layout::Launch& step) {
  control_->begin_command("launch " + step.function);
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

run::Stop HostProgram::carry_out(const layout::StreamIn& step) {
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

run::Stop HostProgram::carry_out(const layout::StreamOut& step) {
  const HostStream& stream = stream_of_current_step();
  const std::size_t count = stream.wavelets_per_tile();
  for (TileCoord at : stream.tiles) machine_.edge(at, stream.side).expect(step.color, count);
  transfers_.begin(stream);
  return Stop::kCondition;
}

run::Stop HostProgram::carry_out(const layout::Wait& step) {
  Stop stop = Stop::kCondition;
  if (step.name) {
    stop = run_until([&] { return transfers_.ended(*step.name); });
  } else {
    stop = run_to_idle();
    if (stop == Stop::kIdle) stop = Stop::kCondition;
  }
  control_->end_command();
  transfers_.collect();
  ++waits_ended_;
  return stop;
}

run::Stop HostProgram::run_until(const std::function<bool()>& done) {
  return checkpoints_ == nullptr ? control_->run_until(done)
                                 : checkpoints_->run(*control_, done, false);
}

run::Stop HostProgram::run_to_idle() {
  return checkpoints_ == nullptr ? control_->run_to_idle()
                                 : checkpoints_->run(
                                       *control_, [] { return false; }, true);
}

// The state is saved while the program waits: it begins again with that step.
void HostProgram::visit(state::Archive& archive) {
  archive(step_, waits_ended_);
  results_.resize(archive.count(results_.size()));
  for (report::Check& check : results_) archive(check.name, check.passed, check.detail);
  transfers_.visit(archive, streams_);
  arrays_.visit(archive);
  if (step_ > layout_.host.size()) state::Archive::fail("it has another program of the host");
}

run::Stop HostProgram::carry_out(const layout::Check& step) {
  results_.push_back(checks_.carry_out(step));
  return Stop::kCondition;
}

const HostStream& HostProgram::stream_of_current_step() const {
  return *std::find_if(streams_.begin(), streams_.end(),
                       [this](const HostStream& s) { return s.step_index == step_; });
}

std::optional<run::Progress> HostProgram::progress() const {
  for (const bool into_fabric : {false, true}) {
    std::size_t total = 0;
    for (const HostStream& stream : streams_) {
      if (stream.into_fabric == into_fabric)
        total += stream.tiles.size() * stream.wavelets_per_tile();
    }
    if (total == 0) continue;
    return run::Progress{static_cast<double>(transfers_.moved(into_fabric)),
                         static_cast<double>(total),
                         into_fabric ? "wavelets sent" : "awaited wavelets"};
  }
  const auto waits =
      std::count_if(layout_.host.begin(), layout_.host.end(), [](const layout::HostStep& step) {
        return std::holds_alternative<layout::Wait>(step);
      });
  if (waits < 2) return std::nullopt;
  return run::Progress{static_cast<double>(waits_ended_), static_cast<double>(waits), "waits"};
}

}  // namespace tessera::wse
