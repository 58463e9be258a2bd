// Saving, restoring and debugging a machine of the C interface.
#include <utility>

#include "models/state/archive.h"
#include "platforms/capi/machine.h"
#include "platforms/run/checkpoint_file.h"
#include "platforms/run/saved_state.h"
#include "tessera_commit.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::capi {

// --- the state

run::CheckpointHeader Machine::saved_header() const {
  run::CheckpointHeader header = accelerator_->saved_header();
  header.same["platform"] = "api";
  if (*TESSERA_COMMIT != '\0') header.same["commit"] = TESSERA_COMMIT;
  return header;
}

void Machine::visit(state::Archive& archive, Cycle next) {
  accelerator_->visit(archive, next);
  archive.same(taken_.size(), "the number of colors at edges");
  archive(open_launches_, is_launched_, taken_);
  if (!archive.value(csl_ != nullptr)) return;
  open_csl();
  archive(*csl_->stream);
}

void Machine::start() {
  if (!started_) settle();
}

// A cycle that time has come to, and that a limit has kept from being stepped, is stepped when the kernel runs again, whatever
// has become of the machine meanwhile.
void Machine::settle() {
  if (started_ && !sc_core::sc_pending_activity_at_current_time()) return;
  domain().set_bound(0);
  run::allow_idle_start();
  sc_core::sc_start();
  domain().set_bound(kNever);
  started_ = true;
}

void Machine::save(const std::string& path) {
  require_working();
  run::CheckpointHeader header = saved_header();
  if (!held_launch_.empty())
    throw UserError("", "",
                    "the launch of '" + held_launch_ +
                        "' is held by the debugger; a machine is saved between two commands");
  start();
  const Cycle next = domain().next_free_cycle();
  header.cycle = next;
  run::SavedState saved;
  try {
    visit(saved.archive(), next);
  } catch (const state::Mismatch& e) {
    throw UserError("", "", std::string("the machine cannot be saved: ") + e.what());
  }
  saved.write(path, header);
}

void Machine::restore(const std::string& path) {
  const run::CheckpointHeader here = saved_header();
  run::Checkpoint saved = run::read_checkpoint(path);
  const std::string differs = run::difference(saved.header, here);
  if (!differs.empty()) throw UserError(path, "", differs);
  struct WhileAlive {
    bool& flag;
    ~WhileAlive() { flag = false; }
  };
  is_restoring_ = true;
  const WhileAlive restoring{is_restoring_};
  settle();
  reset(false);
  const Cycle next = saved.header.cycle;
  try {
    state::Archive archive(std::move(saved.state));
    visit(archive, next);
    archive.finish();
  } catch (const state::Mismatch& e) {
    reset(false);
    throw UserError(
        path, "",
        std::string("the checkpoint does not fit this machine, which has been reset: ") + e.what());
  }
  pass_to(next);
  if (debugger_ == nullptr) return;
  debugger_->begin_again(next == 0 ? std::nullopt : std::optional(next - 1));
}

void Machine::pass_to(Cycle next) {
  if (next == 0) return;
  if (domain().next_free_cycle() < next) {  // the cycles before are not over for the domain
    if (!passage_id_) passage_id_ = domain().add(passage_);
    domain().wake(*passage_id_, next - 1);
  }
  is_held_ = stop_asked_ = false;
  advance(next);
}

// --- the debugger

void Machine::supervise() {
  if (debugger_ == nullptr) return;
  if (csl_ == nullptr) {
    domain().set_supervisor([this](Cycle now) { return is_held_after(now); });
    return;
  }
  csl_->control.set_visitor([this](Cycle now) {
    if (is_held_after(now)) domain().request_pause();
  });
}

// A copy of the host cannot be left in the middle.
bool Machine::is_held_after(Cycle now) {
  if (is_restoring_ || debugger_ == nullptr) return false;
  const bool is_copy = csl_ != nullptr && held_launch_.empty();
  if (!debugger_->after_cycle(now, !is_copy)) return false;
  is_held_ = true;
  return true;
}

std::string Machine::debug(const std::string& request) {
  if (debugger_ == nullptr) {
    std::unique_ptr<debug::Target> target = accelerator_->debug_target();
    start();
    const Cycle next = domain().next_free_cycle();
    debugger_ = std::make_unique<MachineDebugger>(
        std::move(target), next == 0 ? std::nullopt : std::optional(next - 1));
    supervise();
  }
  std::string messages = debugger_->answer(request);
  if (debugger_->is_over()) {
    if (csl_ == nullptr) domain().set_supervisor(nullptr);
    debugger_.reset();
  }
  return messages;
}

void Machine::csl_launch(const std::function<Call()>& call) {
  csl([&](wse::CommandStream& host) {
    const Call given = call();
    held_launch_ = given.function;
    launch_limit_ = kNever;
    try {
      host.launch(given.function, given.arguments);
    } catch (const wse::LaunchHeld&) {
      return;
    } catch (...) {
      held_launch_.clear();
      throw;
    }
    held_launch_.clear();
  });
}

tessera_stop Machine::go_on_with_launch(Cycle limit) {
  const std::string function = std::exchange(held_launch_, {});
  launch_limit_ = limit;
  bool is_left = false;
  csl([&](wse::CommandStream& host) {
    held_launch_ = function;
    domain().set_bound(limit);
    try {
      host.complete_launch(function);
      held_launch_.clear();
    } catch (const wse::LaunchHeld&) {
      is_left = true;
    } catch (...) {
      held_launch_.clear();
      throw;
    }
  });
  domain().set_bound(kNever);
  if (is_held_) return TESSERA_AT_STOP;
  return is_left ? TESSERA_AT_LIMIT : TESSERA_AT_REST;
}

}  // namespace tessera::capi
