// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TUNING_TYPE_HPP
#define KOKKOSMMA_CUDA_TUNING_TYPE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl::Cuda {

/// A tuning as a type, for template arguments of kernels. A value of class type
/// cannot be one: the host code that nvcc 13.0 generates uses its mangled name
/// and does not compile. `Fields` are those of the aggregate in their order.
/// None is an array or of class type. Each is initialised where a tuning is
/// written: nvcc 13.0 with clang 14 as host compiler used 0 for the default of
/// a field.
template <class Tuning, int... Fields>
struct TuningType {
  static constexpr Tuning value{Fields...};
};

template <auto Tuning, std::size_t... I>
auto make_tuning_type(std::index_sequence<I...>)
    -> TuningType<std::remove_cvref_t<decltype(Tuning)>,
                  std::bit_cast<std::array<int, sizeof...(I)>>(Tuning)[I]...>;

/// The type of a tuning whose fields are int.
template <auto Tuning>
using tuning_type = decltype(make_tuning_type<Tuning>(
    std::make_index_sequence<sizeof(Tuning) / sizeof(int)>()));

/// Cap of a kernel's registers, as blocks per multiprocessor: `Tuned` from
/// sm_90 on, at most `Before` on older devices, where ptxas 13.0 spills under
/// caps that suit sm_90. Grid sizes follow the tunings everywhere.
template <int Tuned, int Before>
inline constexpr int min_blocks_of =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    Tuned < Before ? Tuned : Before;
#else
    Tuned;
#endif

/// Tuned number of blocks per multiprocessor, at most as many as fit into the
/// 1536 threads of most devices that are not made for data centres. More are
/// ignored with a warning, which the caller's flags may make an error.
template <class Tuning>
inline constexpr int fitting_blocks =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 800 && \
    (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1100)
    std::min(Tuning::value.min_blocks, 1536 / Tuning::value.threads);
#else
    Tuning::value.min_blocks;
#endif

}  // namespace KokkosMMA::Impl::Cuda

#endif
