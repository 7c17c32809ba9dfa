// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans and sums of runs of equal keys.

#include "../emulated/CsrCases.hpp"
#include "ReductionSuite.hpp"
#include "ScanSuite.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_RunsByKey.hpp>

namespace KokkosMMA::Testing {
namespace {

/// A key whose bits say less than its operator==.
struct Cell {
  std::int32_t row;
  std::int8_t column;
  friend bool operator==(Cell const& a, Cell const& b) {
    return a.row == b.row && a.column == b.column;
  }
};
/// Keys of 1, 4 and 8 bytes and structs, by the size of the elements.
template <class T>
using KeyOf = std::conditional_t<
    T::bytes == 1, std::int32_t,
    std::conditional_t<T::bytes == 2, std::uint8_t,
                       std::conditional_t<T::bytes == 4, double, Cell>>>;
template <class Key>
Key key_of(std::ptrdiff_t number) {
  if constexpr (std::is_same_v<Key, Cell>) {
    return {std::int32_t(number / 2), std::int8_t(number % 2)};
  } else {
    return static_cast<Key>(number);
  }
}

/// Segments of a CsrCase, as runs: neighbours have different keys.
struct RunCase {
  std::string name;
  std::vector<std::size_t> ends;

  std::size_t size() const { return ends.back(); }
  Groups groups() const {
    return {name, size(), ends.size(), [ends = ends](std::size_t i) {
              return std::upper_bound(ends.begin(), ends.end(), i) -
                     ends.begin();
            }};
  }
  template <class T>
  Row<KeyOf<T>> keys() const {
    Row<KeyOf<T>> keys(size(), int(size() % 3));
    Groups const all = groups();
    for (std::size_t i = 0; i < size(); ++i)
      keys[i] = key_of<KeyOf<T>>(all.of(i) % 5);
    return keys;
  }

  static std::vector<RunCase> of(std::vector<CsrCase> const& cases) {
    std::vector<RunCase> all;
    for (CsrCase const& c : cases) {
      RunCase runs{c.name, {}};
      for (std::size_t s = 1; s < c.offsets.size(); ++s)
        if (c.offsets[s] > c.offsets[s - 1])
          runs.ends.push_back(std::size_t(c.offsets[s] - c.offsets[0]));
      if (!runs.ends.empty()) all.push_back(runs);
    }
    return all;
  }
  /// Sizes around those of a warp's part and of a tile.
  static std::vector<RunCase> all(Random& random) {
    std::vector<RunCase> all = of(CsrCase::all(random));
    for (std::size_t const size : {1, 2, 31, 32, 383, 384, 385, 767, 768, 769,
                                   1024, 3072, 6143, 6144, 6145, 8192, 12288}) {
      all.push_back({"one run of " + std::to_string(size), {size}});
      all.push_back({"runs of 1, " + std::to_string(size), {}});
      for (std::size_t i = 1; i <= size; ++i) all.back().ends.push_back(i);
    }
    return all;
  }
  static std::vector<RunCase> few() { return of(CsrCase::few()); }
  static std::vector<RunCase> large(Random& random) {
    return of(CsrCase::large(random));
  }
};

struct RunScan : KernelOf<RunCase> {
  template <Impl::Operation Op, class T, class ResultOf, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       ResultOf const& y_of, Check const& check) {
    auto const keys = c.keys<T>();
    auto const scan = [&]<bool Inclusive>(std::bool_constant<Inclusive>) {
      Kokkos::Cuda const exec;
      Impl::Cuda::launch_scan_by_key<Op, T::input, typename T::Value,
                                     Inclusive>(
          exec, Impl::Cuda::StreamScratch(exec), keys.data(), x, c.size(),
          y_of());
      check(Inclusive, false);
    };
    scan(std::true_type());
    scan(std::false_type());
  }
};

struct RunSum : KernelOf<RunCase> {
  template <Impl::Operation Op, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    using Value     = typename T::Value;
    using Key       = KeyOf<T>;
    auto const keys = c.keys<T>();
    Results<Value> results(c.ends.size());
    Row<Key> unique(2 * c.ends.size(), 1);
    std::int64_t runs = -1;
    Kokkos::Cuda const exec;
    Impl::Cuda::launch_reduce_by_key<Op, T::input, Value>(
        exec, Impl::Cuda::StreamScratch(exec), keys.data(), x, c.size(),
        unique.data(), 2, results.store(), &runs, c.ends.size() % 2 == 0);
    EXPECT_EQ(std::int64_t(c.ends.size()), runs) << c.name;
    Row<Key> const untouched(unique.size(), 1);
    for (std::size_t s = 0; s < c.ends.size(); ++s) {
      ASSERT_TRUE(unique[2 * s] == key_of<Key>(std::ptrdiff_t(s % 5)))
          << c.name << ", run " << s;
      ASSERT_EQ(0, std::memcmp(static_cast<void const*>(&untouched[2 * s + 1]),
                               &unique[2 * s + 1], sizeof(Key)));
    }
    check(results.values(), false);
  }
};

KOKKOSMMA_KERNEL_TESTS(Runs, Scans, RunScan);
KOKKOSMMA_KERNEL_TESTS(Runs, Reductions, RunSum);

/// Prefixes of tiles that finish in a given order, while a warp looks back.
std::vector<std::uint32_t> prefixes_of(std::vector<float> const& values,
                                       std::vector<unsigned> const& order) {
  using namespace Impl::Cuda;
  using Add = JoinSinceStart<Impl::Combine<Impl::Operation::sum, float>, float,
                             std::uint64_t>;
  using Sum = Add::Sum;
  auto const tiles = unsigned(values.size());
  StreamScratch const stream{Kokkos::Cuda()};
  ScanScratch const scratch = stream->scan(look_back_size<Sum>.words(tiles));
  unsigned const tag        = ++scratch.control->launches;
  std::vector<std::uint32_t> found;
  EmulatedDevice::run({1, 1, 1}, {64, 1, 1}, 0, [&] {
    Add const add;
    LookBack<Sum, Add> const look_back(add, scratch, tiles, tag);
    if (threadIdx.x == 32) {
      for (unsigned const tile : order) {
        Sum sum;
        sum.set(values[tile], tile % 7 == 0 ? 3 : 0);
        look_back.publish(tile, sum);
        for (int turns = 0; turns < 5; ++turns) EmulatedDevice::yield();
      }
    }
    if (threadIdx.x >= 32) return;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      Slot<Sum> prefix;
      look_back.exclusive(tile, prefix);
      if (threadIdx.x != 0) continue;
      EXPECT_EQ((tile + 6) / 7 * 3, prefix.value.starts()) << tile;
      found.push_back(prefix.value.value[0]);
    }
  });
  return found;
}

TEST(RunLookBack, SameBitsWhateverTileFinishesFirst) {
  Random random;
  std::vector<float> values(200);
  for (float& value : values) value = float(random.uniform(-1., 1.));
  std::vector<unsigned> order(values.size());
  for (unsigned tile = 0; tile < order.size(); ++tile) order[tile] = tile;
  auto const expected = prefixes_of(values, order);
  EXPECT_EQ(expected.size(), values.size());
  std::reverse(order.begin(), order.end());
  EXPECT_EQ(expected, prefixes_of(values, order));
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[std::size_t(random.integer(0, std::int64_t(i)))]);
  EXPECT_EQ(expected, prefixes_of(values, order));
}

}  // namespace
}  // namespace KokkosMMA::Testing
