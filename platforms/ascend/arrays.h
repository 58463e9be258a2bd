// The pointer arguments of a PTO program as arrays of the host: --input and --output.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "frontends/pto/lower.h"
#include "models/cluster/memory/cluster_data.h"
#include "platforms/ascend/options.h"
#include "platforms/data/host_array.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

class Arrays {
 public:
  /// Reads the files of --input. With --no-data only scalar loads see their contents. Throws
  /// UserError.
  Arrays(const Options& options, cluster::Profile profile, const cluster::Launch& launch,
         const pto::Kernel& kernel);

  /// Sets the contents of an array that --input does not give; `zeros`: so many zero bytes instead
  /// of `values`, which then has no bytes.
  void give(std::size_t array, data::HostArray values, std::size_t zeros = 0);
  /// What the machine gets.
  cluster::ClusterData* data() { return data_.get(); }
  /// Writes the files of --output, and into the report every array that has been written to.
  void write_outputs(report::Report& report);

 private:
  void read(std::size_t array, const std::string& file);

  const Options& options_;
  std::unique_ptr<cluster::ClusterData> data_;
  struct Form {
    data::Shape shape;
    data::DType dtype = data::DType::kF32;
  };
  std::map<std::size_t, Form> forms_;  // of the arrays that were read or given
};

}  // namespace tessera::ascend
