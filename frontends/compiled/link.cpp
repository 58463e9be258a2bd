#include "frontends/compiled/link.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "frontends/compiled/ports.h"
#include "frontends/compiled/routes.h"
#include "frontends/csl/messages/messages.h"
#include "frontends/text/files_read.h"
#include "tlm_ifaces/config/config_space.h"

namespace tessera::compiled {
namespace {

/// Whether the PEs have transfers to and from the host, and on which colors: the fields of the struct
/// that `<memcpy/get_params>` makes, wherever they stand among the bindings of a tile (csl.md 11).
class FindStreams {
 public:
  explicit FindStreams(Program& program) : program_(program) {}

  void look_at(const csl::Type& type, const csl::Value& value) {
    if (!type.is(csl::TypeKind::kStruct) || value.is_undefined()) return;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const csl::Field& field = type.fields[i];
      const csl::Value& part = value.elements()[i];
      const bool is_in = field.name.rfind("MEMCPYH2D_", 0) == 0;
      const bool is_out = field.name.rfind("MEMCPYD2H_", 0) == 0;
      if (is_in || is_out) program_.has_memcpy = true;
      if ((is_in || is_out) && part.holds<csl::BigInt>()) {
        (is_in ? program_.streams_in : program_.streams_out) |=
            1U << static_cast<unsigned>(part.integer());
      } else {
        look_at(*field.type, part);
      }
    }
  }

  /// Until SDK 0.9 only the import of the transfers in the code of a PE names the colors.
  void look_at_imports(const csl::Instance& instance) {
    for (const csl::Instance* import : instance.imports) {
      if (import->file->name() == "<memcpy_multi/memcpy>") {
        look_at(*import->bindings.type, import->bindings.value());
        look_at_launches(*import);
      }
      look_at_imports(*import);
    }
  }

 private:
  /// SDK 0.6: launches are words on the color `.LAUNCH`, if the program has a task of its own for them.
  void look_at_launches(const csl::Instance& import) {
    const std::vector<csl::Field>& fields = import.bindings.type->fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const csl::Value& part = import.bindings.value().elements()[i];
      if (fields[i].name != "LAUNCH" || !part.holds<csl::BigInt>()) continue;
      const auto color = static_cast<unsigned>(part.integer());
      for (const csl::TaskBinding& task : import.tile->tasks) {
        if (task.kind == csl::TaskKind::kData && task.id == color)
          program_.streams_in |= 1U << color;
      }
    }
  }

  Program& program_;
};

std::optional<pe::ElementType> element_of(const csl::Type& type) {
  using pe::ElementType;
  if (!type.is(csl::TypeKind::kPointer)) return std::nullopt;
  const csl::Type* element = type.element;
  while (element->is(csl::TypeKind::kArray)) element = element->element;
  if (element->is(csl::TypeKind::kFloat)) {
    // Hosts have no bf16 and cb16: they get the bits.
    if (element->bits == 16) return element->name == "f16" ? ElementType::kF16 : ElementType::kU16;
    return element->bits == 32 ? std::optional(ElementType::kF32) : std::nullopt;
  }
  if (!element->is(csl::TypeKind::kInteger)) return std::nullopt;
  if (element->bits == 16) return element->is_signed ? ElementType::kI16 : ElementType::kU16;
  if (element->bits == 32) return element->is_signed ? ElementType::kI32 : ElementType::kU32;
  return std::nullopt;
}

void add_exports(const csl::Program& from, Program& to) {
  for (const csl::ExportedName& name : from.exports) {
    Export made;
    made.name = name.name;
    made.type = name.type->name;
    made.is_function = name.type->is(csl::TypeKind::kFunction);
    made.is_mutable = name.has_mutability && name.is_mutable;
    if (made.is_function) {
      for (const csl::Type* parameter : name.type->parameters)
        made.parameters.push_back(parameter->name);
    } else {
      made.element = element_of(*name.type);
    }
    to.exports.push_back(std::move(made));
  }
}

Local::Place place_of(const csl::codegen::LocalPlace& from) {
  using Kind = csl::codegen::LocalPlace::Kind;
  const char kind = from.kind == Kind::kRegister ? 'r' : from.kind == Kind::kMemory ? 'm' : 'c';
  return {kind, from.number, from.begin, from.end};
}

Locals locals_of(const csl::CompiledVariant& code) {
  auto all = std::make_shared<std::vector<Local>>();
  for (const csl::codegen::PlacedLocal& from : *code.locals) {
    Local& local = all->emplace_back();
    local.name = from.local->name;
    local.type = from.local->type;
    local.file = code.image->files.at(from.local->place.file + 1).name;
    local.line = from.local->place.line;
    local.last_line = from.local->last_line;
    local.element = csl::ir::element_of(from.type);
    local.count = from.count;
    local.packed = from.packed;
    local.packed_count = from.packed_count;
    local.inlined = from.inlined;
    if (from.local->global) local.global = from.global_address;
    for (const csl::codegen::LocalPlace& place : from.places)
      local.places.push_back(place_of(place));
  }
  return all;
}

std::shared_ptr<const Inlined> inlined_of(const csl::CompiledVariant& code) {
  auto all = std::make_shared<Inlined>();
  for (const csl::ir::InlinedCall& from : code.inlined->calls)
    all->calls.push_back({from.function, code.image->files.at(from.call.file + 1).name,
                          from.call.line, from.call.inlined});
  for (std::uint32_t pc = 0; pc < code.inlined->by_pc.size(); ++pc) {
    const std::uint32_t call = code.inlined->by_pc[pc];
    if (call == 0) continue;
    if (!all->code.empty() && all->code.back().end == pc && all->code.back().call == call)
      ++all->code.back().end;
    else
      all->code.push_back({pc, pc + 1, call});
  }
  return all;
}

/// The number of the program of a variant. Variants with the same image and symbols have one.
std::int32_t add_code(csl::Variant& variant, const Compile& compile, Program& to,
                      std::multimap<const pe::Image*, std::int32_t>& numbers) {
  csl::CompiledVariant code = compile(variant);
  if (variant.root != nullptr) FindStreams(to).look_at_imports(*variant.root);
  Symbols symbols;
  symbols.variables = std::move(code.variables);
  for (const csl::HostSymbol& symbol : code.symbols) {
    if (symbol.is_function) {
      symbols.functions.emplace(symbol.name, symbol.function);
    } else if (symbol.type->is(csl::TypeKind::kPointer)) {
      symbols.pointers.emplace(symbol.name, symbol.address);
      if (symbol.is_constant) symbols.constants.insert(symbol.name);
    }
  }
  const auto [first, last] = numbers.equal_range(code.image.get());
  for (auto known = first; known != last; ++known) {
    if (to.symbols[static_cast<std::size_t>(known->second)] == symbols) return known->second;
  }
  const auto number = static_cast<std::int32_t>(to.layout.programs.size());
  symbols.locals = locals_of(code);
  symbols.inlined = inlined_of(code);
  numbers.emplace(code.image.get(), number);
  layout::Program program;
  program.code = code.image->file;
  program.place = variant.file;
  program.image = std::move(code.image);
  to.layout.programs.push_back(std::move(program));
  to.symbols.push_back(std::move(symbols));
  return number;
}

/// Compiles the code of a variant, unless an earlier one has the same. The number of its program.
std::int32_t program_of_variant(csl::Engine& engine, csl::Variant& variant, const Compile& compile,
                                Program& to, const std::vector<std::int32_t>& program_of,
                                std::multimap<const pe::Image*, std::int32_t>& numbers) {
  FindStreams streams(to);
  if (variant.bindings.type != nullptr && variant.bindings.is_known())
    streams.look_at(*variant.bindings.type, variant.bindings.value());
  const auto like = engine.variant_like(
      variant.number, [&](const csl::Instance& root) { streams.look_at_imports(root); });
  if (like) return program_of[*like];
  std::int32_t program = -1;
  engine.make_code(variant.number,
                   [&](csl::Variant& made) { program = add_code(made, compile, to, numbers); });
  engine.release(variant);
  return program;
}

/// Routes of the tiles, row by row, each distinct one once.
class AddRoutes {
 public:
  /// `program_of`: the program of each variant.
  AddRoutes(const csl::Engine& engine, const csl::Program& from,
            const std::vector<std::int32_t>& program_of, Program& to)
      : engine_(engine), from_(from), program_of_(program_of), to_(to) {
    to_.layout.tile_routes_begin = {0};
  }

  void add_tile(TileCoord at) {
    layout::Layout& layout = to_.layout;
    const layout::Rect& rect = to_.rectangle;
    if (rect.contains(at)) {
      const csl::Pe& pe =
          from_.at(static_cast<unsigned>(at.x - rect.x), static_cast<unsigned>(at.y - rect.y));
      const auto number = static_cast<std::size_t>(pe.variant);
      layout.program_of_tile[layout.tile_index(at)] = program_of_[number];
      const auto& own =
          from_.variants[number]->declared().colors;  // those that the code configures
      std::map<unsigned, csl::ColorConfig> all;
      if (!own.empty()) {
        all = pe.colors;
        all.insert(own.begin(), own.end());
      }
      const std::map<unsigned, csl::ColorConfig>& colors = own.empty() ? pe.colors : all;
      for (const auto& [color, config] : colors) {
        if (((to_.streams_in | to_.streams_out) >> color & 1U) != 0)
          engine_.fail(
              csl::Id::kStreamColor, *config.at, "the color ", color,
              " is that of a stream to or from the host, whose routes the program does not set");
        layout.tile_routes.push_back({Color(color), number_of(config)});
        note_leaving(at, Color(color), layout.routes[layout.tile_routes.back().route].route);
      }
      add_silent_routes(at, static_cast<std::size_t>(program_of_[number]), colors);
    }
    layout.tile_routes_begin.push_back(static_cast<std::uint32_t>(layout.tile_routes.size()));
  }

  /// After the streams of the host.
  void add_leaving() {
    for (const auto& [where, colors] : leaving_) {
      const auto [y, x, side] = where;
      layout::HostLink made{{x, y}, side};
      auto link = std::find_if(to_.links.begin(), to_.links.end(), [&](const auto& other) {
        return other.tile == made.tile && other.side == made.side;
      });
      if (link == to_.links.end()) link = to_.links.insert(link, made);
      link->dropped_colors = colors & ~link->out_colors;
    }
  }

 private:
  /// Every color has a register. Programs may set those of colors without a route in the layout,
  /// which let nothing through before.
  void add_silent_routes(TileCoord at, std::size_t program,
                         const std::map<unsigned, csl::ColorConfig>& routed) {
    if (program >= written_.size()) written_.resize(to_.layout.programs.size(), std::nullopt);
    if (!written_[program]) written_[program] = written_colors(*to_.layout.programs[program].image);
    const std::uint32_t written = *written_[program] & ~(to_.streams_in | to_.streams_out);
    if (written != 0) note_written(at, written);
    layout::Layout& layout = to_.layout;
    const std::size_t begin = layout.tile_routes_begin.back();
    for (unsigned c = 0; c < kColorCount; ++c) {
      if ((written >> c & 1U) == 0 || routed.count(c) != 0) continue;
      layout.tile_routes.push_back({Color(c), silent_route()});
    }
    std::sort(layout.tile_routes.begin() + static_cast<std::ptrdiff_t>(begin),
              layout.tile_routes.end(),
              [](const auto& a, const auto& b) { return a.color < b.color; });
  }

  /// One bit for each color whose registers in the router the program may write.
  static std::uint32_t written_colors(const pe::Image& image) {
    constexpr std::uint32_t kAll = (1U << kColorCount) - 1;
    if (image.has_open_pointer()) return kAll;
    std::uint32_t colors = 0;
    for (const pe::Instruction& in : image.code) {
      if (in.op != pe::Opcode::kStcfg) continue;
      const pe::Operand& address = in.operands[0];
      if (address.kind != pe::kImm) return kAll;
      const auto at = static_cast<config_space::Address>(address.value);
      const bool is_route = config_space::is_router(at, image.generation) &&
                            !config_space::is_filter(at, image.generation);
      if (is_route) colors |= 1U << config_space::color_of(at).value();
    }
    return colors;
  }

  /// What a route sends over the rim of the rectangle leaves the program, which nobody else runs beside.
  void note_leaving(TileCoord at, Color color, const fabric::ColorRoute& route) {
    for (const Direction d : kCardinalDirections) {
      if (to_.rectangle.contains(neighbour(at, d))) continue;
      const auto sends = [d](const fabric::RoutePosition& p) {
        return p.valid && p.tx.contains(d);
      };
      if (std::any_of(route.positions.begin(), route.positions.end(), sends))
        leaving_[{at.y, at.x, d}] |= 1U << color.value();
    }
  }

  void note_written(TileCoord at, std::uint32_t colors) {
    for (const Direction d : kCardinalDirections) {
      if (!to_.rectangle.contains(neighbour(at, d))) leaving_[{at.y, at.x, d}] |= colors;
    }
  }

  std::uint32_t silent_route() {
    layout::RouteSpec spec;
    spec.route.positions[0].valid = true;
    spec.place = to_.file + ": ";
    const auto next = static_cast<std::uint32_t>(to_.layout.routes.size());
    const auto [known, is_new] = numbers_.emplace(route_text(spec.route), next);
    if (is_new) to_.layout.routes.push_back(std::move(spec));
    return known->second;
  }

  std::uint32_t number_of(const csl::ColorConfig& config) {
    std::string key;
    csl::append_key(key, config);
    const auto [one, is_unknown] = numbers_of_configs_.emplace(std::move(key), 0);
    if (is_unknown) one->second = number_of_new(config);
    return one->second;
  }

  std::uint32_t number_of_new(const csl::ColorConfig& config) {
    layout::RouteSpec spec;
    spec.route = route_of(config);
    spec.place = place_of(*config.at) + "@set_color_config";
    for (std::size_t i = 1; i < fabric::kSwitchPositions; ++i)
      spec.has_switches = spec.has_switches || spec.route.positions[i].valid;
    const auto next = static_cast<std::uint32_t>(to_.layout.routes.size());
    const auto [known, is_new] = numbers_.emplace(route_text(spec.route), next);
    if (is_new) to_.layout.routes.push_back(std::move(spec));
    return known->second;
  }

  /// "LINE:COLUMN: ", after the name of the file if it is not that of the layout.
  std::string place_of(const csl::Node& at) const {
    const std::string where = engine_.where(at);
    const bool is_top = where.rfind(to_.file + ":", 0) == 0;
    return (is_top ? where.substr(to_.file.size() + 1) : where) + ": ";
  }

  const csl::Engine& engine_;
  const csl::Program& from_;
  const std::vector<std::int32_t>& program_of_;
  Program& to_;
  std::map<std::string, std::uint32_t> numbers_;  ///< by text
  std::unordered_map<std::string, std::uint32_t> numbers_of_configs_;
  std::vector<std::optional<std::uint32_t>> written_;  ///< by program
  /// Colors that may leave the program, by y, x and side of the PE.
  std::map<std::tuple<int, int, Direction>, std::uint32_t> leaving_;
};

}  // namespace

layout::Rect place(const csl::Engine& engine, const std::string& file, const csl::Program& program,
                   const LinkOptions& options) {
  const auto [width, height] = engine.options.fabric;
  auto [x, y] = engine.options.offsets;
  const unsigned rim = options.has_memcpy ? 1 : 0;
  const unsigned west = options.has_memcpy ? 4 + options.west_buffer : 0;
  const unsigned east = options.has_memcpy ? 3 + options.east_buffer : 0;
  const layout::Rect rect{static_cast<int>(x), static_cast<int>(y), static_cast<int>(program.width),
                          static_cast<int>(program.height)};
  if (width == 0) return rect;
  const auto refuse = [&, x = x, y = y](const std::string& problem) {
    throw UserError(file, "",
                    "the program of " + std::to_string(program.width) + " x " +
                        std::to_string(program.height) + " PEs from (" + std::to_string(x) + ", " +
                        std::to_string(y) + ") on " + problem + tag(csl::Id::kFabricSize));
  };
  if (x < west || y < rim)
    refuse("leaves no room for host transfers; --fabric-offsets must be at least " +
           std::to_string(west) + "," + std::to_string(rim));
  if (x + program.width + east > width || y + program.height + rim > height)
    refuse("does not fit into the fabric; --fabric-dims must be at least " +
           std::to_string(x + program.width + east) + "," +
           std::to_string(y + program.height + rim));
  return rect;
}

unsigned channels_of(const std::string& text) {
  const std::uint64_t channels = csl::option_number(text, "--channels");
  if (channels == 0 || channels > kMostChannels)
    throw UserError("", "",
                    "--channels: " + text + " is not in 1.." + std::to_string(kMostChannels));
  return static_cast<unsigned>(channels);
}

Program link(csl::Engine& engine, const std::string& file, const LinkOptions& options,
             const Compile& compile) {
  const csl::Program& from = engine.program();
  Program to;
  to.file = file;
  to.generation = engine.options.arch == "wse2" ? Generation::kWse2 : Generation::kWse3;
  to.rectangle = place(engine, file, from, options);
  to.has_memcpy = options.has_memcpy;
  to.channels = options.channels;
  to.params = engine.options.params;
  to.colors = engine.options.colors;
  add_exports(from, to);
  std::vector<std::int32_t> program_of;
  do {
    to.layout.programs.clear();
    to.symbols.clear();
    program_of.assign(from.variants.size(), -1);
    engine.forget_codes();
    std::multimap<const pe::Image*, std::int32_t> numbers;
    for (const auto& variant : engine.program().variants) {
      try {
        engine.goes_on([&] {
          program_of[variant->number] =
              program_of_variant(engine, *variant, compile, to, program_of, numbers);
        });
      } catch (const csl::Mistakes& mistakes) {
        if (mistakes.is_full()) throw;  // the other codes may have others
      }
    }
    engine.mistakes.require_none();
  } while (engine.takes_version_back());
  engine.note_assumed_version();
  layout::Layout& layout = to.layout;
  layout.file = file;
  const auto [width, height] = engine.options.fabric;
  layout.width = width > 0 ? static_cast<int>(width) : to.rectangle.x + to.rectangle.w;
  layout.height = height > 0 ? static_cast<int>(height) : to.rectangle.y + to.rectangle.h;
  layout.params = {{"W", layout.width}, {"H", layout.height}};
  layout.program_of_tile.assign(layout.tile_count(), -1);
  AddRoutes routes(engine, from, program_of, to);
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x) routes.add_tile({x, y});
  }
  for (const Port& port : options.ports) add_port(port, to);
  routes.add_leaving();
  for (const auto& source : engine.files())
    to.sources.push_back({source->name(), text::digest_of(source->text())});
  return to;
}

}  // namespace tessera::compiled
