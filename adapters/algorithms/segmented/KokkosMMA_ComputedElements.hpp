// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COMPUTED_ELEMENTS_HPP
#define KOKKOSMMA_COMPUTED_ELEMENTS_HPP

#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace KokkosMMA {

/// Elements computed from their index; segmented_reduce() and SegmentPolicy
/// accept them instead of a View. They are not stored: a sparse matrix-vector
/// product reads matrix and vector once and writes the result.
///
/// \code
/// KokkosMMA::segmented_reduce(
///     exec,
///     KokkosMMA::ComputedElements(
///         values.extent(0), KOKKOS_LAMBDA(std::int64_t i) {
///           return values(i) * x(columns(i));
///         }),
///     row_offsets, y);
/// \endcode
///
/// The function is invoked on the device, once for each element of a segment,
/// in any order and by any thread. It must not read the call's output, and must
/// not write. The execution space must be able to access the memory that the
/// function reads; this is not checked. The result of the function is one of
/// the element types of segmented_reduce(). The order of additions is fixed,
/// and may differ from that of a View.
///
/// Tensor cores are not used. The level Reproducibility::exact is available on
/// host spaces only. One NVIDIA H200, CUDA 13.0, 2026-11-27: a sparse product
/// of doubles takes 0.43 of the time of the team kernel of plain Kokkos for a
/// 5-point grid, and 0.63 of that of segments of a View of products.
template <class Function>
class ComputedElements {
 public:
  /// Type that the function returns.
  using non_const_value_type =
      std::remove_cvref_t<std::invoke_result_t<Function const&, std::int64_t>>;
  using value_type = non_const_value_type const;  ///< the same type, const

  /// The elements function(0) to function(size - 1).
  ///
  /// \param size number of elements
  /// \param function callable on the device with a std::int64_t
  ///
  /// \throws std::invalid_argument for a negative size
  template <std::integral Size>
  ComputedElements(Size size, Function function)
      : m_size(checked(size)), m_function(std::move(function)) {}

  /// 1, as for a View of rank 1.
  KOKKOS_FUNCTION static constexpr std::size_t rank() { return 1; }
  /// Number of elements.
  KOKKOS_FUNCTION std::size_t extent(std::size_t) const { return m_size; }
  /// Number of elements.
  KOKKOS_FUNCTION std::size_t size() const { return m_size; }

  /// The element `i`.
  KOKKOS_FORCEINLINE_FUNCTION non_const_value_type
  operator()(std::uint64_t i) const {
    return m_function(static_cast<std::int64_t>(i));
  }

 private:
  template <class Size>
  static std::size_t checked(Size size) {
    if constexpr (std::is_signed_v<Size>) {
      if (size < 0)
        Impl::invalid_argument("KokkosMMA::ComputedElements", "size is ", size,
                               "; it must be 0 or more");
    }
    return static_cast<std::size_t>(size);
  }

  std::size_t m_size;
  Function m_function;
};

namespace Impl {

template <class X>
inline constexpr bool is_computed = false;
template <class Function>
inline constexpr bool is_computed<ComputedElements<Function>> = true;

/// Not checked: only the caller knows the memory that a function reads.
template <class Exec, class Function>
inline constexpr bool is_reachable<Exec, ComputedElements<Function>> = true;
template <class Function>
inline constexpr bool is_plain_source<ComputedElements<Function>> = true;

}  // namespace Impl
}  // namespace KokkosMMA

#endif
