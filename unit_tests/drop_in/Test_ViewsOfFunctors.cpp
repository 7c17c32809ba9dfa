// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views of every shape inside the functors of an application.

#include <KokkosMMA_TestSupport.hpp>

#include <vector>

namespace {

using namespace KokkosMMA::Testing;

template <class Exec>
class ViewsOfFunctors : public ::testing::Test {};
TYPED_TEST_SUITE(ViewsOfFunctors, ExecutionSpaces);

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

TYPED_TEST(ViewsOfFunctors, SubviewsOfEveryKind) {
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
