#include "models/fabric/filter_registers.h"

#include "tlm_ifaces/config/config_space.h"

namespace tessera::fabric {
namespace {

using config_space::FilterWord;

constexpr unsigned kKindShift = 5;
constexpr unsigned kKindMask = 3;
constexpr unsigned kCountData = 1U << 8;
constexpr unsigned kCountControl = 1U << 9;
constexpr unsigned kFilterControl = 1U << 10;
constexpr unsigned kDisabled = 1U << 15;

unsigned kind_of(std::uint16_t control) {
  return control >> kKindShift & kKindMask;
}

std::uint16_t control_word(const Filter& filter, Color color) {
  unsigned value = color.value() | static_cast<unsigned>(filter.kind()) << kKindShift;
  if (filter.counts_data()) value |= kCountData;
  if (filter.counts_control()) value |= kCountControl;
  if (filter.filters_control()) value |= kFilterControl;
  if (filter.disabled()) value |= kDisabled;
  return static_cast<std::uint16_t>(value);
}

/// A number in two words.
struct Number {
  FilterWord word;
  std::uint32_t (Filter::*get)() const;
  void (Filter::*set)(std::uint32_t value);
};
constexpr Number kNumbers[] = {
    {FilterWord::kLimit, &Filter::limit, &Filter::set_limit},
    {FilterWord::kLimit2, &Filter::limit2, &Filter::set_limit2},
    {FilterWord::kMaxCounter, &Filter::max_counter, &Filter::set_max_counter},
    {FilterWord::kCounter, &Filter::counter, &Filter::set_counter},
    {FilterWord::kStateCounter, &Filter::state_counter, &Filter::set_state_counter},
    {FilterWord::kPassCount, &Filter::pass_count, &Filter::set_pass_count},
    {FilterWord::kDropCount, &Filter::drop_count, &Filter::set_drop_count},
};

/// The number that `offset` is the low or high half of; nullptr: of none.
const Number* number_at(unsigned offset) {
  for (const Number& number : kNumbers) {
    if (static_cast<unsigned>(number.word) == (offset & ~1U)) return &number;
  }
  return nullptr;
}

std::uint32_t with_half(std::uint32_t number, unsigned offset, std::uint16_t half) {
  return offset % 2 == 0 ? (number & 0xFFFF0000U) | half
                         : (number & 0xFFFFU) | std::uint32_t{half} << 16;
}

}  // namespace

bool is_filter_kind(std::uint16_t control) {
  return kind_of(control) <= static_cast<unsigned>(FilterKind::kRange);
}

std::uint16_t filter_register(const Filter& filter, Color color, unsigned offset) {
  switch (static_cast<FilterWord>(offset)) {
  case FilterWord::kControl:
    return control_word(filter, color);
  case FilterWord::kMinIndex:
    return filter.min_index();
  case FilterWord::kMaxIndex:
    return filter.max_index();
  case FilterWord::kState:
    return filter.dropping() && !filter.disabled() ? 1 : 0;
  default:
    break;
  }
  const Number* number = number_at(offset);
  if (number == nullptr) return 0;
  return static_cast<std::uint16_t>((filter.*number->get)() >> (offset % 2 == 0 ? 0 : 16));
}

void set_filter_register(Filter& filter, unsigned offset, std::uint16_t value) {
  switch (static_cast<FilterWord>(offset)) {
  case FilterWord::kControl:
    filter.set_mode(static_cast<FilterKind>(kind_of(value)), (value & kCountData) != 0,
                    (value & kCountControl) != 0, (value & kFilterControl) != 0,
                    (value & kDisabled) != 0);
    return;
  case FilterWord::kMinIndex:
    filter.set_min_index(value);
    return;
  case FilterWord::kMaxIndex:
    filter.set_max_index(value);
    return;
  case FilterWord::kState:
    filter.set_dropping(value != 0);
    return;
  default:
    break;
  }
  const Number* number = number_at(offset);
  if (number == nullptr) return;
  (filter.*number->set)(with_half((filter.*number->get)(), offset, value));
}

}  // namespace tessera::fabric
