#include "platforms/run/driver.h"

#include <algorithm>
#include <memory>

#include "frontends/text/output_file.h"
#include "platforms/cli/main.h"
#include "platforms/run/live_data.h"
#include "platforms/run/live_view.h"
#include "platforms/run/recording.h"
#include "platforms/run/signals.h"
#include "platforms/run/wait_report.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

namespace {

/// Waits of each sort that a report lists.
constexpr std::size_t kMostWaits = 10'000;

}  // namespace

std::string first_wait(const report::Report& report, const std::string& place) {
  if (report.stuck.empty()) return {};
  const report::Wait& first = report.stuck.front();
  std::string text = "; " + place + first.who + " waits for " + first.what;
  if (!report.wait_groups.empty() && !report.wait_groups.front().why.empty())
    text += ": " + report.wait_groups.front().why;
  if (report.wait_count > 1) text += "; and " + report::plural(report.wait_count - 1, "more wait");
  return text;
}

std::vector<std::string> sentences_about(View& view, std::uint32_t place, Cycle now) {
  view.catch_up_at(place, now + 1);
  std::vector<std::string> sentences;
  if (std::string state = view.state_of(place, now); !state.empty())
    sentences.push_back(std::move(state));
  observe::Waits waits = observe::Waits::of(place);
  view.describe_waits(waits);
  for (const observe::Wait& wait : waits) sentences.push_back(wait.who + " waits for " + wait.what);
  return sentences;
}

std::string Program::describe_stop(const std::string& stopped, const report::Report& report) const {
  return stopped + first_wait(report);
}

std::string Program::describe_failure(const report::Check& check) const {
  return "check of '" + check.name + "' failed: " + check.detail;
}

Driver::Driver(const cli::Options& options, report::Report& report)
    : options_(options), report_(report) {
  if (options.validate) return;
  for (const std::string& file : options.files_written) text::require_writable(file);
  catch_signals();
}

Driver::~Driver() = default;

void Driver::run(timing::ClockDomain& domain, const char* structure, View& view, Program& program) {
  report_.structure = structure;
  report_.wall.elaborate_s = since_build_.seconds();
  drive(domain, view, program);
  view.summarize(report_);
  write([&] { view.complete_traces(report_); });
  write([&] { program.finish(report_); });
  if (live_) live_->after_run(domain.now());
  write([&] { write_live_page(view); });
}

void Driver::write_live_page(View& view) const {
  if (options_.live_page_file.empty()) return;
  run::write_live_page(options_.live_page_file, options_, report_, view, *recording_);
}

// A file that could not be written does not hide why a run failed, nor keep others from being written.
void Driver::write(const std::function<void()>& files) {
  try {
    files();
  } catch (const UserError& e) {
    const bool failed = report_.status != report::Status::kFinished;
    if (!failed) report_.status = report::Status::kUserInput;
    report_.message = (failed ? report_.message + "; " : "") + e.what();
  }
}

// A run that the kernel reports an error from is over, but what was recorded up to there is kept.
void Driver::drive(timing::ClockDomain& domain, View& view, Program& program) {
  RunControl control(domain, {options_.max_cycles, options_.timeout_s, options_.progress});
  if (options_.why_at) look_at_place(domain, control, view);
  if (options_.is_recorded()) record(view, control);
  if (attendant_ != nullptr || recording_ != nullptr)
    control.set_visitor([this](Cycle now) {
      if (attendant_ != nullptr) attendant_->after_cycle(now);
      if (recording_ != nullptr) recording_->after_cycle(now);
      if (live_ != nullptr) live_->after_cycle(now);
    });
  const auto catch_up = [&] {
    view.catch_up(std::min(domain.next_free_cycle(), options_.max_cycles.value_or(kNever)));
    report_.checks = program.checks();
  };
  const auto fail = [&] {
    catch_up();
    const cli::Failure failure = cli::current_failure();
    report_.status = failure.status;
    report_.message = failure.message;
  };
  try {
    if (attendant_ != nullptr) control.elaborate([this] { attendant_->before_run(); });
    const Stop stop = program.drive(control);
    catch_up();
    describe_end(stop, view, program);
  } catch (const sc_core::sc_report&) {
    fail();
  } catch (const IllegalBehaviour&) {  // thrown by a program between two launches
    fail();
  }
  report_.wall.run_s = control.elapsed_s();
  if (attendant_ != nullptr) attendant_->after_run(domain.now(), report_);
}

// --serve, --live-page
void Driver::record(View& view, RunControl& control) {
  recording_ = std::make_unique<Recording>(view);
  if (options_.serve)
    live_ = std::make_unique<LiveView>(static_cast<unsigned short>(*options_.serve),
                                       LiveView::Run{options_, report_, view, *recording_});
  control.set_command_listener(
      [this](const std::string& name, Cycle at) { recording_->on_command(name, at); });
}

// --why
void Driver::look_at_place(const timing::ClockDomain& domain, RunControl& control, View& view) {
  const cli::PlaceAndCycle& asked = *options_.why_at;
  std::uint32_t place = 0;
  while (place < view.place_count() && view.coordinates(place) != asked.at) ++place;
  if (place == view.place_count()) throw UserError("", "--why", "the machine has no such place");
  control.at_end_of(asked.cycle, [this, &domain, &view, place] {
    const cli::PlaceAndCycle& at = *options_.why_at;
    report_.why = report::Why{at.cycle, at.at, sentences_about(view, place, at.cycle)};
    std::vector<std::string>& lines = report_.why->lines;
    if (domain.idle() && domain.now() < at.cycle)
      lines.insert(lines.begin(),
                   "nothing moves any more after cycle " + std::to_string(domain.now()));
    if (lines.empty()) lines.emplace_back("nothing waits here");
  });
}

void Driver::describe_end(Stop stop, const View& view, Program& program) {
  observe::Waits waits(kMostWaits);
  view.describe_waits(waits);
  if (!program.is_done(stop, waits)) {
    report_.status = report::Status::kCouldNotFinish;
    list(waits, view);
    report_.message = program.describe_stop(stop_text(stop, options_.max_cycles), report_);
    return;
  }
  judge_checks(program);
  if (const std::string fault = view.fault_at_end(waits); !fault.empty()) {
    const bool failed = report_.status != report::Status::kFinished;
    if (!failed) report_.status = report::Status::kCouldNotFinish;
    report_.message = (failed ? report_.message + "; " : "") + fault;
    return list(waits, view);
  }
  const std::string remark = program.remark(waits);
  if (remark.empty()) return;
  report_.message += (report_.message.empty() ? "" : "; ") + remark;
}

void Driver::list(const observe::Waits& waits, const View& view) {
  list_waits(
      waits, view.flows(), observe::Help::kNone,
      [&view](std::uint32_t place) { return view.coordinates(place); }, report_);
}

void Driver::judge_checks(const Program& program) {
  const auto failed = std::find_if(report_.checks.begin(), report_.checks.end(),
                                   [](const report::Check& check) { return !check.passed; });
  if (failed == report_.checks.end()) return;
  report_.status = report::Status::kCheckFailed;
  report_.message = program.describe_failure(*failed);
}

}  // namespace tessera::run
