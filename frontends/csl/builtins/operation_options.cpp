// What the options of an operation on descriptors, or of the load of a DSR, say to the machine (csl.md 8.2).
#include "frontends/csl/builtins/dsd_values.h"

namespace tessera::csl {
namespace {

using Setter = LiveOption::Setter;

class OptionReader {
 public:
  OptionReader(TileCode& tile, const Node& at, std::vector<LiveOption>* live)
      : tile_(tile), at_(at), live_(live) {}

  void read(const std::string& name, const Result& value) {
    if (name == "async") config.async = value.value().get<bool>();
    if (name == "save_address") config.save_address = value.value().get<bool>();
    if (name == "single_step") config.single_step = value.value().get<bool>();
    if (name == "activate")
      activate(value, name, [](pe::OpConfig& c, unsigned id) { c.activate = TaskId(id); });
    if (name == "unblock")
      unblock(value, name, [](pe::OpConfig& c, unsigned id) { c.unblock = TaskId(id); });
    if (name == "on_control") read_on_control(value);
    if (name == "ut_id") read_microthread(value);
    if (name == "priority") config.priority = priority_of(choice_of(value));
  }

  pe::OpConfig config;

 private:
  void activate(const Result& value, const std::string& name, const Setter& set) {
    if (!value.is_known()) return add_live(value, ids_of_tasks(tile_.tile(), false), set);
    set(config, activated_id(tile_.engine(), tile_.tile(), value, at_, name));
  }

  void unblock(const Result& value, const std::string& name, const Setter& set) {
    if (value.is_known()) {
      const unsigned id = unblocked_id(tile_.engine(), tile_.tile(), value, at_, name);
      use_channel(tile_, *value.type, id, at_);
      return set(config, id);
    }
    std::set<unsigned> ids = ids_of_tasks(tile_.tile(), true);
    const std::set<unsigned> channels = tile_.channels();
    if (!value.type->is_handle("local_task_id")) ids.insert(channels.begin(), channels.end());
    add_live(value, ids, set);
  }

  void read_microthread(const Result& value) {
    const Setter set = [](pe::OpConfig& c, unsigned id) { c.ut = MicrothreadId(id); };
    if (value.is_known()) return set(config, static_cast<unsigned>(value.value().integer()));
    std::set<unsigned> all;
    for (unsigned i = 0; i < kMicrothreadCount; ++i) all.insert(i);
    add_live(value, all, set);
  }

  void read_on_control(const Result& value) {
    const auto set = [](pe::OnControl action) {
      return [action](pe::OpConfig& c, unsigned id) {
        c.on_control = action;
        c.on_control_target = TaskId(id);
      };
    };
    const Fields fields = fields_of_option(tile_.engine(), value, at_);
    if (fields.empty())
      tile_.engine().fail(Id::kOptionChoice, at_,
                          "the option .on_control is one of .activate, .terminate and .unblock, "
                          "and none is given");
    for (const auto& [name, field] : fields) {
      if (name == "terminate" && tile_.engine().known(field, at_).get<bool>())
        config.on_control = pe::OnControl::kTerminate;
      if (name == "activate") {
        config.on_control = pe::OnControl::kActivate;
        activate(field, "on_control", set(pe::OnControl::kActivate));
      }
      if (name == "unblock") {
        config.on_control = pe::OnControl::kUnblock;
        unblock(field, "on_control", set(pe::OnControl::kUnblock));
      }
    }
    // Public programs read it with their next operation.
    config.leaves_control = config.on_control != pe::OnControl::kNone;
  }

  /// An id that the running program chooses among those of the PE.
  void add_live(const Result& value, const std::set<unsigned>& ids, Setter set) {
    if (live_ == nullptr) tile_.engine().known(value, at_);
    if (ids.empty())
      tile_.engine().fail(Id::kNoTask, at_,
                          "the running program chooses one of the tasks of this "
                          "code, and none is bound that could be it");
    live_->push_back({value, {ids.begin(), ids.end()}, std::move(set)});
  }

  TileCode& tile_;
  const Node& at_;
  std::vector<LiveOption>* const live_;
};

}  // namespace

void use_channel(TileCode& tile, const Type& handle, unsigned id, const Node& at) {
  const bool is_color = handle.is_handle("color"), is_queue = handle.is_handle("input_queue");
  if (!is_color && !is_queue && !handle.is_handle("data_task_id")) return;
  if (ids_of_tasks(tile.tile(), !is_color).count(id) != 0) return;
  if (is_queue || (!is_color && tile.is_wse3()))
    tile.use_queue(true, id, std::nullopt, at);
  else
    tile.use_queue(true, std::nullopt, id, at);
}

pe::OpConfig operation_options(TileCode& tile, const OptionsTable& table, const Fields& options,
                               const Node& at, std::vector<LiveOption>* live, Result* index) {
  check_options(tile.engine(), table, options, at);
  OptionReader reader(tile, at, live);
  for (const auto& [name, value] : options) {
    if (name == "index") *index = value;
    reader.read(name, value);
  }
  return reader.config;
}

}  // namespace tessera::csl
