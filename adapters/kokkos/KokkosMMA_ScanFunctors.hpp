// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_FUNCTORS_HPP
#define KOKKOSMMA_SCAN_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace KokkosMMA {

/// Whether element i takes part in its own prefix.
enum class ScanKind : unsigned char { exclusive, inclusive };

/// The initial value of a scan, for variables, which are refused without this
/// name: `exclusive_scan(exec, x, y, n)` may mean n as the total. Constants and
/// expressions need no name.
template <class T>
struct InitialValue {
  T value;  ///< a number
};
/// InitialValue(n) holds a copy of n.
template <class T>
InitialValue(T const&) -> InitialValue<T>;

namespace Impl {

/// bool and integers up to 8 bytes.
template <class T>
inline constexpr bool is_scan_integer = std::is_integral_v<T> && sizeof(T) <= 8;

template <class T>
inline constexpr bool is_scan_type = is_scan_integer<T> ||
                                     is_floating(scalar_v<T>);

/// Whether sums of `Input` may be kept in `Accumulator`: every value of the
/// input is a value of the accumulator, integers modulo 2^bits, and 16-bit
/// floats are summed in fp32 at least. Double takes integers of 8 bytes too,
/// and rounds those that have more than its 53 bits.
template <class Input, class Accumulator>
constexpr bool accumulator_holds() {
  constexpr Scalar kept = scalar_v<Accumulator>;
  if constexpr (!is_scan_type<Input> || !is_scan_type<Accumulator> ||
                std::is_same_v<Accumulator, bool> || is_16bit_float(kept)) {
    return false;
  } else if constexpr (is_floating(scalar_v<Input>)) {
    return is_floating(kept) && sizeof(Accumulator) >= sizeof(Input);
  } else if constexpr (is_floating(kept)) {
    return std::is_same_v<Accumulator, double> ||
           std::numeric_limits<Input>::digits <=
               std::numeric_limits<Accumulator>::digits;
  } else {
    return sizeof(Accumulator) >= sizeof(Input);
  }
}

/// Whether what is kept in `Accumulator` may be written to a View: integers as
/// wide as the elements that are read hold the sums modulo 2^bits of theirs.
template <class X, class Y, class Accumulator>
constexpr bool may_write() {
  using Output = typename Y::non_const_value_type;
  return keeps_sums<typename X::non_const_value_type, Output> &&
         is_scan_type<Output> && !std::is_same_v<Output, bool> &&
         (is_floating(scalar_v<Output>) || !is_floating(scalar_v<Accumulator>));
}

/// Whether the sum of `X`, kept in `Accumulator`, may become a total of type
/// `Value`. A wider one would promise a sum that was not kept.
template <class Value, class X, class Accumulator>
inline constexpr bool total_fits =
    is_scan_type<Value> && !std::is_same_v<Value, bool> &&
    is_floating(scalar_v<Value>) == is_floating(scalar_v<Accumulator>) &&
    sizeof(Value) <= sizeof(Accumulator) &&
    keeps_sums<typename X::non_const_value_type, Value>;

/// accumulator_t, but wide enough where the output alone is too narrow: the
/// prefixes are then converted once. Integers for a floating-point output are
/// kept in double, whatever their size, and the total may be what the output
/// is.
template <class Input, class Output>
using scan_accumulator_t = std::conditional_t<
    is_floating(scalar_v<Input>), accumulator_t<Input, Output>,
    std::conditional_t<
        is_floating(scalar_v<Output>), double,
        std::conditional_t<accumulator_holds<Input, Output>(), Output,
                           std::conditional_t<sizeof(Input) <= 4, std::int32_t,
                                              std::int64_t>>>>;

/// Integers of 1 and 2 bytes are summed in 4, exact modulo theirs: a native
/// scan of int8 was wrong from index 128 on (Kokkos 4.6.01, Cuda, H200,
/// 2026-11-21).
template <class T>
using at_least_4_bytes_t = std::conditional_t<
    std::is_integral_v<T> && sizeof(T) < 4,
    std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, T>;

template <class Accumulator, class X, class Y>
using chosen_accumulator_t = at_least_4_bytes_t<
    std::conditional_t<std::is_void_v<Accumulator>,
                       scan_accumulator_t<typename X::non_const_value_type,
                                          typename Y::non_const_value_type>,
                       std::remove_cv_t<Accumulator>>>;

/// Scan of x into y: an ordinary functor of Kokkos::parallel_scan. `init` is
/// added to what is written and is no part of the total.
template <class X, class Y, class Accumulator, ScanKind Kind>
struct ScanInto {
  using kokkosmma_functor = void;
  using value_type        = Accumulator;
  X x;
  Y y;
  Accumulator init;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Accumulator& update,
                                              bool final) const {
    // Read before y(i) is written: the two may be the same element.
    auto const value = static_cast<Accumulator>(x(i));
    if constexpr (Kind == ScanKind::inclusive) {
      add(update, value);
    }
    if (final) {
      Accumulator prefix = init;
      add(prefix, update);
      y(i) = static_cast<typename Y::non_const_value_type>(prefix);
    }
    if constexpr (Kind == ScanKind::exclusive) {
      add(update, value);
    }
  }

  /// Kokkos' default join would overflow where add() wraps.
  KOKKOS_FORCEINLINE_FUNCTION void join(Accumulator& into,
                                        Accumulator const& from) const {
    add(into, from);
  }
};

/// What the Views of a scan look like at run time: element i is read at
/// `x + i * stride_x` and written at `y + i * stride_y`, in elements.
template <class Accumulator>
struct ScanOperands {
  void const* x           = nullptr;
  void* y                 = nullptr;
  std::ptrdiff_t stride_x = 1;
  std::ptrdiff_t stride_y = 1;
  Accumulator init{};

  bool contiguous() const { return stride_x == 1 && stride_y == 1; }
};

/// Data that the functor of a scan reads and writes, where its type tells. The
/// default is an opaque functor. What is visible is a sum in `Accumulator`,
/// which need not be the value type of the functor.
template <class Functor>
struct VisibleScan {
  static constexpr bool visible = false;
};

// Kokkos reads const random-access Views through the read-only cache, by value;
// their elements lie in plain memory all the same.
template <class X>
inline constexpr bool is_plain_source =
    is_plain_memory<X> ||
    (std::is_const_v<typename X::value_type> &&
     X::memory_traits::is_random_access && !X::memory_traits::is_atomic);

template <class X, class Y, class A, ScanKind Kind>
requires(is_plain_source<X>&&
             is_plain_memory<Y>) struct VisibleScan<ScanInto<X, Y, A, Kind>> {
  static constexpr bool visible  = true;
  static constexpr ScanKind kind = Kind;
  using Input                    = typename X::non_const_value_type;
  using Output                   = typename Y::non_const_value_type;
  using Accumulator              = A;

  static ScanOperands<A> operands(ScanInto<X, Y, A, Kind> const& f) {
    // The stride of a single element is whatever its View was cut from.
    bool const one = f.x.extent(0) < 2;
    return {f.x.data(), f.y.data(), one ? 1 : std::ptrdiff_t(f.x.stride(0)),
            one ? 1 : std::ptrdiff_t(f.y.stride(0)), f.init};
  }
};

/// A scan as the route function sees it; `Value` is what Kokkos joins.
template <class Value, class Functor>
ScanProblem scan_problem(Functor const& functor, std::uint64_t size) {
  using Data = VisibleScan<Functor>;
  ScanProblem problem;
  problem.value_bytes   = sizeof(Value);
  problem.functor_bytes = sizeof(Functor);
  problem.size          = size;
  if constexpr (Data::visible) {
    problem.source      = Source::view;
    problem.input       = scalar_v<typename Data::Input>;
    problem.accumulator = scalar_v<typename Data::Accumulator>;
    problem.output      = scalar_v<typename Data::Output>;
    problem.sum         = true;
    problem.contiguous  = Data::operands(functor).contiguous();
    problem.tile_compiled =
        scan_tile_exists(problem.input, problem.accumulator, problem.output);
  }
  return problem;
}

template <class T>
struct InitialType {
  using type = T;
};
template <class T>
struct InitialType<InitialValue<T>> {
  using type = T;
};

/// Whether a scan may start from a value of this type.
template <class Init, class Accumulator>
inline constexpr bool may_start_from = is_scan_type<Init> &&
                                       (is_floating(scalar_v<Accumulator>) ||
                                        is_scan_integer<Init>);

/// Whether an argument of type `Init&&` is a variable of a number, which may be
/// meant as the place of the total.
template <class Init>
inline constexpr bool is_variable =
    std::is_lvalue_reference_v<Init> &&
    !std::is_const_v<std::remove_reference_t<Init>> &&
    is_scan_type<std::remove_cvref_t<Init>>;

template <class Accumulator, class Init>
Accumulator initial(Init const& init) {
  return static_cast<Accumulator>(init);
}
template <class Accumulator, class T>
Accumulator initial(InitialValue<T> const& init) {
  return static_cast<Accumulator>(init.value);
}

template <class Functor, class Init>
Functor starting_from(Functor functor, Init const& init) {
  functor.init = initial<typename Functor::value_type>(init);
  return functor;
}

/// Bytes that a View of rank 1 spans.
struct AddressRange {
  std::uintptr_t begin  = 0;
  std::uintptr_t end    = 0;
  std::uintptr_t stride = 0;  ///< between elements, in bytes; 0 for one element
  std::uintptr_t size   = 0;  ///< of an element
};

template <class V>
AddressRange address_range(V const& view) {
  AddressRange range;
  range.size  = sizeof(typename V::value_type);
  range.begin = reinterpret_cast<std::uintptr_t>(view.data());
  range.end   = range.begin;
  if (view.extent(0) > 1)
    range.stride = std::uintptr_t(view.stride(0)) * range.size;
  if (view.extent(0) > 0)
    range.end += (view.extent(0) - 1) * range.stride + range.size;
  return range;
}

/// Whether an element of one may share a byte with an element of the other.
/// Views that interleave, as two columns of a matrix do, are told apart by
/// their strides; with two different strides, elements that could meet anywhere
/// count as meeting.
inline bool may_share_bytes(AddressRange const& x, AddressRange const& y) {
  if (x.begin >= y.end || y.begin >= x.end) return false;
  // The greatest common divisor, without <numeric>: every source of an
  // application with the drop-in would parse it.
  std::uintptr_t step = x.stride;
  for (std::uintptr_t rest = y.stride; rest != 0;)
    step = std::exchange(rest, step % rest);
  if (step == 0) return true;
  // What separates elements of x from elements of y is `offset` modulo `step`.
  std::uintptr_t const offset =
      x.begin >= y.begin ? (x.begin - y.begin) % step
                         : (step - (y.begin - x.begin) % step) % step;
  return offset < y.size || step - offset < x.size;
}

inline bool same_elements(AddressRange const& x, AddressRange const& y) {
  return x.begin == y.begin && x.end == y.end && x.stride == y.stride &&
         x.size == y.size;
}

/// Refuses Views that cannot be scanned, before anything is launched.
template <class X, class Y>
void check_scan_views(char const* who, X const& x, Y const& y) {
  auto const describe = [](char const* name, auto const& view) {
    AddressRange const range = address_range(view);
    return concatenate(name, " \"", view.label(), "\" of ", view.extent(0),
                       " elements of ", range.size, " bytes, stride ",
                       view.stride(0), ", at [",
                       reinterpret_cast<void const*>(range.begin), ", ",
                       reinterpret_cast<void const*>(range.end), ")");
  };
  if (x.extent(0) != y.extent(0))
    invalid_argument(who, "extents differ: ", describe("x", x), "; ",
                     describe("y", y), "; pass Views of one length");
  if (x.extent(0) == 0) return;
  if (x.data() == nullptr || y.data() == nullptr)
    invalid_argument(who, x.data() == nullptr ? "x" : "y",
                     " has no memory: ", describe("x", x), "; ",
                     describe("y", y), "; allocate it");
  if (y.extent(0) > 1 && y.stride(0) == 0)
    invalid_argument(who, "all elements of y are one: ", describe("y", y),
                     "; pass a View with a stride");
  if (!same_elements(address_range(x), address_range(y)) &&
      may_share_bytes(address_range(x), address_range(y)))
    invalid_argument(
        who, "the Views overlap: ", describe("x", x), "; ", describe("y", y),
        "; pass the same elements (in place) or Views that share no memory");
}

}  // namespace Impl
}  // namespace KokkosMMA

/// The rules for the types of a scan. A macro: the text of a static_assert is a
/// literal and starts with the public name.
#define KOKKOSMMA_IMPL_CHECK_SCAN_TYPES(NAME, X, Y, ACCUMULATOR)            \
  static_assert(                                                            \
      KokkosMMA::Impl::is_scan_type<typename X::non_const_value_type>, NAME \
      ": the elements of x must be half_t, bhalf_t, float, double, "        \
      "bool or integers; use Kokkos::parallel_scan with a functor of "      \
      "your own for other types");                                          \
  static_assert(                                                            \
      KokkosMMA::Impl::is_scan_type<typename Y::non_const_value_type>, NAME \
      ": the elements of y must be half_t, bhalf_t, float, double, "        \
      "bool or integers");                                                  \
  static_assert(!std::is_const_v<typename Y::value_type>,                   \
                NAME ": y is written, its elements must not be const");     \
  static_assert(                                                            \
      KokkosMMA::Impl::accumulator_holds<typename X::non_const_value_type,  \
                                         ACCUMULATOR>(),                    \
      NAME                                                                  \
      ": the accumulator cannot hold the elements of x; floating-point "    \
      "elements need float or double that are no narrower, integers an "    \
      "integer that is no narrower, double, or for 2 bytes float");         \
  static_assert(                                                            \
      KokkosMMA::Impl::may_write<X, Y, ACCUMULATOR>(), NAME                 \
      ": what is written cannot hold the sums; an integer holds no "        \
      "floating-point sum and none of wider integers, bool none at all: "   \
      "make the elements of y as wide as those of x")

/// INIT is what a forwarding reference deduces.
#define KOKKOSMMA_IMPL_CHECK_SCAN_INIT(NAME, INIT, ACCUMULATOR)              \
  static_assert(!KokkosMMA::Impl::is_variable<INIT>, NAME                    \
                ": a variable after y may be meant as the initial value or " \
                "as the total; write KokkosMMA::InitialValue(variable) or "  \
                "KokkosMMA::Total(variable)");                               \
  static_assert(                                                             \
      KokkosMMA::Impl::may_start_from<typename KokkosMMA::Impl::InitialType< \
                                          std::remove_cvref_t<INIT>>::type,  \
                                      ACCUMULATOR>,                          \
      NAME                                                                   \
      ": the initial value must be a number that the accumulator can hold: " \
      "an integer for an integer sum; a total is KokkosMMA::Total(place)")

namespace KokkosMMA {

/// Functor for any `Kokkos::parallel_scan` over [0, x.extent(0)), with or
/// without total:
///
/// \code
/// Kokkos::parallel_scan("offsets", n, KokkosMMA::exclusive_scan_into(x, y));
/// \endcode
///
/// writes y(i) = x(0) + ... + x(i-1); the total is the sum of all x(i). On Cuda
/// the data are visible and take the tile kernels; on other spaces the functor
/// is called as any other. x and y have one length and are the same elements
/// (in place) or share no memory: std::invalid_argument otherwise.
///
/// \tparam Accumulator type of the running sum and of the total; by default the
/// wider of the two element types, fp32 for 16-bit floats
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y>
auto exclusive_scan_into(X const& x, Y const& y) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_TYPES("KokkosMMA::exclusive_scan_into", X, Y, A);
  Impl::check_scan_views("KokkosMMA::exclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, ScanKind::exclusive>{x, y, A(0)};
}

/// y(i) = init + x(0) + ... + x(i-1); the total is without `init`.
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init>
auto exclusive_scan_into(X const& x, Y const& y, Init&& init) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan_into", Init, A);
  return Impl::starting_from(exclusive_scan_into<Accumulator>(x, y), init);
}

/// y(i) = x(0) + ... + x(i), like exclusive_scan_into().
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y>
auto inclusive_scan_into(X const& x, Y const& y) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_TYPES("KokkosMMA::inclusive_scan_into", X, Y, A);
  Impl::check_scan_views("KokkosMMA::inclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, ScanKind::inclusive>{x, y, A(0)};
}

/// y(i) = init + x(0) + ... + x(i); the total is without `init`.
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init>
auto inclusive_scan_into(X const& x, Y const& y, Init&& init) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan_into", Init, A);
  return Impl::starting_from(inclusive_scan_into<Accumulator>(x, y), init);
}

}  // namespace KokkosMMA

#endif
