// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_UNIT_TESTS_POLICYCASES_HPP
#define KOKKOSMMA_UNIT_TESTS_POLICYCASES_HPP

#include <KokkosMMA_TestSupport.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// What a RangePolicy can say, for tests of reductions and of scans: each
/// function calls check(policy) for every case.

namespace KokkosMMA::Testing {

/// Ranges up to the last value that the type can name. Kokkos' own scans on a
/// host compute beyond the end of the range and are kept away from it.
template <class Exec, class Index, class Check>
void for_ranges_of_index_type(Check const& check) {
  using Policy       = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  using Limits       = std::numeric_limits<Index>;
  Index const length = sizeof(Index) == 2 ? 7001 : 70001;
  Index const margin = on_cuda<Exec> ? 0 : 17000;
  auto const highest = static_cast<Index>(Limits::max() - margin);
  check(Policy(0, length));
  check(Policy(1, 2));
  check(Policy(length / 3, length));
  check(Policy(static_cast<Index>(highest - length), highest));
  if constexpr (std::is_signed_v<Index>) {
    check(Policy(static_cast<Index>(-length), -5));
    check(Policy(static_cast<Index>(-length), length));
    check(Policy(Limits::min(), static_cast<Index>(Limits::min() + length)));
  }
}

/// Ranges that pass every power of two where a 32-bit index would break.
template <class Exec, class Check>
void for_ranges_of_wide_types(Check const& check) {
  using Wide = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Long = Kokkos::RangePolicy<Exec, Kokkos::IndexType<long>>;
  using Size = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  std::int64_t const two_to_31 = std::int64_t(1) << 31;
  std::int64_t const two_to_40 = std::int64_t(1) << 40;
  check(Wide(0, 70001));
  check(Long(-3, 70001));
  check(Wide(two_to_31 - 4000, two_to_31 + 4001));
  check(Wide(-two_to_31 - 4001, -two_to_31 + 4000));
  check(Wide(2 * two_to_31 - 4000, 2 * two_to_31 + 4001));
  check(Wide(two_to_40 + 17, two_to_40 + 65555));
  check(Wide(-two_to_40 - 65555, -two_to_40));
  check(Size(17, 20011));
  check(Size(2 * two_to_31 - 4000, 2 * two_to_31 + 4001));
  check(Size(two_to_40 + 17, two_to_40 + 20011));
}

/// Single indices and a begin that is not zero, of the default index type.
template <class Exec, class Check>
void for_ranges_from_anywhere(Check const& check) {
  check(Kokkos::RangePolicy<Exec>(0, 1));
  check(Kokkos::RangePolicy<Exec>(4711, 4712));
  check(Kokkos::RangePolicy<Exec>(12345, 99999));
  check(Kokkos::RangePolicy<Exec>(99999, 100000));
}

/// Traits that tune a launch must not change what is computed.
template <class Exec, class Check>
void for_traits_of_the_launch(Check const& check) {
  using Kokkos::IndexType;
  using Kokkos::LaunchBounds;
  using Kokkos::RangePolicy;
  using Kokkos::Schedule;
  check(RangePolicy<Exec, LaunchBounds<128, 2>>(3, 50021));
  check(RangePolicy<Exec, Schedule<Kokkos::Dynamic>, IndexType<int>>(3, 50021));
  std::vector<int> chunks = {1, 64, 4096, 1 << 20};
  // Kokkos' own scan loses indices with a size that is no power of two
  if (on_cuda<Exec>) chunks.push_back(7);
  for (int chunk : chunks) {
    SCOPED_TRACE("chunk size " + std::to_string(chunk));
    check(RangePolicy<Exec>(Exec(), 3, 50021, Kokkos::ChunkSize(chunk)));
  }
  check(Kokkos::Experimental::require(
      RangePolicy<Exec>(3, 50021),
      Kokkos::Experimental::WorkItemProperty::HintLightWeight));
}

}  // namespace KokkosMMA::Testing

/// The tests of a suite that calls `check` with every policy.
#define KOKKOSMMA_TEST_POLICIES(Suite, check)                                 \
  TYPED_TEST(Suite, IndexTypeShort) {                                         \
    KokkosMMA::Testing::for_ranges_of_index_type<TypeParam, short>(check);    \
  }                                                                           \
  TYPED_TEST(Suite, IndexTypeInt) {                                           \
    KokkosMMA::Testing::for_ranges_of_index_type<TypeParam, int>(check);      \
  }                                                                           \
  TYPED_TEST(Suite, IndexTypeUnsigned) {                                      \
    KokkosMMA::Testing::for_ranges_of_index_type<TypeParam, unsigned>(check); \
  }                                                                           \
  TYPED_TEST(Suite, IndexTypesOf64Bits) {                                     \
    KokkosMMA::Testing::for_ranges_of_wide_types<TypeParam>(check);           \
  }                                                                           \
  TYPED_TEST(Suite, BeginNotZero) {                                           \
    KokkosMMA::Testing::for_ranges_from_anywhere<TypeParam>(check);           \
  }                                                                           \
  TYPED_TEST(Suite, TraitsOfTheLaunch) {                                      \
    KokkosMMA::Testing::for_traits_of_the_launch<TypeParam>(check);           \
  }

#endif
