#include "platforms/wse/workload.h"

#include <ostream>

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

}  // namespace

Programs::Programs(const layout::Layout& layout, const WseConfig& config) : layout_(layout) {
  for (const layout::Program& program : layout.programs) {
    tasm::AssembleOptions options;
    options.generation = config.generation;
    options.control_task_31 = config.pe.control_task_31;
    options.params.insert(program.params.begin(), program.params.end());
    try {
      images_.push_back(
          std::make_shared<const pe::Image>(tasm::assemble_file(program.code, options)));
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
  for (const auto& image : images_)
    out << "; " << image->file << '\n' << tasm::disassemble(*image) << '\n';
}

Workload::Workload(const std::string& file, const std::map<std::string, std::int64_t>& params,
                   const WseConfig& config)
    : layout(read_checked(file, params, config)), programs(layout, config),
      streams(resolve_streams(layout)) {
  check_layout(layout, config, programs, streams);
}

}  // namespace tessera::wse
