#include "platforms/wse/command_stream.h"

#include <algorithm>
#include <utility>

#include "models/pe/host_copy.h"
#include "models/state/archive.h"
#include "platforms/report/report.h"
#include "platforms/wse/argument_words.h"
#include "platforms/wse/checkpoints.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

CommandStream::CommandStream(const compiled::Program& program, const Workload& workload,
                             const WseConfig& config, ObservedMachine& observed,
                             run::RunControl& control, Checkpoints* checkpoints)
    : program_(program), workload_(workload), timing_(config.memcpy), observed_(observed),
      machine_(observed.machine()), control_(control), checkpoints_(checkpoints),
      missing_(workload.layout.tile_count()) {
  observed_.on_ready([this](std::uint32_t place) { take_ready(place); });
}

CommandStream::~CommandStream() {
  observed_.on_ready(nullptr);
}

// --- commands

void CommandStream::launch(const std::string& function,
                           const std::vector<std::uint32_t>& arguments) {
  const compiled::Export& e = exported(function, true);
  const std::string command = "launch of '" + function + "'";
  if (arguments.size() != e.parameters.size())
    throw UserError("", "",
                    command + ": " + report::plural(arguments.size(), "argument") +
                        " given; the function is " + e.type);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    words.push_back(register_word(arguments[i], e.parameters[i],
                                  command + ": argument " + std::to_string(i + 1)));
  constexpr std::size_t kInRegisters = pe::ComputeEngineCore::kMaxLaunchArguments;
  const auto more =
      words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kInRegisters));
  const std::vector<std::uint32_t> first(words.begin(), more), others(more, words.end());
  const Cycle start = next_command_from(timing_.before_launch());
  bool found = false;
  const layout::Rect& rect = program_.rectangle;
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x) {
      const auto& functions = program_.symbols_of({x, y}).functions;
      const auto name = functions.find(function);
      if (name == functions.end()) continue;
      const pe::Function* code = workload_.programs.image_of({x, y})->find_function(name->second);
      found = true;
      expect_answer({x, y});
      const Cycle at = start + static_cast<unsigned>(x - rect.x) * timing_.hop_cycles;
      if (!others.empty()) write_arguments({x, y}, name->second, others, at);
      machine_.launch({x, y}, *code, first, at);
    }
  }
  if (!found) throw UserError("", "", command + ": no PE supplies the function");
  run_launch(command);
  ++completed_;
}

void CommandStream::launch_on(Color color, const std::vector<std::uint32_t>& words) {
  Region region;
  const layout::Rect& rect = program_.rectangle;
  region.rect = {0, 0, rect.w, rect.h};
  region.elements = words.size();
  std::vector<std::uint32_t> copies(region.word_count());
  for (int y = 0; y < rect.h; ++y) {
    for (int x = 0; x < rect.w; ++x) {
      for (std::size_t i = 0; i < words.size(); ++i) copies[region.index(x, y, i)] = words[i];
    }
  }
  const OpenId stream = open_stream_to(color, region, copies);
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x) expect_answer({x, y});
  }
  follow(stream, true);
  run_launch("launch on color " + std::to_string(color.value()));
}

// Arguments beyond those in registers lie in variables of the function. A command of its own, which the PE takes right before
// the launch, writes them, one word a cycle as copies do.
void CommandStream::write_arguments(TileCoord tile, const std::string& function,
                                    const std::vector<std::uint32_t>& arguments, Cycle at) {
  const pe::Image& image = *workload_.programs.image_of(tile);
  pe::HostAccess access;
  access.cycles = static_cast<unsigned>(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name =
        compiled::argument_name(function, pe::ComputeEngineCore::kMaxLaunchArguments + i);
    const pe::Symbol* const place = image.find_symbol(name);
    if (place == nullptr) throw std::logic_error("the program has no variable '" + name + "'");
    access.writes.push_back({place->address, pe::bytes_of(place->type), arguments[i]});
  }
  if (!machine_.is_elsewhere(tile)) return machine_.access(tile, std::move(access), at);
  wafer::HostOrder order;
  order.cycles = access.cycles;
  order.writes = std::move(access.writes);
  machine_.order(tile, order, at, {});
}

// --- streams beside commands

std::size_t CommandStream::HostStream::moved() const {
  const std::size_t all = is_out ? edge->core().taken(color) : edge->core().sent(color);
  return std::clamp(all, first, first + count) - first;
}

CommandStream::HostStream CommandStream::begin(host::Edge& edge, Color color, std::size_t count,
                                               bool is_out) {
  std::size_t first = is_out ? edge.core().taken(color) : edge.core().sent(color);
  for (const HostStream& other : streams_) {
    if (other.edge == &edge && other.color == color && other.is_out == is_out)
      first = std::max(first, other.first + other.count);
  }
  for (const OpenStream& stream : open_) {
    for (const HostStream& other : stream.of_pes) {
      if (other.edge == &edge && other.color == color && other.is_out == is_out)
        first = std::max(first, other.first + other.count);
    }
  }
  return {&edge, color, first, count, is_out};
}

CommandStream::StreamId CommandStream::add_stream(TileCoord tile, Direction side, Color color,
                                                  std::size_t count, bool is_out) {
  const auto& links = program_.links;
  const auto link = std::find_if(links.begin(), links.end(), [&](const layout::HostLink& l) {
    return l.tile == tile && l.side == side;
  });
  if (link == links.end() || (is_out && (link->out_colors >> color.value() & 1U) == 0))
    throw UserError("", "",
                    "the program has no stream of color " + std::to_string(color.value()) +
                        " at tile " + to_string(tile) + ", " + to_string(side));
  if (is_out) machine_.edge(tile, side).drop_control();
  streams_.push_back(begin(machine_.edge(tile, side), color, count, is_out));
  return streams_.size() - 1;
}

CommandStream::StreamId CommandStream::send(TileCoord tile, Direction side, Color color,
                                            const std::vector<std::uint32_t>& words,
                                            bool ends_with_control) {
  const StreamId id = add_stream(tile, side, color, words.size(), false);
  std::vector<host::Word> sent;
  for (const std::uint32_t word : words) sent.push_back({word, false});
  if (ends_with_control && !sent.empty()) sent.back().control = true;
  streams_[id].edge->send(color, std::move(sent));
  return id;
}

CommandStream::StreamId CommandStream::receive(TileCoord tile, Direction side, Color color,
                                               std::size_t count) {
  const StreamId id = add_stream(tile, side, color, count, true);
  streams_[id].edge->expect(color, count);
  return id;
}

bool CommandStream::is_done(StreamId stream) const {
  return streams_.at(stream).moved() == streams_.at(stream).count;
}

void CommandStream::wait(StreamId stream) {
  const HostStream& s = streams_.at(stream);
  run_until([&] { return is_done(stream); }, std::string(s.is_out ? "receiving" : "sending") +
                                                 " of " + report::plural(s.count, "word") +
                                                 " on color " + std::to_string(s.color.value()));
}

std::vector<std::uint32_t> CommandStream::received(StreamId stream) const {
  const HostStream& s = streams_.at(stream);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; s.is_out && i < s.moved(); ++i)
    words.push_back(s.edge->received(s.color)[s.first + i].wavelet.payload);
  return words;
}

// --- without a command

const pe::Image& CommandStream::image_at(TileCoord tile) const {
  const pe::Image* const image =
      workload_.layout.on_grid(tile) ? workload_.programs.image_of(tile).get() : nullptr;
  const bool is_ours =
      image != nullptr && (machine_.is_elsewhere(tile) || machine_.engine(tile) != nullptr);
  if (!is_ours) throw UserError("", "", "tile " + to_string(tile) + " runs no program");
  return *image;
}

const pe::Symbol& CommandStream::symbol(TileCoord tile, const std::string& name) const {
  const pe::Image& image = image_at(tile);
  std::vector<std::string> names;
  for (const auto& [known, symbol] : program_.symbols_of(tile).variables) {
    if (known == name) return *image.find_symbol(symbol);
    names.push_back(known);
  }
  throw UserError("", "",
                  "the program of tile " + to_string(tile) + " has no variable '" + name + "'" +
                      did_you_mean(name, names));
}

std::vector<std::byte> CommandStream::read_symbol(TileCoord tile, const std::string& name) const {
  const pe::Symbol& found = symbol(tile, name);
  return read_memory(tile, found.address, found.count * pe::bytes_of(found.type));
}

void CommandStream::write_symbol(TileCoord tile, const std::string& name,
                                 const std::vector<std::byte>& bytes) {
  const pe::Symbol& found = symbol(tile, name);
  const std::uint32_t size = found.count * pe::bytes_of(found.type);
  if (bytes.size() != size)
    throw UserError("", "",
                    "the variable '" + name + "' of tile " + to_string(tile) + " has " +
                        report::plural(size, "byte") + "; " + std::to_string(bytes.size()) +
                        " were given");
  machine_.write_memory(tile, found.address, bytes);
}

std::vector<std::byte> CommandStream::read_memory(TileCoord tile, std::uint32_t address,
                                                  std::uint32_t bytes) const {
  if (address > pe::kSramBytes || bytes > pe::kSramBytes - address)
    throw UserError("", "",
                    report::plural(bytes, "byte") + " from address " + std::to_string(address) +
                        " on do not lie in the memory of a PE");
  image_at(tile);
  std::vector<std::byte> read(bytes);
  machine_.read_memory(tile, address, read);
  return read;
}

std::size_t CommandStream::elements_behind(const std::string& symbol, TileCoord tile) const {
  const compiled::Export& e = exported(symbol, false);
  const pe::Image& image = image_at(tile);
  const std::uint32_t address =
      machine_.read_half_words({{tile, pointer_of(symbol, tile)}}).front();
  const pe::Symbol* const found = pe::symbol_at(image, address);
  if (found != nullptr && e.element)
    return (found->address + found->count * pe::bytes_of(found->type) - address) /
           pe::bytes_of(*e.element);
  throw UserError(
      "", "", "the pointer '" + symbol + "' of tile " + to_string(tile) + " points to no variable");
}

// --- how commands run

namespace {

/// How many PEs of a copy are served before this one on its channel. What goes to many PEs travels once.
unsigned place_on_channel(const Region& region, const CopyPace& pace, int x, int y) {
  const bool one_column = region.copies == Region::Copies::kEachColumn;
  const bool one_row = region.copies == Region::Copies::kEachRow;
  const auto row = one_row ? 0U : static_cast<unsigned>(y) % static_cast<unsigned>(pace.rows);
  if (one_column) return row;
  return row * static_cast<unsigned>(region.columns()) + static_cast<unsigned>(x);
}

}  // namespace

TileCoord CommandStream::tile_of(const Region& region, int x, int y) const {
  return {program_.rectangle.x + region.rect.x + x * region.column_stride,
          program_.rectangle.y + region.rect.y + y * region.row_stride};
}

const compiled::Export& CommandStream::exported(const std::string& name, bool is_function) const {
  const compiled::Export* found = program_.find_export(name);
  if (found != nullptr && found->is_function == is_function) {
    if (is_function || found->is_pointer()) return *found;
    throw UserError("", "",
                    "the symbol '" + name + "' is " + found->type +
                        ", and the host copies what exported pointers point to");
  }
  if (found != nullptr)
    throw UserError("", "",
                    "the symbol '" + name + "' is " + found->type +
                        (is_function ? ", which is no function" : ", which is no data"));
  std::vector<std::string> names;
  for (const compiled::Export& e : program_.exports) {
    if (e.is_function == is_function) names.push_back(e.name);
  }
  throw UserError("", "",
                  "the program exports no symbol '" + name + "'" + did_you_mean(name, names));
}

std::uint32_t CommandStream::pointer_of(const std::string& symbol, TileCoord tile) const {
  const auto& pointers = program_.symbols_of(tile).pointers;
  const auto found = pointers.find(symbol);
  if (found != pointers.end()) return found->second;
  throw UserError("", "",
                  name_of(static_cast<std::uint32_t>(workload_.layout.tile_index(tile))) +
                      " supplies no symbol '" + symbol + "'");
}

void CommandStream::check_region(const Region& region, const std::string& command) const {
  const layout::Rect& r = region.rect;
  const layout::Rect& all = program_.rectangle;
  const bool inside = r.x >= 0 && r.y >= 0 && r.w > 0 && r.h > 0 && r.w <= all.w && r.h <= all.h &&
                      r.x <= all.w - r.w && r.y <= all.h - r.h && region.column_stride > 0 &&
                      region.row_stride > 0;
  if (inside) return;
  throw UserError("", "",
                  command + ": the region " + layout::to_string(r) +
                      " does not lie in the rectangle of " + std::to_string(all.w) + " x " +
                      std::to_string(all.h) + " PEs");
}

void CommandStream::check_words(const Region& region, std::size_t words,
                                const std::string& command) const {
  check_region(region, command);
  if (words == region.word_count()) return;
  throw UserError("", "",
                  command + ": the array has " + report::plural(words, "word") + "; the region " +
                      to_string(region) + ", takes " + std::to_string(region.word_count()));
}

void CommandStream::offer(const Region& region, unsigned before, const CopyPace& pace,
                          const Offer& offer) {
  const Cycle start = next_command_from(before);
  const auto shared = std::make_shared<const Offer>(offer);
  for (int y = 0; y < region.rows(); ++y) {
    for (int x = 0; x < region.columns(); ++x) {
      const TileCoord tile = tile_of(region, x, y);
      const auto column = static_cast<unsigned>(tile.x - program_.rectangle.x);
      const Cycle at = start + Cycle{column} * timing_.hop_cycles +
                       Cycle{place_on_channel(region, pace, x, y)} * pace.apart;
      if (machine_.is_elsewhere(tile)) {
        wafer::HostOrder order = shared->order(x, y);
        order.cycles = pace.held;
        order.is_told = true;
        machine_.order(tile, order, at, [shared, x, y](const wafer::OrderTaken& taken) {
          shared->taken(x, y, taken);
        });
        continue;
      }
      pe::HostAccess access;
      access.cycles = pace.held;
      access.act = [shared, x, y](pe::Sram& sram, Cycle now) { shared->act(x, y, sram, now); };
      machine_.access(tile, std::move(access), at);
    }
  }
}

void CommandStream::take_ready(std::uint32_t place) {
  if (--missing_[place] != 0) return;
  if (--unready_ > 0) return;
  ready_at_ = machine_.domain().now();
  machine_.domain().request_pause();
}

// While a function runs, tiles may be stepped ahead, if the next command cannot come so early that it meets a cycle
// that they have computed.
void CommandStream::run_launch(const std::string& command) {
  const unsigned before_next = std::min(timing_.before_launch(), timing_.before_copy());
  const bool may_be_ahead = before_next >= wafer::kMaxDepth;
  const auto is_done = [this] { return unready_ == 0 || (hold_ && hold_()); };
  control_.begin_command(command);
  const run::Stop stop = run_saved(free_from_ + before_next, is_done, may_be_ahead);
  control_.end_command();
  if (stop == run::Stop::kIdle && allows_silent_launch_ && !is_stuck(observe::Help::kNone)) {
    silent_launch_ = why_incomplete(stop, command);
    free_from_ = now();
    return;
  }
  if (stop != run::Stop::kCondition) fail(stop, command);
  if (unready_ > 0) throw LaunchHeld();
  free_from_ = ready_at_ + 1;
  is_ahead_ = may_be_ahead;
}

// The cycle `from` does not depend on how far ahead tiles are.
run::Stop CommandStream::run_saved(Cycle from, const std::function<bool()>& done, bool unwatched) {
  if (checkpoints_ == nullptr)
    return unwatched ? control_.run_unwatched_until(done) : control_.run_until(done);
  saved_from_ = from;
  const run::Stop stop = checkpoints_->run(control_, done, unwatched);
  saved_from_ = kNever;
  return stop;
}

void CommandStream::complete_launch(const std::string& function) {
  run_launch("launch of '" + function + "'");
  ++completed_;
}

void CommandStream::visit(state::Archive& archive) {
  archive.same(missing_.size(), "the number of tiles");
  archive(free_from_, ready_at_, is_ahead_, missing_, unready_, completed_);
}

Cycle CommandStream::next_command_from(unsigned before) {
  if (!silent_launch_.empty()) throw CommandError(run::Stop::kIdle, silent_launch_);
  const Cycle free_from = is_ahead_ ? free_from_ : std::max(now(), free_from_);
  is_ahead_ = false;
  return free_from + before;
}

run::Stop CommandStream::run_command(const std::function<bool()>& done,
                                     const std::string& command) {
  control_.begin_command(command);
  const run::Stop stop =
      checkpoints_ == nullptr ? control_.run_until(done) : checkpoints_->run(control_, done, false);
  control_.end_command();
  return stop;
}

void CommandStream::run_until(const std::function<bool()>& done, const std::string& command) {
  const run::Stop stop = run_command(done, command);
  if (stop != run::Stop::kCondition) fail(stop, command);
}

bool CommandStream::runs_until(const std::function<bool()>& done, const std::string& command) {
  const run::Stop stop = run_command(done, command);
  if (stop != run::Stop::kCondition && stop != run::Stop::kIdle) fail(stop, command);
  return stop == run::Stop::kCondition;
}

}  // namespace tessera::wse
