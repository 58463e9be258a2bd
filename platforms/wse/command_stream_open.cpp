// Streams between the host and the PEs of a region.
#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/wse/command_stream.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

std::size_t place_in(const Region& region, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(region.columns()) +
         static_cast<std::size_t>(x);
}

}  // namespace

bool CommandStream::has_open() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const OpenStream& stream) { return !stream.of_pes.empty(); });
}

void CommandStream::stream_to(Color color, const Region& region,
                              const std::vector<std::uint32_t>& words) {
  follow(open_stream_to(color, region, words), true);
}

std::vector<std::uint32_t> CommandStream::stream_from(Color color, const Region& region) {
  const OpenId stream = open_stream_from(color, region);
  follow(stream, true);
  return words_of(stream);
}

CommandStream::OpenId CommandStream::open_stream_to(Color color, const Region& region,
                                                    const std::vector<std::uint32_t>& words) {
  check_words(region, words.size(), "stream to color " + std::to_string(color.value()));
  return open(color, region, words, true);
}

CommandStream::OpenId CommandStream::open_stream_from(Color color, const Region& region) {
  return open(color, region, {}, false);
}

CommandStream::OpenId CommandStream::open(Color color, const Region& region,
                                          const std::vector<std::uint32_t>& words, bool into_pes) {
  const std::string command = std::string("stream ") + (into_pes ? "to" : "from") + " color " +
                              std::to_string(color.value());
  check_region(region, command);
  if (timing_.is_silicon())
    throw UserError("", "",
                    command + ": no rate of streams to and from PEs is published for "
                              "memcpy.profile=silicon; use memcpy.profile=simulator");
  const std::uint32_t colors = into_pes ? program_.streams_in : program_.streams_out;
  if ((colors >> color.value() & 1U) == 0)
    throw UserError("", "",
                    command + ": the program gives <memcpy/get_params> no such color as " +
                        (into_pes ? "MEMCPYH2D_k" : "MEMCPYD2H_k"));
  OpenStream made{command + ", " + to_string(region), region, color, {}, {}};
  std::vector<host::Edge*> edges;
  for (int y = 0; y < region.rows(); ++y) {
    for (int x = 0; x < region.columns(); ++x) {
      made.of_pes.push_back(begin(machine_.edge(tile_of(region, x, y), Direction::kRamp), color,
                                  region.elements, !into_pes));
      edges.push_back(made.of_pes.back().edge);
    }
  }
  // A PE that takes the command after it was given up still has what it needs.
  const auto values = std::make_shared<const std::vector<std::uint32_t>>(words);
  const auto begin_at = [=](int x, int y, Cycle now) {
    host::Edge& edge = *edges[place_in(region, x, y)];
    if (!into_pes) return edge.expect(color, region.elements, now + 1);
    std::vector<host::Word> piece;
    for (std::size_t i = 0; i < region.elements; ++i)
      piece.push_back({(*values)[region.index(x, y, i)], false});
    edge.send(color, std::move(piece), now + 1);
  };
  // All edges are those of this process.
  offer(region, timing_.before_launch(), {},
        {[=](int x, int y, pe::Sram&, Cycle now) { begin_at(x, y, now); },
         [](int, int) { return wafer::HostOrder{}; },
         [=](int x, int y, const wafer::OrderTaken& taken) { begin_at(x, y, taken.now); }});
  open_.push_back(std::move(made));
  return open_.size() - 1;
}

bool CommandStream::follow(OpenId stream, bool must_end) {
  OpenStream& open = open_.at(stream);
  if (open.of_pes.empty()) return true;
  std::size_t next = 0;  // those before it are complete
  const auto is_complete = [&] {
    while (next < open.of_pes.size() && open.of_pes[next].moved() == open.region.elements) ++next;
    return next == open.of_pes.size();
  };
  if (must_end)
    run_until(is_complete, open.command);
  else if (!runs_until(is_complete, open.command))
    return false;
  if (open.of_pes.front().is_out) open.words = words_from(open);
  open.of_pes.clear();
  free_from_ = now();
  ++completed_;
  return true;
}

std::vector<std::uint32_t> CommandStream::words_from(const OpenStream& open) {
  const Region& region = open.region;
  std::vector<std::uint32_t> words(region.word_count());
  for (int y = 0; y < region.rows(); ++y) {
    for (int x = 0; x < region.columns(); ++x) {
      const HostStream& of_pe = open.of_pes[place_in(region, x, y)];
      for (std::size_t i = 0; i < region.elements; ++i)
        words[region.index(x, y, i)] =
            of_pe.edge->received(open.color)[of_pe.first + i].wavelet.payload;
    }
  }
  return words;
}

std::vector<std::uint32_t> CommandStream::words_of(OpenId stream) const {
  return open_.at(stream).words;
}

}  // namespace tessera::wse
