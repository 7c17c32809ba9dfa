// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FLAT_POLICY_HPP
#define KOKKOSMMA_FLAT_POLICY_HPP

/// \file
/// RangePolicy and MDRangePolicy as one range of indices.

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <core/reduce/KokkosMMA_StreamedReduceLimits.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// A policy as one range of indices and a functor that is invoked with them.
template <class Policy>
struct Flattened;

template <class... Traits>
struct Flattened<Kokkos::RangePolicy<Traits...>> {
  using Policy                     = Kokkos::RangePolicy<Traits...>;
  using Index                      = typename Policy::member_type;
  static constexpr Pattern pattern = Pattern::range;
  static constexpr int indices     = 1;

  static std::uint64_t size(Policy const& policy) {
    return policy.end() > policy.begin()
               ? std::uint64_t(policy.end()) - std::uint64_t(policy.begin())
               : 0;
  }
  static Index begin(Policy const& policy) { return policy.begin(); }
  template <class Functor>
  using Call = TaggedCall<Functor, typename Policy::work_tag>;

  /// Argument of a kernel that expects a Call: the functor itself.
  template <class Functor>
  static Functor const& call(Functor const& functor, Policy const&, int) {
    return functor;
  }
  /// Number of elements that a kernel iterates over.
  template <class Functor>
  static std::uint64_t places(Functor const&, std::uint64_t size) {
    return size;
  }
};

template <class... Traits>
struct Flattened<Kokkos::MDRangePolicy<Traits...>> {
  using Policy                     = Kokkos::MDRangePolicy<Traits...>;
  using Index                      = std::uint32_t;
  static constexpr Pattern pattern = Pattern::mdrange;
  static constexpr int indices     = int(Policy::rank);

  static std::uint64_t size(Policy const& policy) {
    std::uint64_t product = 1;
    for (int d = 0; d < int(Policy::rank); ++d) {
      auto const extent = policy.m_upper[d] - policy.m_lower[d];
      if (extent <= 0) return 0;
      // Saturates: the policy is rejected, whatever the exact number.
      if (product < max_flattened_indices) product *= std::uint64_t(extent);
    }
    return product;
  }
  static Index begin(Policy const&) { return 0; }
  template <class Functor>
  using Call = MultiIndexCall<TaggedCall<Functor, typename Policy::work_tag>,
                              typename Policy::index_type, int(Policy::rank),
                              Policy::inner_direction == Kokkos::Iterate::Left>;

  /// \param threads block size for which the kernel is tuned
  template <class Functor>
  static Call<Functor> call(Functor const& functor, Policy const& policy,
                            int threads) {
    using Tagged = TaggedCall<Functor, typename Policy::work_tag>;
    return multi_index_call<Tagged, typename Policy::index_type,
                            int(Policy::rank),
                            Policy::inner_direction == Kokkos::Iterate::Left>(
        functor, policy.m_lower, policy.m_upper, threads);
  }
  template <class Call>
  static std::uint64_t places(Call const& call, std::uint64_t size) {
    return size == 0 ? 0 : call.places();
  }
};

}  // namespace KokkosMMA::Impl

#endif
