#include "platforms/ascend/tasks/task_state.h"

#include <fstream>
#include <utility>

#include "frontends/text/files_read.h"
#include "models/state/archive.h"
#include "platforms/run/checkpoint_file.h"
#include "platforms/run/saved_state.h"
#include "platforms/run/signals.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

TaskState::TaskState(const run::CheckpointOptions& given, run::CheckpointHeader same)
    : given_(given), same_(std::move(same)) {
  if (given_.saves()) run::catch_signals();
  if (!given_.restore_file.empty()) restore();
}

void TaskState::check(const run::CheckpointOptions& given) {
  if (!given.at && !given.every_cycles) return;
  throw UserError("", given.at ? "--checkpoint-at" : "--checkpoint-every",
                  "a list of tasks is saved between two runs of its kernels, so not in a cycle; "
                  "give seconds, such as --checkpoint-every 600s, or --checkpoint-on-stop");
}

TaskState::Digests TaskState::digests_of(const std::vector<std::string>& files) {
  Digests digests;
  for (const std::string& file : files) {
    std::ifstream contents(file, std::ios::binary);
    if (contents) digests[file] = text::digest_of(contents);
  }
  return digests;
}

void TaskState::restore() {
  const std::string& file = given_.restore_file;
  run::Checkpoint saved = run::read_checkpoint(file);
  const std::string differs = run::difference(saved.header, same_);
  if (!differs.empty()) throw UserError(file, "", differs);
  try {
    state::Archive archive(std::move(saved.state));
    archive(measured_);
    archive.finish();
  } catch (const state::Mismatch& e) {
    throw UserError(file, "", std::string("the checkpoint does not fit this run: ") + e.what());
  }
  for (const auto& [words, measured] : measured_) {
    for (const auto& [name, digest] : measured.files) {
      const Digests now = digests_of({name});
      if (now.count(name) == 0 || now.at(name) != digest)
        throw UserError(file, "",
                        name + " is not what it was when its kernel was run for the checkpoint");
    }
  }
  restored_ = measured_.size();
}

const Ns* TaskState::find(const Words& words) const {
  const auto found = measured_.find(words);
  return found == measured_.end() ? nullptr : &found->second.time;
}

void TaskState::add(const Words& words, Ns time, Digests files) {
  measured_[words] = {time, std::move(files)};
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - saved_at_;
  if (given_.every_s && since.count() >= *given_.every_s) save();
}

void TaskState::stop_if_asked() {
  if (!given_.saves() || !run::must_stop()) return;
  if (given_.on_stop) save();
  throw IllegalBehaviour(run::stop_reason() + " after " + std::to_string(measured_.size()) +
                         " different runs of kernels");
}

void TaskState::save() {
  run::CheckpointHeader header = same_;
  header.told["recorded"] = "times of " + std::to_string(measured_.size()) + " runs of kernels";
  run::SavedState saved;
  saved.archive()(measured_);
  saved.write(given_.file, header);
  saved_at_ = std::chrono::steady_clock::now();
}

}  // namespace tessera::ascend
