// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// On a device, whatever the tuning table says: integers have the bits that the
// host computes, floating-point sums are within their bound.

#include "ScanSupport.hpp"

#include <KokkosMMA_ErrorBound.hpp>
#include <KokkosMMA_RandomTable.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

using Exec = Kokkos::Cuda;
template <class T>
using Vector = Kokkos::View<T*, Exec>;

template <class T>
Vector<T> on_device(std::vector<T> const& values) {
  return make_view<T, Exec>(values.size(),
                            [&](std::size_t i) { return values[i]; });
}

/// Random tables for the device of the tests, one after the other.
class AnyTuning : public ::testing::Test {
 protected:
  Random random;
  Exec exec;
  TuningTable table;

  ~AnyTuning() override { use(builtin_tuning); }

  void use(TuningTable const& other) {
    exec.fence();
    Impl::Cuda::use_tuning(exec.cuda_device(), other);
  }
  template <class Check>
  void for_random_tables(int count, Check const& check) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) {
      table = random_table(random);
      use(table);
      SCOPED_TRACE("table " + std::to_string(i));
      check();
    }
  }
  template <class T>
  std::vector<T> integers(std::size_t size) {
    std::vector<T> values(size);
    for (T& value : values) value = static_cast<T>(random.bits());
    return values;
  }
};

constexpr std::size_t sizes[] = {1, 100, 5000, 70001, 3000017};

TEST_F(AnyTuning, SumsOfIntegers) {
  for_random_tables(20, [&] {
    for (std::size_t const size : sizes) {
      auto const x        = integers<std::int32_t>(size);
      auto const flag     = integers<std::int8_t>(size);
      std::uint32_t exact = 0, exact_flags = 0;
      for (std::size_t i = 0; i < size; ++i) {
        exact += std::uint32_t(x[i]);
        exact_flags += std::uint32_t(std::int32_t(flag[i]));
      }
      std::int32_t sum = 0, flags = 0;
      reduce(exec, on_device(x), sum);
      ASSERT_EQ(std::int32_t(exact), sum) << size;
      reduce(exec, on_device(flag), flags);
      ASSERT_EQ(std::int32_t(exact_flags), flags) << size;
    }
  });
}

TEST_F(AnyTuning, SumsOfFloatingPoint) {
  for_random_tables(20, [&] {
    for (std::size_t const size : sizes) {
      std::vector<float> values(size);
      double exact = 0;
      for (float& value : values) exact += value = float(random.uniform());
      auto const x = on_device(values);
      float sum    = 0;
      reduce(exec, x, sum);
      double const bound =
          (chained_sum_bound(mma_tuning.chain_length, 64) + 1e-5) * exact;
      ASSERT_NEAR(exact, sum, bound) << size;
    }
  });
}

TEST_F(AnyTuning, ScansOfIntegers) {
  for_random_tables(20, [&] {
    for (std::size_t const size : sizes) {
      auto const values = integers<std::int32_t>(size);
      auto const x      = on_device(values);
      Vector<std::int32_t> const y("y", size);
      inclusive_scan(exec, x, y);
      auto const prefixes = elements_of(y);
      std::uint32_t exact = 0;
      for (std::size_t i = 0; i < size; ++i) {
        exact += std::uint32_t(values[i]);
        ASSERT_EQ(std::int32_t(exact), prefixes[i]) << i << " of " << size;
      }
    }
  });
}

TEST_F(AnyTuning, EqualSegmentsOfIntegers) {
  std::size_t const size = 300007;
  auto const values      = integers<std::int32_t>(size);
  auto const x           = on_device(values);
  for_random_tables(20, [&] {
    for (std::size_t const length :
         {1, 3, 4, 7, 8, 12, 17, 32, 33, 100, 512, 1000, 5000, 150000}) {
      Vector<std::int32_t> const sums("sums", (size + length - 1) / length);
      segmented_reduce(exec, x, length, sums);
      auto const found = elements_of(sums);
      for (std::size_t s = 0; s < found.size(); ++s) {
        std::uint32_t exact = 0;
        for (std::size_t i = s * length; i < std::min(size, (s + 1) * length);
             ++i)
          exact += std::uint32_t(values[i]);
        ASSERT_EQ(std::int32_t(exact), found[s])
            << "segment " << s << " of length " << length;
      }
    }
  });
}

TEST_F(AnyTuning, SegmentsBetweenOffsets) {
  for_random_tables(20, [&] {
    for (int const longest : {1, 4, 16, 60, 3000}) {
      std::vector<int> offsets(1, 0);
      while (offsets.back() < 100000)
        offsets.push_back(offsets.back() + int(random.integer(0, longest)));
      auto const values = integers<std::int8_t>(std::size_t(offsets.back()));
      Vector<std::int32_t> const sums("sums", offsets.size() - 1);
      segmented_reduce(exec, on_device(values), on_device(offsets), sums);
      auto const found = elements_of(sums);
      for (std::size_t s = 0; s < found.size(); ++s) {
        std::int32_t exact = 0;
        for (int i = offsets[s]; i < offsets[s + 1]; ++i) exact += values[i];
        ASSERT_EQ(exact, found[s]) << "segment " << s << ", up to " << longest;
      }
    }
  });
}

TEST_F(AnyTuning, ColumnsOfIntegers) {
  constexpr std::size_t rows = 1001, columns = 77;
  using Matrix      = Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Exec>;
  auto const values = integers<std::int8_t>(rows * columns);
  auto const flat   = on_device(values);
  Matrix const x(flat.data(), rows, columns);
  for_random_tables(20, [&] {
    Vector<std::int32_t> const sums("sums", columns);
    segmented_reduce(exec, x, Axis{0}, sums);
    auto const found = elements_of(sums);
    for (std::size_t j = 0; j < columns; ++j) {
      std::int32_t exact = 0;
      for (std::size_t i = 0; i < rows; ++i) exact += values[i * columns + j];
      ASSERT_EQ(exact, found[j]) << j;
    }
  });
}

TEST_F(AnyTuning, SaysWhichTableItIs) {
  EXPECT_EQ("", Impl::tuning_note(exec));
  EXPECT_EQ("built-in", tuning_description().substr(0, 8));
}

}  // namespace
