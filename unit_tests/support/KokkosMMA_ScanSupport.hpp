// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SCANSUPPORT_HPP
#define KOKKOSMMA_SCANSUPPORT_HPP

#include <KokkosMMA_TestSupport.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// y(i) = sum of x below i, or up to and with i.
template <class T, class Exec, bool Inclusive>
struct PrefixSum {
  using execution_space = Exec;
  using value_type      = T;
  Kokkos::View<T const*, Exec> x;
  Kokkos::View<T*, Exec> y;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, T& update, bool last) const {
    if (!Inclusive && last) y(i) = update;
    update += x(i);
    if (Inclusive && last) y(i) = update;
  }
};
template <class T, class Exec>
using ExclusiveSum = PrefixSum<T, Exec, false>;
template <class T, class Exec>
using InclusiveSum = PrefixSum<T, Exec, true>;

/// found holds the bits of the values, followed by nothing but poison.
template <class T, class View>
::testing::AssertionResult holds(View const& found,
                                 std::vector<T> const& values) {
  static_assert(std::is_same_v<T, typename View::non_const_value_type>);
  auto const host = elements_of(found);
  if (host.size() < values.size())
    return ::testing::AssertionFailure() << host.size() << " elements";
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = host.size(); i-- > 0;)
    if (!same_bits(host[i], i < values.size() ? values[i] : poison<T>())) {
      ++wrong;
      first = i;
    }
  if (wrong == 0) return ::testing::AssertionSuccess();
  auto result = ::testing::AssertionFailure();
  result << wrong << " of " << host.size() << " elements are wrong, the first "
         << first;
  if (first >= values.size())
    result << ", which no call should have written";
  else if constexpr (std::is_arithmetic_v<T>) {
    result << ": " << +host[first] << " and not " << +values[first];
  }
  return result;
}

/// Compares on the device, in order with the work of an instance: for tests
/// that call too often to copy every result.
template <class T, class Exec>
class Comparison {
 public:
  /// found(i) has the bits of expected(i), i < n; what follows is poison.
  void enqueue(Exec const& exec, Kokkos::View<T const*, Exec> const& found,
               Kokkos::View<T const*, Exec> const& expected,
               std::int64_t n) const {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("compare", Policy(exec, 0, found.extent(0)),
                         Compare{found, expected, n, m_wrong});
  }
  std::int64_t wrong() const { return value_of(m_wrong); }

 private:
  Kokkos::View<std::int64_t, Exec> m_wrong{"wrong"};

 public:
  struct Compare {
    Kokkos::View<T const*, Exec> found, expected;
    std::int64_t n;
    Kokkos::View<std::int64_t, Exec> wrong;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      auto const* const f =
          reinterpret_cast<unsigned char const*>(found.data() + i);
      auto const* const e = reinterpret_cast<unsigned char const*>(
          expected.data() + (i < n ? i : 0));
      bool same = true;
      for (std::size_t k = 0; k < sizeof(T); ++k)
        same = same && f[k] == (i < n ? e[k] : 0xa5);
      if (!same) Kokkos::atomic_inc(&wrong());
    }
  };
};

}  // namespace KokkosMMA::Testing

#endif
