// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level device_independent on the device that there is: the bits of the same
// operations in plain loops, and of any tuning table. On host execution spaces
// the level changes nothing.

#include <KokkosMMA_RandomTable.hpp>
#include <KokkosMMA_ReferenceFold.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Exec>;

constexpr Settings level = [] {
  Settings settings;
  settings.reproducibility = Reproducibility::device_independent;
  return settings;
}();

template <class T>
struct Add {
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i, T& sum) const { sum += x(i); }
};
template <class T>
struct Multiply {
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i, T& product) const { product *= x(i); }
};
template <class T>
struct Prefixes {
  Vector<T> x, y;
  KOKKOS_FUNCTION void operator()(int i, T& sum, bool is_final) const {
    sum += x(i);
    if (is_final) y(i) = sum;
  }
};
/// Sums of three powers of each element.
struct Powers {
  using value_type = double[];
  unsigned value_count;
  Vector<double> x;
  KOKKOS_FUNCTION void operator()(int i, double* sums) const {
    double power = 1;
    for (unsigned e = 0; e < value_count; ++e) sums[e] += power *= x(i);
  }
  KOKKOS_FUNCTION void init(double* sums) const {
    for (unsigned e = 0; e < value_count; ++e) sums[e] = 0;
  }
  KOKKOS_FUNCTION void join(double* into, double const* from) const {
    for (unsigned e = 0; e < value_count; ++e) into[e] += from[e];
  }
};

template <class T>
std::vector<T> numbers(Random& random, std::size_t size, double low,
                       double high) {
  std::vector<T> x(size);
  for (T& each : x) each = T(random.uniform(low, high));
  return x;
}
template <class T>
Vector<T> on_device(std::vector<T> const& x) {
  Vector<T> const view("x", x.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              x.data(), x.size()));
  return view;
}
template <class V>
auto on_host(V const& view) {
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename V::non_const_value_type>(
      host.data(), host.data() + host.size());
}

template <class T>
void expect_bits(T expected, T computed) {
  EXPECT_EQ(0, std::memcmp(&expected, &computed, sizeof(T)))
      << expected << " and " << computed;
}

template <class T>
void expect_reference(Random& random, std::size_t size) {
  SCOPED_TRACE(size);
  ScopedSettings const scope(level);
  Kokkos::RangePolicy<Exec> const policy(0, int(size));
  auto const terms   = numbers<T>(random, size, -1, 1);
  auto const factors = numbers<T>(random, size, 0.5, 1.5);
  T sum = 0, product = 1;
  Kokkos::parallel_reduce("sum", policy, Add<T>{on_device(terms)}, sum);
  Kokkos::parallel_reduce("product", policy, Multiply<T>{on_device(factors)},
                          Kokkos::Prod<T>(product));
  double exact = 0;
  for (T const each : terms) exact += double(each);
  // Hosts add one after the other: partial sums of some thousands round 40
  // million times, by up to 1 in floats with some seeds.
  EXPECT_NEAR(exact, double(sum),
              (sizeof(T) == 4 ? 2e-2 : 1e-9) * (1 + 1e-5 * double(size)));
  if (!on_cuda<Exec>) return;
  EXPECT_EQ(Route::streamed, last_route());
  expect_bits(reference_fold<T>(
                  Impl::streamed_tuning(sizeof(T), 1, true, sizeof(Add<T>)),
                  size, T(0), [&](std::uint64_t i) { return terms[i]; },
                  [](T a, T b) { return a + b; }),
              sum);
  expect_bits(
      reference_fold<T>(
          Impl::streamed_tuning(sizeof(T), 1, false, sizeof(Multiply<T>)), size,
          T(1), [&](std::uint64_t i) { return factors[i]; },
          [](T a, T b) { return a * b; }),
      product);
}

TEST(Levels, ReductionsHaveTheReferenceBits) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const size :
       {std::size_t(1), std::size_t(random.integer(2, 3000)),
        std::size_t(random.integer(100000, 270000)),
        std::size_t(random.integer(300000, 3000000)),
        std::size_t(40000000 + random.integer(0, 99999))}) {
    expect_reference<float>(random, size);
    expect_reference<double>(random, size);
  }
}

/// Calls run() with table after table.
template <class Run>
void expect_same_bits(Random& random, Run const& run) {
  ScopedSettings const scope(level);
  auto const first = run();
#if defined(KOKKOS_ENABLE_CUDA)
  int const id                 = Exec().cuda_device();
  Impl::TuningTable const& own = *Impl::Cuda::device(id).tuning;
  static Impl::TuningTable table;
  for (int n = 0; n < 5; ++n) {
    table = random_table(random);
    Impl::Cuda::use_tuning(id, table);
    auto const bits = run();
    ASSERT_EQ(first.size(), bits.size());
    EXPECT_EQ(0, std::memcmp(first.data(), bits.data(),
                             first.size() * sizeof(first[0])));
  }
  Impl::Cuda::use_tuning(id, own);
#else
  static_cast<void>(random);
  EXPECT_FALSE(first.empty());
#endif
}

TEST(Levels, AnyTuningTable) {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const rows = 60000, columns = 17, size = rows * columns;
  auto const x = on_device(numbers<double>(random, size, -1, 1));
  Vector<double> const y("y", size);
  Settings const asked = on_cuda<Exec> ? level : Settings();
  Kokkos::RangePolicy<Exec> const policy(0, int(size));
  expect_same_bits(random, [&] {
    std::vector<double> result(6, -1);
    Kokkos::parallel_reduce("sum", policy, Add<double>{x}, result[0]);
    Kokkos::parallel_reduce(
        "powers", policy, Powers{3, x},
        Kokkos::View<double*, Kokkos::HostSpace>(result.data() + 1, 3));
    Kokkos::parallel_reduce("squares", int(size), squares(x), result[4]);
    reduce(Exec(), x, Kokkos::Max<double>(result[5]), asked);
    return result;
  });
  expect_same_bits(random, [&] {
    Kokkos::parallel_scan("prefixes", policy, Prefixes<double>{x, y});
    return on_host(y);
  });
  expect_same_bits(random, [&] {
    inclusive_scan(Exec(), x, y, asked);
    return on_host(y);
  });
  Kokkos::View<double**, Kokkos::LayoutRight, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const matrix(x.data(),
                                                                     rows,
                                                                     columns);
  Vector<double> const sums("sums", columns);
  expect_same_bits(random, [&] {
    segmented_reduce(Exec(), matrix, Axis{0}, sums, asked);
    return on_host(sums);
  });
  for (std::size_t const length : {17, 4000, 500000}) {
    Vector<double> const of_segments("sums", (size + length - 1) / length);
    expect_same_bits(random, [&] {
      segmented_reduce(Exec(), x, length, of_segments, asked);
      return on_host(of_segments);
    });
    expect_same_bits(random, [&] {
      segmented_inclusive_scan(Exec(), x, length, y, asked);
      return on_host(y);
    });
  }
}

TEST(Levels, OrdersAndExplanations) {
  if (!on_cuda<Exec>) GTEST_SKIP() << "the level is for Cuda";
  Vector<float> const x("x", 1000), y("y", 1000);
  float result = 0;
  std::string const said =
      explain([&] { inclusive_scan(Exec(), x, y, level); });
  EXPECT_NE(said.find("level device_independent"), said.npos) << said;
  EXPECT_NE(said.find("not mma: "), said.npos) << said;
  Settings forced = level;
  forced.route    = Route::mma;
  EXPECT_THROW(inclusive_scan(Exec(), x, y, forced), std::invalid_argument);
  forced.route = Route::generic;
  EXPECT_THROW(inclusive_scan(Exec(), x, y, forced), std::invalid_argument);
  EXPECT_THROW(reduce(Exec(), x, Kokkos::Prod<float>(result), forced),
               std::invalid_argument);
}

}  // namespace
