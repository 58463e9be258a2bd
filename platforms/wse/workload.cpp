#include "platforms/wse/workload.h"

#include <ostream>

#include "frontends/compiled/check.h"
#include "frontends/compiled/listing.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/tasm/assembler.h"
#include "frontends/tasm/disassembler.h"
#include "platforms/wse/layout_check.h"
#include "platforms/wse/tile_copy.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

// What concerns layout and config alone comes before the programs are assembled: a grid that is too
// large or an array that cannot be cut would show there as something odd.
layout::Layout read_checked(const std::string& file,
                            const std::map<std::string, std::int64_t>& params,
                            const WseConfig& config) {
  layout::Layout layout = layout::read_layout(file, params);
  check_grid(layout, config);
  for (const layout::Symbol& symbol : layout.symbols) mapping_of(layout, symbol);
  return layout;
}

// Streams of the host reach every PE of the rectangle.
std::vector<layout::HostLink> links_of(const compiled::Program& program) {
  std::vector<layout::HostLink> links = program.links;
  if ((program.streams_in | program.streams_out) == 0) return links;
  const layout::Rect& rect = program.rectangle;
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x)
      links.push_back({{x, y}, Direction::kRamp, program.streams_out, program.streams_in});
  }
  return links;
}

const layout::Layout& layout_for(const compiled::Program& program, const WseConfig& config) {
  if (program.generation == config.generation) return program.layout;
  throw UserError(program.file, "",
                  "the program was compiled for " + std::string(to_string(program.generation)) +
                      "; the machine is " + config.name);
}

void require_room(const pe::Image& image, const WseConfig& config) {
  const std::uint32_t most = pe::kSramBytes - config.memcpy.reserved_bytes;
  if (image.data_end <= most) return;
  throw UserError(image.file, "",
                  "code and data take " + std::to_string(image.data_end) + " bytes of a PE; " +
                      std::to_string(most) + " are free beside the " +
                      std::to_string(config.memcpy.reserved_bytes) +
                      " of host transfers (memcpy.reserved_bytes)");
}

}  // namespace

Programs::Programs(const layout::Layout& layout, const WseConfig& config) : layout_(layout) {
  for (const layout::Program& program : layout.programs) {
    if (program.image != nullptr) {
      images_.push_back(program.image);
      continue;
    }
    tasm::AssembleOptions options;
    options.generation = config.generation;
    options.control_task_31 = config.pe.control_task_31;
    options.params.insert(program.params.begin(), program.params.end());
    try {
      options.file = program.code;
      images_.push_back(std::make_shared<const pe::Image>(
          program.text != nullptr ? tasm::assemble(*program.text, options)
                                  : tasm::assemble_file(program.code, options)));
    } catch (const UserError& e) {
      // A message without a line is about the parameters, which the layout gives.
      if (!e.place().empty()) throw;
      throw UserError(layout.file, program.place, e.what());
    }
  }
}

const std::shared_ptr<const pe::Image>& Programs::image_of(TileCoord tile) const {
  const std::int32_t program = layout_.program_of_tile[layout_.tile_index(tile)];
  return program < 0 ? none_ : images_[static_cast<std::size_t>(program)];
}

void Programs::print(std::ostream& out) const {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const bool is_compiled = layout_.programs[i].image != nullptr;
    out << "; " << images_[i]->file << '\n'
        << (is_compiled ? compiled::listing(*images_[i]) : tasm::disassemble(*images_[i])) << '\n';
  }
}

Workload::Workload(const std::string& file, const std::map<std::string, std::int64_t>& params,
                   const WseConfig& config)
    : layout(read_checked(file, params, config)), programs(layout, config),
      streams(resolve_streams(layout)), links(rim_links(layout, streams)) {
  check_layout(layout, config, programs, streams);
}

// Nothing takes what leaves the grid: it waits there, which is no mistake of a CSL program.
Workload::Workload(const compiled::Program& program, const WseConfig& config)
    : layout(layout_for(program, config)), programs(layout, config), links(links_of(program)),
      is_compiled(true) {
  check_grid(layout, config);
  check_routes(layout, config, programs);
  compiled::check_code(program, programs.images());
  if (!program.has_memcpy) return;
  for (const auto& image : programs.images()) require_room(*image, config);
}

}  // namespace tessera::wse
