// Launches, and the functions that a run starts (pto_cpp.md 1.4).
#pragma once

#include "pto/intrinsics.h"

#include <tuple>
#include <utility>

namespace tsr {

/// A launch `kernel->*tsr_launch(blocks, l2, stream)(arguments)`: the text of kernel<<<blocks, l2, stream>>>(arguments)
/// after the rewrite.
template <class... A>
struct Bound {
  std::uint64_t blocks;
  std::tuple<A...> arguments;
};
struct Launcher {
  std::uint64_t blocks;
  template <class... A>
  Bound<std::decay_t<A>...> operator()(A&&... arguments) const {
    return {blocks, std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...)};
  }
};

template <class... P>
struct Closure {
  void (*kernel)(P...);
  std::tuple<P...> arguments;

  static void run(void* closure) {
    const Closure& c = *static_cast<const Closure*>(closure);
    std::apply(c.kernel, c.arguments);
  }
  static void drop(void* closure) { delete static_cast<Closure*>(closure); }
};

template <class P, class A>
P converted(A&& argument) {
  if constexpr (std::is_convertible_v<A, P>) return static_cast<P>(argument);
  else return (P)argument;
}
template <class... P, class... A, std::size_t... N>
void launch(void (*kernel)(P...), Bound<A...>&& bound, std::index_sequence<N...>) {
  using C = Closure<P...>;
  tsr_api->launch(tsr_api->self, bound.blocks, C::run, C::drop,
                  new C{kernel, std::tuple<P...>(converted<P>(std::get<N>(bound.arguments))...)});
}
template <class... P, class... A>
void operator->*(void (*kernel)(P...), Bound<A...>&& bound) {
  static_assert(sizeof...(P) == sizeof...(A), "the launch gives another number of arguments than the kernel takes");
  launch(kernel, std::move(bound), std::index_sequence_for<A...>());
}

/// What a number that is an argument may be.
template <class T>
constexpr const char* number_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  else return tile_element_name<T>();
}
template <class T>
constexpr TsrParameter parameter() {
  if constexpr (std::is_pointer_v<T>) {
    return {element_name<std::remove_cv_t<std::remove_pointer_t<T>>>(), 1, 0};
  } else {
    return {number_name<std::remove_cv_t<T>>(), 0, is_real<T>};
  }
}
template <class T>
T value_of(std::int64_t bits) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(bits);
  } else if constexpr (is_real<T>) {
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return static_cast<T>(x);
  } else {
    return static_cast<T>(bits);
  }
}

/// How --function calls it.
template <auto Function>
struct Entry;
template <class R, class... P, R (*Function)(P...)>
struct Entry<Function> {
  static constexpr TsrParameter kParameters[sizeof...(P) + 1] = {parameter<P>()..., {"", 0, 0}};
  static void call(const std::int64_t* values) { call(values, std::index_sequence_for<P...>()); }
  template <std::size_t... N>
  static void call([[maybe_unused]] const std::int64_t* values, std::index_sequence<N...>) {
    Function(value_of<P>(values[N])...);
  }
  static constexpr TsrEntry kEntry = {sizeof...(P), kParameters, call};
};

}  // namespace tsr

template <class B, class... More>
tsr::Launcher tsr_launch(B blocks, More...) {
  return {static_cast<std::uint64_t>(blocks)};
}
using tsr::operator->*;
