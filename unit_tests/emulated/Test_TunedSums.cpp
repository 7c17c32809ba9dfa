// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tuning table may change within a kernel: integers are exact by every
// table, floating-point sums within the bound of the longest chain.

#include <backends/emulated/kernels/KokkosMMA_MmaReduce.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>

#include <gtest/gtest.h>

#include <KokkosMMA_RandomTable.hpp>

#include <cmath>

#include "EmulatedData.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

constexpr std::size_t size = 20000;

TEST(TunedSum, IntegersAreExactByEveryTable) {
  Random random;
  SCOPED_TRACE(random.note());
  Elements<std::int32_t> x(size, 1);
  std::uint64_t exact = 0;
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = std::int32_t(random.bits());
    exact += std::uint64_t(std::int64_t(x[i]));
  }
  for (int i = 0; i < 20; ++i) {
    int const chain_length = random_table(random).reduce_chain_length;
    ASSERT_EQ(exact, std::uint64_t(Emulated::reduce<Scalar::int32>(
                         x.data(), size, chain_length)))
        << chain_length;
  }
}

TEST(TunedSum, HalfsAreWithinTheBoundByEveryTable) {
  Random random;
  SCOPED_TRACE(random.note());
  using F = Format<Scalar::half>;
  Elements<F::Bits> x(size, 3);
  double exact = 0;
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = F::encode(random.uniform());
    exact += F::decode(x[i]);
  }
  double const bound = chained_sum_bound(max_chain_length, size / 256) * exact;
  for (int i = 0; i < 20; ++i) {
    int const chain_length = random_table(random).reduce_chain_length;
    double const sum =
        Emulated::reduce<Scalar::half>(x.data(), size, chain_length);
    ASSERT_LE(std::abs(sum - exact), bound) << chain_length;
  }
}

}  // namespace
