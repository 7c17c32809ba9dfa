// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SUM_REDUCER_HPP
#define KOKKOSMMA_SUM_REDUCER_HPP

#include <core/base/KokkosMMA_Combine.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace KokkosMMA {

/// Kokkos reducer for sums: integers wrap, and 16-bit floats are added in fp32.
/// Otherwise it works as Kokkos::Sum. The sum of half_t and bhalf_t is rounded
/// once, by a kernel of this library.
///
/// \code
/// Kokkos::View<double> sum("sum");  // the result stays on the device
/// Kokkos::parallel_reduce(n, KokkosMMA::load(x), KokkosMMA::Sum(sum));
/// \endcode
template <class Scalar_, class Space = Kokkos::HostSpace>
struct Sum {
  /// Marks the class as a Kokkos reducer.
  using reducer = Sum;
  /// Type of the sum.
  using value_type = std::remove_cv_t<Scalar_>;
  /// View that can hold the result.
  using result_view_type = Kokkos::View<value_type, Space>;

  /// Result in a host variable; the call waits for it.
  KOKKOS_INLINE_FUNCTION Sum(value_type& value)
      : m_value(&value), m_references_scalar(true) {}
  /// Result in a View of rank 0; the call returns at once.
  KOKKOS_INLINE_FUNCTION Sum(result_view_type const& value)
      : m_value(value), m_references_scalar(false) {}

  /// Adds `from` to `into`, integers modulo 2^bits.
  KOKKOS_INLINE_FUNCTION void join(value_type& into,
                                   value_type const& from) const {
    Impl::add(into, from);
  }
  /// Sets `value` to 0.
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const {
    value = Kokkos::reduction_identity<value_type>::sum();
  }
  /// The result.
  KOKKOS_INLINE_FUNCTION value_type& reference() const {
    return *m_value.data();
  }
  /// The result as a View.
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return m_value; }
  /// Whether the result is a variable on the host.
  KOKKOS_INLINE_FUNCTION bool references_scalar() const {
    return m_references_scalar;
  }

 private:
  result_view_type m_value;
  bool m_references_scalar;
};

/// Deduces type and memory space of Sum(view) from the View.
template <class Scalar_, class... P>
Sum(Kokkos::View<Scalar_, P...> const&)
    -> Sum<Scalar_, typename Kokkos::View<Scalar_, P...>::memory_space>;

}  // namespace KokkosMMA

#endif
