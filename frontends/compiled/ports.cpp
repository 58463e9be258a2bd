#include "frontends/compiled/ports.h"

#include <algorithm>
#include <regex>

#include "frontends/csl/option_text.h"

namespace tessera::compiled {
namespace {

constexpr const char* kOption = "--host-stream";

}  // namespace

Port port_of(const std::string& text) {
  const std::regex form("([^:]+):(in|out):([0-9]+,[0-9]+):(WEST|EAST|SOUTH|NORTH):([0-9]+)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form))
    throw UserError("", kOption,
                    "'" + text + "' is not of the form NAME:in:X,Y:SIDE:COLOR or NAME:out:..");
  Port port;
  port.name = parts[1];
  port.is_out = parts[2] == "out";
  const auto [x, y] = csl::option_pair(parts[3], kOption);
  port.tile = {static_cast<int>(x), static_cast<int>(y)};
  for (const Direction d : kAllDirections) {
    if (to_string(d) == parts[4]) port.side = d;
  }
  const std::uint64_t color = csl::option_number(parts[5], kOption);
  if (color >= kColorCount)
    throw UserError("", kOption, "'" + text + "': there is no color " + std::to_string(color));
  port.color = Color(static_cast<unsigned>(color));
  return port;
}

void add_port(const Port& port, Program& program) {
  const layout::Layout& layout = program.layout;
  if (!layout.on_grid(port.tile) || layout.on_grid(neighbour(port.tile, port.side)))
    throw UserError("", kOption,
                    "the side " + std::string(to_string(port.side)) + " of PE " +
                        to_string(port.tile) + " does not lie on the rim of the fabric");
  for (const Port& other : program.ports) {
    if (other.name == port.name)
      throw UserError("", kOption, "there are two streams '" + port.name + "'");
  }
  program.ports.push_back(port);
  auto link =
      std::find_if(program.links.begin(), program.links.end(), [&](const layout::HostLink& l) {
        return l.tile == port.tile && l.side == port.side;
      });
  if (link == program.links.end())
    link = program.links.insert(link, layout::HostLink{port.tile, port.side});
  if (port.is_out) link->out_colors |= 1U << port.color.value();
}

}  // namespace tessera::compiled
