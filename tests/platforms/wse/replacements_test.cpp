// Modules of a user in place of blocks of a fabric (docs/rtl-in-the-loop.md). One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/observe/digest.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/module_machine.h"
#include "platforms/wse/replacements.h"
#include "tests/support/run_executable.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::test::replacements_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGemv = "examples/gemv_stream/layout.json";

std::string digest_of_gemv() {
  const TemporaryFolder folder;
  const Finished run =
      run_executable("wse_platform", {kGemv, "--quiet", "--report", folder.file("r.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return std::string(
      boost::json::parse(read_file(folder.file("r.json"))).as_object().at("digest").as_string());
}

/// Counts what passes; otherwise ours.
struct CountingRouter : fabric::Router {
  CountingRouter(sc_core::sc_module_name name, const wse::Site& site)
      : Router(name, site.domain, site.tile, site.config.fabric, site.probe) {}
  Cycle step(Cycle now) override {
    ++steps;
    return Router::step(now);
  }
  unsigned steps = 0;
};
struct CountingEngine : pe::ComputeEngine {
  CountingEngine(sc_core::sc_module_name name, const wse::Site& site)
      : ComputeEngine(name, site.domain, site.tile, site.decoded(), site.probe) {}
  Cycle step(Cycle now) override {
    ++steps;
    return ComputeEngine::step(now);
  }
  unsigned steps = 0;
};

/// An input queue from outside: it only hands on to one of ours, which it contains.
class WrappedQueue : public queue::InputQueuePorts {
 public:
  WrappedQueue(sc_core::sc_module_name name, const wse::Site& site)
      : InputQueuePorts(name),
        inner_("inner", site.queue->id, *site.queue->color,
               site.config.fabric.queue_room(
                   site.config.input_queue_lengths.at(site.queue->id.value())),
               site.probe),
        to_("to"), from_("from") {
    forward_.self = backward_.self = read_.self = notify_.self = this;
    in.bind(static_cast<link::ForwardIf&>(forward_));
    to_.bind(static_cast<link::BackwardIf&>(backward_));
    to_.bind(inner_.in);
    out.bind(static_cast<queue::ReadIf&>(read_));
    from_.bind(static_cast<queue::ReadNotifyIf&>(notify_));
    from_.bind(inner_.out);
  }
  std::size_t size() const override { return inner_.size(); }
  unsigned pops = 0;

 private:
  struct Forward : link::ForwardIf {
    void put(const link::Wavelet& w, Cycle due) override { self->to_->put(w, due); }
    unsigned capacity(Color color) const override { return self->to_->capacity(color); }
    WrappedQueue* self;
  } forward_;
  struct Backward : link::BackwardIf {
    void credit(Color color, Cycle due) override { self->in->credit(color, due); }
    WrappedQueue* self;
  } backward_;
  struct Read : queue::ReadIf {
    Cycle ready_at() const override { return self->from_->ready_at(); }
    unsigned available(Cycle now) const override { return self->from_->available(now); }
    const link::Wavelet& front() const override { return self->from_->front(); }
    void pop(Cycle now) override {
      ++self->pops;
      self->from_->pop(now);
    }
    WrappedQueue* self;
  } read_;
  struct Notify : queue::ReadNotifyIf {
    void arrived(Cycle due) override { self->out->arrived(due); }
    WrappedQueue* self;
  } notify_;
  queue::InputQueue inner_;
  link::InitiatorSocket to_;
  queue::ReadInitiatorSocket from_;
};

/// GEMV with some blocks replaced.
struct Gemv {
  explicit Gemv(const std::vector<std::string>& chosen)
      : workload(std::string(TESSERA_SOURCE_DIR) + "/" + kGemv, {}, config),
        arrays(workload.layout, {}), checks(workload.layout, arrays) {
    replacements.routers.add("counting",
                             [this](sc_core::sc_module_name name, const wse::Site& site) {
                               auto made = std::make_unique<CountingRouter>(name, site);
                               router = made.get();
                               return made;
                             });
    replacements.engines.add("counting",
                             [this](sc_core::sc_module_name name, const wse::Site& site) {
                               auto made = std::make_unique<CountingEngine>(name, site);
                               engine = made.get();
                               return made;
                             });
    replacements.input_queues.add("wrapped",
                                  [this](sc_core::sc_module_name name, const wse::Site& site) {
                                    auto made = std::make_unique<WrappedQueue>(name, site);
                                    queue = made.get();
                                    return made;
                                  });
    replacements.output_queues.add("ours", [](sc_core::sc_module_name name, const wse::Site& site) {
      return std::make_unique<queue::OutputQueue>(
          name, site.queue->id, site.config.output_queue_lengths.at(site.queue->id.value()),
          site.config.queue_write_latency, site.probe);
    });
    for (const std::string& text : chosen) replacements.choose(text);
    machine = std::make_unique<wse::ModuleMachine>("wafer", config, workload, &digest, true,
                                                   &replacements);
  }
  void drive() {
    run::RunControl control(machine->domain(), {});
    wse::HostProgram program(workload, arrays, checks, *machine);
    program.drive(control);
    ASSERT_EQ(program.checks().size(), 1U);
    EXPECT_TRUE(program.checks()[0].passed);
  }

  const wse::WseConfig config = wse::load_wse_config("wse3", "");
  const wse::Workload workload;
  wse::HostArrays arrays;
  const wse::Checks checks;
  observe::Digest digest;
  wse::Replacements replacements;
  std::unique_ptr<wse::ModuleMachine> machine;
  CountingRouter* router = nullptr;
  CountingEngine* engine = nullptr;
  WrappedQueue* queue = nullptr;
};

TEST(Replacements, BlocksOfAUserStandInTheFabricAndNoEventChanges) {
  Gemv gemv({"router[1,1]=counting", "engine[2,0]=counting", "input_queue[1,2,2]=wrapped",
             "output_queue[0,0,4]=ours"});
  gemv.drive();
  EXPECT_EQ(gemv.digest.hex(), digest_of_gemv());
  EXPECT_GT(gemv.router->steps, 4U);
  EXPECT_GT(gemv.engine->steps, 4U);
  EXPECT_EQ(gemv.queue->pops, 2U);
}

TEST(Replacements, AModuleWithoutRestartIsNamedWhenItsMachineIsReset) {
  Gemv gemv({"input_queue[1,2,2]=wrapped"});
  gemv.drive();
  const ExpectReport expected(kit::kNoRestartId);
  try {
    gemv.machine->reset(wse::Machine::Memory::kClear);
    FAIL();
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg(), "wafer.tile_1_2.input_queue_2 cannot be reset with its machine: "
                                   "override restart() in its class");
  }
}

TEST(Replacements, AMachineWithAReplacedBlockDoesNotLoadAnotherProgram) {
  Gemv gemv({"router[1,1]=counting"});
  try {
    gemv.machine->load(gemv.workload);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tile (1, 1) has a module of a user (--replace)"));
  }
}

}  // namespace
}  // namespace tessera::test::replacements_test
