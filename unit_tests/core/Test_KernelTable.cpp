// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <core/base/KokkosMMA_KernelTable.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using KokkosMMA::Impl::KernelKey;
using KokkosMMA::Impl::KernelTable;

TEST(KernelTable, TellsKeysApartAndKeepsObjectsWhereTheyAre) {
  std::vector<double> const kernels(500);
  auto const key_of = [&](int k) {
    return KernelKey{k % 3, &kernels[std::size_t(k / 6)], unsigned(k / 3 % 2)};
  };
  KernelTable<int> table;
  EXPECT_EQ(nullptr, table.find(key_of(0)));
  std::vector<int*> places;
  for (int k = 0; k < 3000; ++k) {
    EXPECT_EQ(nullptr, table.find(key_of(k))) << k;
    places.push_back(&table.insert(key_of(k), k));
  }
  EXPECT_EQ(3000u, table.size());
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(places[std::size_t(k)], table.find(key_of(k))) << k;
    EXPECT_EQ(k, *table.find(key_of(k)));
  }
  table.clear();
  EXPECT_EQ(0u, table.size());
  EXPECT_EQ(nullptr, table.find(key_of(7)));
  EXPECT_EQ(9, table.insert(key_of(7), 9));
  EXPECT_EQ(9, *table.find(key_of(7)));
}

}  // namespace
