// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the drop-in leaves to Kokkos' own code must stay as it is: team and
// nested reductions. And Views of every shape inside the functors that it
// takes.

#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

template <class Exec>
class OtherPatterns : public ::testing::Test {};
TYPED_TEST_SUITE(OtherPatterns, ExecutionSpaces);

template <class Exec>
void check_team() {
  using Policy     = Kokkos::TeamPolicy<Exec>;
  using Member     = typename Policy::member_type;
  int const league = 211, length = 1003;
  std::int64_t result = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      "team", Policy(league, Kokkos::AUTO),
      KOKKOS_LAMBDA(Member const& member, std::int64_t& update) {
        std::int64_t row = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, length),
            [&](int j, std::int64_t& sum) { sum += j ^ member.league_rank(); },
            row);
        Kokkos::single(Kokkos::PerTeam(member), [&] { update += row; });
      },
      result);
  EXPECT_TRUE(probe.went_to_kokkos());
  std::int64_t expected = 0;
  for (int i = 0; i < league; ++i)
    for (int j = 0; j < length; ++j) expected += j ^ i;
  EXPECT_EQ(expected, result);
}
TYPED_TEST(OtherPatterns, TeamReduction) { check_team<TypeParam>(); }

/// Reductions nested in a parallel_for, over threads and vector lanes, with a
/// reducer.
template <class Exec>
void check_nested() {
  using Policy     = Kokkos::TeamPolicy<Exec>;
  using Member     = typename Policy::member_type;
  int const league = 97, length = 517;
  Kokkos::View<int*, Exec> const sums("sums", league), peaks("peaks", league);
  Kokkos::parallel_for(
      "nested", Policy(league, Kokkos::AUTO),
      KOKKOS_LAMBDA(Member const& member) {
        int const i = member.league_rank();
        int sum = 0, peak = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(member, length),
            [&](int j, int& update) { update += (i * j) % 13; }, sum);
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, length),
            [&](int j, int& update) {
              int const value = (7 * j + i) % 1009;
              if (value > update) update = value;
            },
            Kokkos::Max<int>(peak));
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          sums(i)  = sum;
          peaks(i) = peak;
        });
      });
  auto const s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  auto const p =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), peaks);
  for (int i = 0; i < league; ++i) {
    int sum = 0, peak = 0;
    for (int j = 0; j < length; ++j) {
      sum += (i * j) % 13;
      peak = std::max(peak, (7 * j + i) % 1009);
    }
    ASSERT_EQ(sum, s(i));
    ASSERT_EQ(peak, p(i));
  }
}
TYPED_TEST(OtherPatterns, NestedReductions) { check_nested<TypeParam>(); }

/// Adds the elements of a rank-1 View, whatever its layout, alignment and
/// traits.
template <class Exec, class View>
void check_elements(View const& x, std::int64_t expected) {
  std::int64_t result = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      "elements", Kokkos::RangePolicy<Exec>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, std::int64_t& update) { update += x(i); }, result);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected, result);
}

TYPED_TEST(OtherPatterns, SubviewsOfEveryKind) {
  using Exec  = TypeParam;
  int const n = 10007, rows = 61, columns = 173;
  Random random;
  SCOPED_TRACE(random.note());
  std::vector<int> values(n);
  for (auto& value : values) value = random.integer(-100, 100);
  auto const bytes =
      make_view<std::int8_t, Exec>(n, [&](std::size_t i) { return values[i]; });
  // every alignment of the first element, odd lengths
  for (int begin = 0; begin < 9; ++begin) {
    int const end    = n - 3 * begin;
    std::int64_t sum = 0;
    for (int i = begin; i < end; ++i) sum += values[i];
    check_elements<Exec>(
        Kokkos::subview(bytes, Kokkos::pair<int, int>(begin, end)), sum);
  }

  using Left  = Kokkos::View<int**, Kokkos::LayoutLeft, Exec>;
  using Right = Kokkos::View<int**, Kokkos::LayoutRight, Exec>;
  Left const left("left", rows, columns);
  Right const right("right", rows, columns);
  auto const host = Kokkos::create_mirror_view(left);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      host(i, j) = values[(i * columns + j) % n];
  Kokkos::deep_copy(left, host);
  auto const host_right = Kokkos::create_mirror_view(right);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) host_right(i, j) = host(i, j);
  Kokkos::deep_copy(right, host_right);

  std::int64_t row = 0, column = 0, every_third = 0;
  for (int j = 0; j < columns; ++j) row += host(7, j);
  for (int i = 0; i < rows; ++i) column += host(i, 11);
  for (int j = 0; 3 * j < columns; ++j) every_third += host(7, 3 * j);
  check_elements<Exec>(Kokkos::subview(left, 7, Kokkos::ALL), row);
  check_elements<Exec>(Kokkos::subview(right, 7, Kokkos::ALL), row);
  check_elements<Exec>(Kokkos::subview(left, Kokkos::ALL, 11), column);
  check_elements<Exec>(Kokkos::subview(right, Kokkos::ALL, 11), column);
  check_elements<Exec>(
      Kokkos::View<
          int const*, Kokkos::LayoutStride, Exec,
          Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>(
          right.data() + 7 * columns,
          Kokkos::LayoutStride((columns + 2) / 3, 3)),
      every_third);
}

}  // namespace
