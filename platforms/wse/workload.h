// What a WSE machine runs: a layout, its tile programs and the streams of its host.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/compiled/program.h"
#include "frontends/layout/layout.h"
#include "models/pe/program.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// The code images of a layout: one per distinct program, shared by all tiles that run it.
class Programs {
 public:
  /// Assembles every program of `layout` that has no image for the machine of `config`. Throws
  /// UserError.
  Programs(const layout::Layout& layout, const WseConfig& config);

  /// nullptr where the tile has no program.
  const std::shared_ptr<const pe::Image>& image_of(TileCoord tile) const;
  const std::vector<std::shared_ptr<const pe::Image>>& images() const { return images_; }
  /// Writes every program as tile assembly, after a comment that names its file.
  void print(std::ostream& out) const;

 private:
  const layout::Layout& layout_;
  std::vector<std::shared_ptr<const pe::Image>> images_;
  std::shared_ptr<const pe::Image> none_;
};

/// A layout and what belongs to it, checked against each other and the machine of a config.
struct Workload {
  /// Reads the layout `file` with the parameters `params`. Throws UserError.
  Workload(const std::string& file, const std::map<std::string, std::int64_t>& params,
           const WseConfig& config);
  /// Takes a compiled program. Throws UserError if it does not fit the machine.
  Workload(const compiled::Program& program, const WseConfig& config);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  const layout::Layout layout;
  const Programs programs;
  const std::vector<HostStream> streams;
  const std::vector<layout::HostLink> links;  ///< links that the streams use
  const bool is_compiled = false;             ///< a program in CSL
};

}  // namespace tessera::wse
