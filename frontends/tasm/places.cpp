// Where the lines of a program stand: in its own file, in an included one or in a macro, or where a
// `line` directive says.
#include <variant>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

class PlaceRecorder {
 public:
  PlaceRecorder(Assembly& a, const std::vector<Statement>& statements) : a_(a), image_(a.image) {
    for_each<QueueStatement>(statements, [this](const auto&, std::size_t) { ++declared_queues_; });
  }

  /// The statement that the next call is about stands at `named`.
  void at(NamedLine named) { named_ = named; }

  void operator()(const DataStatement&) { record(image_.symbols[symbols_++]); }
  void operator()(const StringStatement&) { record(image_.strings[strings_++]); }
  void operator()(const QueueStatement&) { record(image_.queues[queues_++]); }
  void operator()(const DsdStatement& s) {
    // A fabin that names a color may have brought a queue, which stands where it does.
    for (std::size_t i = declared_queues_; i < image_.queues.size(); ++i) {
      if (image_.queues[i].name == s.name.text + "_queue") record(image_.queues[i]);
    }
    record(image_.dsds[dsds_++]);
  }
  void operator()(const FifoStatement&) { record(image_.fifos[fifos_++]); }
  void operator()(const InitialLoadStatement&) { record(image_.initial_loads[loads_++]); }
  void operator()(const TaskStatement&) { record(image_.tasks[tasks_++]); }
  void operator()(const RotateStatement&) { record(image_.rotations[rotations_++]); }
  void operator()(const ControlTableStatement&) { record(*image_.control_table); }
  void operator()(const FunctionStatement&) { record(image_.functions[functions_++]); }
  void operator()(const InstructionStatement&) { record(image_.code[code_++]); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  template <class Placed>
  void record(Placed& placed) {
    if (named_.line != 0) {
      placed.file = named_.file;
      placed.line = named_.line;
      return;
    }
    const auto [file, place] = a_.diagnostics.where({placed.line, 1});
    placed.file = a_.file_number({file, a_.diagnostics.uses_of(placed.line)});
    placed.line = place.line;
  }

  Assembly& a_;
  pe::Image& image_;
  NamedLine named_;
  std::size_t declared_queues_ = 0;  // the others follow them
  // The next one of each list.
  std::size_t symbols_ = 0;
  std::size_t strings_ = 0;
  std::size_t queues_ = 0;
  std::size_t dsds_ = 0;
  std::size_t fifos_ = 0;
  std::size_t loads_ = 0;
  std::size_t tasks_ = 0;
  std::size_t rotations_ = 0;
  std::size_t functions_ = 0;
  std::size_t code_ = 0;
};

}  // namespace

std::uint32_t Assembly::file_number(const pe::SourceFile& source) {
  if (source.use.empty() && source.name == image.file) return 0;
  if (image.files.empty()) image.files.push_back({image.file, ""});
  const auto next = static_cast<std::uint32_t>(image.files.size());
  const auto [number, is_new] = file_numbers.emplace(std::pair(source.name, source.use), next);
  if (is_new) image.files.push_back(source);
  return number->second;
}

void record_places(Assembly& a, const std::vector<Statement>& statements) {
  PlaceRecorder recorder(a, statements);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    recorder.at(a.named_lines[i]);
    std::visit(recorder, statements[i]);
  }
}

}  // namespace tessera::tasm
