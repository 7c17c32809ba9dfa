// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MISTAKES_HPP
#define KOKKOSMMA_MISTAKES_HPP

#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// Names for deleted overloads, which catch common mistakes. The compiler
/// prints the deleted function with its template arguments, the first of which
/// states the mistake, instead of a list of all overloads. A static_assert
/// would make the mistake pass the check of a requires-clause; a deleted
/// function does not.

namespace KokkosMMA {

/// Reasons why a call does not compile.
namespace Mistake {
struct x_must_have_rank_1_use_segmented_reduce_for_the_rows_of_a_matrix;
struct x_and_y_must_have_rank_1_use_segmented_scans_for_the_rows_of_a_matrix;
struct the_first_argument_must_be_an_instance_of_an_execution_space;
struct the_result_is_missing_pass_a_scalar_a_View_of_rank_0_or_a_reducer;
struct weights_and_boundaries_must_have_the_rank_of_the_Views;
}  // namespace Mistake

namespace Impl {

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;
template <class T>
concept AnyView = Kokkos::is_view_v<T>;
template <class T>
concept ViewOfOtherRank = AnyView<T> && !Rank1View<T>;
template <class X, class Y>
struct Dot;  // KokkosMMA_Functors.hpp
template <class T>
inline constexpr bool is_dot = false;
template <class X, class Y>
inline constexpr bool is_dot<Dot<X, Y>> = true;
template <class T>
concept Summable = Rank1View<T> || is_dot<T>;

}  // namespace Impl
}  // namespace KokkosMMA

#endif
