// A compiled CSL program: what every tile of the fabric runs, how its router is set, and what the
// host may reach (csl.md 5, 10, 11). Made of an evaluated program (link.h) or read from the folder
// that tessera_cslc has written (folder.h); platforms/wse runs it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/pe/program.h"

namespace tessera::compiled {

/// What the layout has declared for the host with `@export_name`.
struct Export {
  std::string name;
  std::string type;  ///< as CSL writes it: "[*]f32", "fn(i16,f32)void"
  bool is_function = false;
  bool is_mutable = false;  ///< data: the host may write it
  /// Data: the type of the elements that the host copies. No value: not a number of 16 or 32 bits.
  std::optional<pe::ElementType> element;
  std::vector<std::string> parameters;  ///< functions: types of their parameters
  bool is_pointer() const { return !type.empty() && (type.front() == '*' || type.front() == '['); }
};

/// The variable of parameter `i` of a function, from 0 on, which is not in a register (codegen/legalize.cpp).
inline std::string argument_name(const std::string& function, std::size_t i) {
  return function + "_parameter" + std::to_string(i);
}

/// A local variable, constant or parameter of a function, for debuggers.
struct Local {
  /// Where it is while some instructions are the next ones.
  struct Place {
    char kind = 'r';           ///< register, 'm'emory or 'c'onstant
    std::uint32_t number = 0;  ///< of the (even, if wide) register; the address; the bits
    std::uint32_t begin = 0;   ///< the first instruction
    std::uint32_t end = 0;     ///< the one after the last
  };
  std::string name;
  std::string type;  ///< as CSL writes it
  std::string file;
  std::uint32_t line = 0;       ///< that declares it
  std::uint32_t last_line = 0;  ///< of its block
  pe::ElementType element = pe::ElementType::kI16;
  std::uint32_t count = 1;
  pe::PackedType packed = pe::PackedType::kNone;
  std::uint32_t packed_count = 0;
  std::vector<Place> places;  ///< at all others the compiler has optimized it away
  std::uint32_t inlined = 0;  ///< it is of the code of this call: 1 + index into Inlined::calls
  /// It is no local, but a number of a variable of the file: `places` say when it is elsewhere than at this address.
  std::optional<std::uint32_t> global;
};
using Locals = std::shared_ptr<const std::vector<Local>>;

/// Code of functions that stands in place of calls, for debuggers.
struct Inlined {
  struct Call {
    std::string function;
    std::string file;  ///< of the call
    std::uint32_t line = 0;
    std::uint32_t parent = 0;  ///< the call in whose code it stands: 1 + index; 0: none
  };
  /// Instructions from `begin` up to `end`: `call` is the innermost one.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t call = 0;  ///< 1 + index
  };
  std::vector<Call> calls;
  std::vector<Range> code;
};

/// What one code supplies for exported names.
struct Symbols {
  /// Data: addresses of pointer variables. The value of such a variable at the time of a copy says
  /// where the data lies (csl.md 5).
  std::map<std::string, std::uint32_t> pointers;
  std::set<std::string> constants;               ///< those of them that the host must not write to
  std::map<std::string, std::string> functions;  ///< exported functions: names in the image
  std::map<std::string, std::string> variables;  ///< all variables: names in the image
  Locals locals;                                 ///< follow from the code; null: not known
  std::shared_ptr<const Inlined> inlined;        ///< the same

  friend bool operator==(const Symbols& a, const Symbols& b) {
    return a.pointers == b.pointers && a.constants == b.constants && a.functions == b.functions &&
           a.variables == b.variables;
  }
};

/// A stream of the host by name, at one of the links of the program.
struct Port {
  std::string name;
  TileCoord tile;
  Direction side = Direction::kWest;
  Color color;
  bool is_out = false;  ///< the stream runs from the program to the host
};

/// A source file with a digest of its text.
struct Source {
  std::string file;
  std::string digest;
};

/// Channels between the host and a program (wse.md 10.31).
constexpr unsigned kMostChannels = 16;

struct Program {
  std::string file;  ///< path of the layout
  Generation generation = Generation::kWse3;
  /// The whole fabric. Tiles outside of the rectangle are only routers.
  layout::Layout layout;
  layout::Rect rectangle;        ///< place of the program in the fabric
  std::vector<Export> exports;   ///< the number of an export is its id for the host
  std::vector<Symbols> symbols;  ///< one for each of layout::Layout::programs
  bool has_memcpy = false;
  unsigned channels = 1;  ///< between the host and the rows of the rectangle, which share them
  // Colors of the streams between the host and all PEs of the rectangle, one bit each.
  std::uint32_t streams_in = 0;
  std::uint32_t streams_out = 0;
  std::vector<layout::HostLink> links;  ///< links of other streams of the host
  std::vector<Port> ports;              ///< streams at these links
  std::vector<std::pair<std::string, std::uint64_t>> params;  ///< params of the command line
  std::vector<std::pair<std::string, std::uint64_t>> colors;  ///< colors of the command line
  std::vector<Source> sources;

  /// The symbols of the code of a tile. Requires that the tile has code.
  const Symbols& symbols_of(TileCoord tile) const {
    return symbols[static_cast<std::size_t>(layout.program_of_tile[layout.tile_index(tile)])];
  }
  /// Returns nullptr if the layout declares no such name.
  const Export* find_export(const std::string& name) const;
};

}  // namespace tessera::compiled
