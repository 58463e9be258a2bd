#include "models/observe/vcd_writer.h"

#include <algorithm>
#include <ostream>

namespace tessera::observe {

namespace {

constexpr VcdWriter::Signal kCycle = 0;

/// Short identifier code of a signal: printable characters, as the format wants.
std::string code(VcdWriter::Signal signal) {
  std::string text;
  do {
    text += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal != 0);
  return text;
}

std::string binary(std::uint64_t value, unsigned bits) {
  std::string text(bits, '0');
  for (unsigned i = 0; i < bits; ++i) {
    if ((value >> (bits - 1 - i)) & 1U) text[i] = '1';
  }
  return text;
}

/// The value of the signal of the cycle. A viewer adds the zeros in front.
std::string cycle_value(Cycle cycle) {
  const std::string text = binary(cycle, 64);
  return "b" + text.substr(std::min(text.find('1'), text.size() - 1)) + " " + code(kCycle) + "\n";
}

/// Names and values of texts have no blanks.
std::string without_blanks(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return text;
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out, VcdClock clock, const std::string& machine)
    : out_(out), clock_(clock) {
  out_ << "$version tessera $end\n$timescale 1 ps $end\n";
  open_scope(machine);
  add_wire("cycle", 64, '0');
}

void VcdWriter::open_scope(const std::string& name) {
  out_ << "$scope module " << without_blanks(name) << " $end\n";
}

void VcdWriter::close_scope() {
  out_ << "$upscope $end\n";
}

VcdWriter::Signal VcdWriter::declare(const char* kind, unsigned width, const std::string& name,
                                     Declared declared) {
  const Signal signal = signals_.size();
  out_ << "$var " << kind << ' ' << width << ' ' << code(signal) << ' ' << without_blanks(name)
       << " $end\n";
  signals_.push_back(declared);
  return signal;
}

VcdWriter::Signal VcdWriter::add_wire(const std::string& name, unsigned bits, char initial) {
  return declare("wire", bits, name, {bits, initial});
}

VcdWriter::Signal VcdWriter::add_text(const std::string& name) {
  return declare("string", 1, name, {0, '-'});
}

void VcdWriter::start(Cycle first) {
  close_scope();
  now_ = first;
  out_ << "$enddefinitions $end\n#" << now_ * clock_.ps / clock_.cycles << "\n$dumpvars\n"
       << cycle_value(now_);
  for (Signal s = kCycle + 1; s < signals_.size(); ++s) {
    const auto [bits, initial] = signals_[s];
    if (bits == 0)
      out_ << "s- " << code(s) << '\n';
    else if (bits == 1)
      out_ << initial << code(s) << '\n';
    else
      out_ << 'b' << initial << ' ' << code(s) << '\n';
  }
  out_ << "$end\n";
}

void VcdWriter::advance_to(Cycle cycle) {
  if (cycle <= now_) return;
  now_ = cycle;
  stamped_ = false;
}

void VcdWriter::stamp() {
  if (stamped_) return;
  stamped_ = true;
  out_ << '#' << now_ * clock_.ps / clock_.cycles << '\n' << cycle_value(now_);
}

void VcdWriter::set(Signal signal, std::uint64_t value) {
  stamp();
  const unsigned bits = signals_[signal].bits;
  if (bits == 1)
    out_ << (value != 0 ? '1' : '0') << code(signal) << '\n';
  else
    out_ << 'b' << binary(value, bits) << ' ' << code(signal) << '\n';
}

void VcdWriter::release(Signal signal) {
  stamp();
  out_ << "bz " << code(signal) << '\n';
}

void VcdWriter::set_text(Signal signal, const std::string& text) {
  stamp();
  out_ << 's' << without_blanks(text) << ' ' << code(signal) << '\n';
}

void VcdWriter::finish(Cycle end) {
  advance_to(end);
  stamp();
  out_.flush();
}

}  // namespace tessera::observe
