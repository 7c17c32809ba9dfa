// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_HPP
#define KOKKOSMMA_SCAN_HPP

#include <adapters/algorithms/scan/KokkosMMA_ScanDispatch.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace KokkosMMA {

/// The variable or View that receives the total of a scan:
/// `exclusive_scan(exec, x, y, Total(sum))`. The call waits for a scalar
/// variable. A View has rank 0.
template <class Place>
class Total {
 public:
  /// A variable that outlives the call, or a View.
  explicit Total(Place& place) : m_place(place) {}
  /// A View, as a temporary.
  explicit Total(
      Place&& place) requires Kokkos::is_view_v<std::remove_cv_t<Place>>
      : m_place(place) {}

  /// The variable or View.
  auto& place() const { return m_place; }

 private:
  std::conditional_t<Kokkos::is_view_v<std::remove_cv_t<Place>>, Place const,
                     Place&>
      m_place;
};

namespace Impl {

template <class T>
inline constexpr bool is_total = false;
template <class Place>
inline constexpr bool is_total<Total<Place>> = true;

template <class T>
concept NotSettings = !std::same_as<std::remove_cvref_t<T>, Settings>;
template <class T>
concept InitialArgument = NotSettings<T> && !is_total<std::remove_cvref_t<T>>;

/// Rejects a total that is passed without Total().
#define KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL(NAME, TOTAL)                  \
  static_assert(KokkosMMA::Impl::is_total<std::remove_cvref_t<TOTAL>>, \
                NAME ": pass the total as KokkosMMA::Total(variable)")

/// Scan with an initial value or a total.
template <ScanKind Kind, class Accumulator, class Exec, class X, class Y,
          class Argument>
void scan_with(Exec const& exec, X const& x, Y const& y,
               Argument&& init_or_total, Settings const& settings) {
  std::string const label(settings.label);
  if constexpr (is_total<std::remove_cvref_t<Argument>>) {
    scan_views<Kind, Accumulator>(label, exec, x, y, 0, init_or_total.place(),
                                  settings);
  } else {
    NoTotal none;
    scan_views<Kind, Accumulator, Exec, X, Y, Argument>(
        label, exec, x, y, static_cast<Argument&&>(init_or_total), none,
        settings);
  }
}

}  // namespace Impl

/// Exclusive scan from 0: `y(i) = x(0) + ... + x(i-1)`.
///
/// \code
/// KokkosMMA::exclusive_scan(exec, counts, offsets, KokkosMMA::Total(total));
/// KokkosMMA::exclusive_scan<double>(exec, floats, prefixes);
/// \endcode
///
/// \tparam Accumulator type of the running sum. The default is the wider of
///        both element types, fp32 for 16-bit floats, and double if x has
///        integers and y is floating point. Other types: float or double for
///        floating-point elements that are no wider; for integers an integer
///        that is at least as wide, double, or float for 1 and 2 bytes.
///        Elements are converted to it before they are added
/// \param exec instance on which the scan runs
/// \param x rank-1 View, contiguous or strided, any alignment, of half_t,
///        bhalf_t, float, double, bool (counted) or integers
/// \param y View of the same extent and of these types except bool. Each prefix
///        is converted to it once. Integers in y are no narrower than those of
///        x. y is x (in place: same address, stride and element size) or shares
///        no memory with it
/// \param settings route and level of reproducibility
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator.
/// Floating-point prefixes are sums in the accumulator's type; extent, types
/// and route define the order of additions. On Cuda repeated calls give the
/// same bits. Neighbouring prefixes may be rounded differently: they need not
/// differ by exactly one element. A NaN or an infinity affects the same
/// prefixes as in a sequential scan. A 16-bit output is an fp32 prefix rounded
/// once. With Reproducibility::exact each prefix of floating-point elements,
/// and the total, is correctly rounded: its bits are the same on every device
/// and host. On Cuda this level reads x twice.
///
/// The call returns at once, in order on `exec`.
///
/// On Cuda the scan is one pass over the data. Tiles are scanned in registers,
/// by shuffles or by MMA with triangular matrices of ones (Dakkak et al. 2019,
/// "Accelerating reduction and scan using tensor core units"). A tile gets the
/// sum of the elements before it by look-back (Merrill and Garland 2016,
/// "Single-pass parallel prefix scan with decoupled look-back") over fixed
/// windows of tiles.
///
/// \throws std::invalid_argument for different extents, Views that overlap
/// without being the same elements, missing memory, a forced route that cannot
/// run, or settings out of range; nothing is launched or written then.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::exclusive, Accumulator>(exec, x, y, 0,
                                                          settings);
}

/// Exclusive scan from an initial value, `y(i) = init + x(0) + ... + x(i-1)`,
/// or with a total.
///
/// \param init_or_total the initial value or Total(place).
///        An initial value is a constant, an expression, or a variable as
///        InitialValue(variable). It is converted to the accumulator's type,
///        and is an integer if that is one.
///        `place` is a scalar variable or a View of rank 0 that receives
///        `x(0) + ... + x(n-1)`: without the initial value, as in
///        Kokkos::parallel_scan, and 0 for empty Views. It is not an element of
///        x or y. Its type is no wider than the accumulator's, and an integer
///        or floating point like that. The call waits for `exec` if place is a
///        scalar; it returns at once if place is a View of the accumulator's
///        type
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::exclusive, Accumulator>(
      exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Exclusive scan from an initial value; also writes Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void exclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::exclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_views<Impl::ScanKind::exclusive, Accumulator, Exec, X, Y, Init>(
        std::string(settings.label), exec, x, y, static_cast<Init&&>(init),
        total.place(), settings);
  }
}

/// Inclusive scan from 0: `y(i) = x(0) + ... + x(i)`. Parameters, accuracy,
/// order and errors are those of exclusive_scan().
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::inclusive, Accumulator>(exec, x, y, 0,
                                                          settings);
}

/// Inclusive scan from an initial value, `y(i) = init + x(0) + ... + x(i)`,
/// or with a total.
///
/// \param init_or_total as of exclusive_scan()
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::inclusive, Accumulator>(
      exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Inclusive scan from an initial value; also writes Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void inclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::inclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_views<Impl::ScanKind::inclusive, Accumulator, Exec, X, Y, Init>(
        std::string(settings.label), exec, x, y, static_cast<Init&&>(init),
        total.place(), settings);
  }
}

/// Deleted overloads of a scan for common mistakes; their error messages name
/// the mistake.
#define KOKKOSMMA_IMPL_DELETE_MISTAKES(SCAN)                                     \
  template <                                                                     \
      class Accumulator = void,                                                  \
      class What        = Mistake::                                              \
          x_and_y_must_have_rank_1_use_segmented_scans_for_the_rows_of_a_matrix, \
      Impl::ExecutionSpace Exec, Impl::AnyView X, Impl::AnyView Y,               \
      class... Rest>                                                             \
  requires(!Impl::Rank1View<X> || !Impl::Rank1View<Y>) void SCAN(                \
      Exec const&, X const&, Y const&, Rest&&...) = delete;                      \
  template <class Accumulator = void,                                            \
            class What        = Mistake::                                        \
                the_first_argument_must_be_an_instance_of_an_execution_space,    \
            Impl::AnyView X, class... Rest>                                      \
  void SCAN(X const&, Rest&&...) = delete

KOKKOSMMA_IMPL_DELETE_MISTAKES(exclusive_scan);
KOKKOSMMA_IMPL_DELETE_MISTAKES(inclusive_scan);

#undef KOKKOSMMA_IMPL_DELETE_MISTAKES

}  // namespace KokkosMMA

#endif
