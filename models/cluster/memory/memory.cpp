#include "models/cluster/memory/memory.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

std::size_t rows_of(const ResolvedOperand& o) {
  std::size_t rows = 1;
  for (unsigned d = 0; d + 1 < o.dimensions; ++d)
    rows *= static_cast<std::size_t>(std::max<std::int64_t>(o.sizes[d], 0));
  return rows;
}
std::size_t columns_of(const ResolvedOperand& o) {
  return static_cast<std::size_t>(std::max<std::int64_t>(o.sizes[o.dimensions - 1U], 0));
}

/// The element that row `row` begins with, in elements from the operand's address on.
std::int64_t begin_of_row(const ResolvedOperand& o, std::size_t row) {
  std::int64_t begin = 0;
  for (unsigned d = o.dimensions - 1U; d-- > 0;) {
    const auto size = static_cast<std::size_t>(o.sizes[d]);
    begin += static_cast<std::int64_t>(row % size) * o.strides[d];
    row /= size;
  }
  return begin;
}

/// Positions count bytes, and half bytes where elements have 4 bits.
bool is_packed(Element element) {
  return bits_of(element) == 4;
}
std::int64_t unit_of(Element element) {
  return is_packed(element) ? 1 : bits_of(element) / 8;
}
std::int64_t begin_of(const ResolvedOperand& o) {
  return is_packed(o.element) ? 2 * o.address : o.address;
}

std::byte half_at(const std::vector<std::byte>& bytes, std::size_t n) {
  const std::byte both = n / 2 < bytes.size() ? bytes[n / 2] : std::byte{0};
  return n % 2 == 0 ? both & std::byte{0xF} : both >> 4;
}
void set_half(std::byte& both, std::size_t n, std::byte half) {
  both = n % 2 == 0 ? (both & std::byte{0xF0}) | half : (both & std::byte{0xF}) | half << 4;
}

/// Rows of boxes are runs if the operand takes all of them.
Runs boxed_runs_of(const ResolvedOperand& o, std::size_t rows, std::size_t columns) {
  const Boxes& boxes = *o.boxes;
  const std::int64_t bytes = unit_of(o.element);
  const auto width = static_cast<std::size_t>(boxes.columns);
  const bool whole =
      boxes.column == 1 && columns % width == 0 && boxes.first_column % boxes.columns == 0;
  Runs runs;
  runs.run = whole ? width : 1;
  runs.starts.reserve(rows * columns / runs.run);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; c += runs.run)
      runs.starts.push_back(begin_of(o) + bytes * boxes.at(static_cast<std::int64_t>(r),
                                                           static_cast<std::int64_t>(c)));
  return runs;
}

}  // namespace

Runs runs_of(const ResolvedOperand& o, std::size_t rows, std::size_t columns) {
  Runs runs;
  if (rows == 0 || columns == 0) return runs;
  if (o.boxes != nullptr) return boxed_runs_of(o, rows, columns);
  const std::int64_t stride = o.strides[o.dimensions - 1U];
  const std::int64_t bytes = unit_of(o.element);
  runs.run = stride == 1 ? columns : 1;
  runs.starts.reserve(stride == 1 ? rows : rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int64_t begin = begin_of(o) + begin_of_row(o, r) * bytes;
    for (std::size_t c = 0; c < columns; c += runs.run)
      runs.starts.push_back(begin + static_cast<std::int64_t>(c) * stride * bytes);
  }
  return runs;
}

TileValues Memory::read(const ResolvedOperand& operand, Cycle now, bool behind) {
  settle(now);
  const std::size_t rows = rows_of(operand), columns = columns_of(operand);
  TileValues values = TileValues::zeros(operand.element, rows, columns);
  const Runs runs = runs_of(operand, rows, columns);
  std::vector<std::byte> later;
  if (behind && !writes_.empty()) {
    later = bytes_;
    for (const Write& w : writes_) apply(w, later);
  }
  const std::vector<std::byte>& bytes = later.empty() ? bytes_ : later;
  const std::size_t width = bits_of(operand.element) / 8;
  std::size_t first = 0;
  if (is_packed(operand.element)) {
    for (const std::int64_t start : runs.starts)
      for (std::size_t i = 0; i < runs.run; ++i, ++first) {
        const std::byte half = half_at(bytes, static_cast<std::size_t>(start) + i);
        decode(&half, 1, values, first);
      }
    return values;
  }
  for (const std::int64_t start : runs.starts) {
    const auto from = static_cast<std::size_t>(start);
    const std::size_t there = from < bytes.size() ? (bytes.size() - from) / width : 0;
    decode(bytes.data() + from, std::min(runs.run, there), values, first);
    first += runs.run;
  }
  return values;
}

void Memory::write(const ResolvedOperand& operand, TileValues values, const When& when, bool adds) {
  settle(when.now);
  values = fitted(std::move(values), rows_of(operand), columns_of(operand));
  Runs runs = runs_of(operand, values.rows, values.columns);
  insert({when.due, when.order, adds, std::move(runs), std::move(values)});
}

void Memory::write_at(const ResolvedOperand& operand, const std::vector<std::int64_t>& places,
                      TileValues values, const When& when, bool adds) {
  settle(when.now);
  Runs runs;
  runs.run = 1;
  for (const std::int64_t place : places)
    runs.starts.push_back(begin_of(operand) + place * unit_of(operand.element));
  insert({when.due, when.order, adds, std::move(runs), std::move(values)});
}

void Memory::insert(Write write) {
  const auto later = [&write](const Write& w) {
    return w.due != write.due ? w.due > write.due : w.order > write.order;
  };
  const auto behind = std::find_if(writes_.begin(), writes_.end(), later);
  writes_.insert(behind, std::move(write));
}

ScalarCache::Bytes Memory::read_line(std::int64_t first, Cycle now) {
  settle(now);
  ScalarCache::Bytes line{};
  const auto from = static_cast<std::size_t>(first);
  if (from < bytes_.size())
    std::copy_n(bytes_.data() + from, std::min(line.size(), bytes_.size() - from), line.data());
  return line;
}

void Memory::write_line(const ScalarCache::Line& line, const When& when, std::uint32_t pc) {
  settle(when.now);
  TileValues values = TileValues::zeros(Element::kU8, 1, line.bytes.size());
  decode(line.bytes.data(), line.bytes.size(), values, 0);
  Runs runs;
  runs.run = line.bytes.size();
  runs.starts = {line.first};
  insert({when.due, when.order, false, std::move(runs), std::move(values), ~line.changed, pc});
}

void Memory::note_lost(const Write& line) {
  std::int64_t first = -1, last = -1;
  for (std::size_t i = 0; i < line.runs.run; ++i) {
    const std::size_t at = static_cast<std::size_t>(line.runs.starts[0]) + i;
    const std::int64_t there = at < bytes_.size() ? static_cast<std::int64_t>(bytes_[at]) : 0;
    if ((line.kept >> i & 1U) == 0 || there == line.values.integers[i]) continue;
    if (first < 0) first = static_cast<std::int64_t>(at);
    last = static_cast<std::int64_t>(at);
  }
  if (first < 0) return;
  const auto same = [&line](const Lost& l) { return l.order == line.order && l.pc == line.pc; };
  const auto known = std::find_if(lost_.begin(), lost_.end(), same);
  if (known != lost_.end())
    ++known->times;
  else
    lost_.push_back({line.order, line.pc, first, last - first + 1, 1});
}

void Memory::set_element(const ResolvedOperand& operand, std::size_t index, TileValues value,
                         Cycle now) {
  settle(now);
  const Runs all = runs_of(operand, rows_of(operand), columns_of(operand));
  const auto inside = static_cast<std::int64_t>(index % all.run);
  Runs one;
  one.run = 1;
  one.starts = {all.starts[index / all.run] + inside * unit_of(operand.element)};
  apply({now, 0, false, std::move(one), std::move(value)}, bytes_);
}

std::byte* Memory::bytes_at(Cycle now, std::size_t size) {
  settle(now);
  if (bytes_.size() < size) bytes_.resize(size);
  return bytes_.data();
}

void Memory::settle(Cycle now) {
  auto end = writes_.begin();
  for (; end != writes_.end() && end->due <= now; ++end) {
    if (end->kept != 0) note_lost(*end);
    apply(*end, bytes_);
  }
  writes_.erase(writes_.begin(), end);
}

// A packed sum is no operation of the machine: it has no atomic additions of 4 bits.
void Memory::apply_packed(const Write& write, std::vector<std::byte>& bytes) {
  std::size_t first = 0;
  for (const std::int64_t start : write.runs.starts)
    for (std::size_t i = 0; i < write.runs.run; ++i, ++first) {
      const std::size_t n = static_cast<std::size_t>(start) + i;
      if (n / 2 >= bytes.size()) bytes.resize(n / 2 + 1);
      std::byte half{};
      encode(write.values, first, 1, &half);
      set_half(bytes[n / 2], n, half);
    }
}

void Memory::apply(const Write& write, std::vector<std::byte>& bytes) {
  if (is_packed(write.values.element)) return apply_packed(write, bytes);
  const std::size_t width = bits_of(write.values.element) / 8 * write.runs.run;
  std::size_t end = bytes.size();
  for (const std::int64_t start : write.runs.starts)
    end = std::max(end, static_cast<std::size_t>(start) + width);
  bytes.resize(end);
  std::size_t first = 0;
  for (const std::int64_t start : write.runs.starts) {
    std::byte* to = bytes.data() + start;
    if (write.adds)
      encode_sum(write.values, first, write.runs.run, to);
    else
      encode(write.values, first, write.runs.run, to);
    first += write.runs.run;
  }
}

}  // namespace tessera::cluster
