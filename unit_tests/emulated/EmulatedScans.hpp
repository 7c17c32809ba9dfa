// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDSCANS_HPP
#define EMULATEDSCANS_HPP

#include <backends/emulated/kernels/KokkosMMA_TileScan.hpp>
#include "EmulatedData.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// Parameter of a typed test.
template <Scalar Input, class Sum>
struct Scanned {
  static constexpr Scalar scalar = Input;
  using Value                    = Sum;
  using Encoding                 = Impl::ScanEncoding<Input, Value>;

  static constexpr std::size_t tile = Impl::Emulated::tile_elements<Encoding>;
};

/// One of the scans of a type, behind a pointer: a test is compiled once for
/// all of them.
template <class Value>
struct TileScan {
  using Call = Value (*)(void const*, std::uint64_t, Value*, Value);
  bool products;  // or additions
  bool inclusive;
  Call call;

  std::string name() const {
    return std::string(inclusive ? "inclusive" : "exclusive") + " by " +
           (products ? "products" : "additions");
  }
};

template <class Parameter>
std::vector<TileScan<typename Parameter::Value>> tile_scans() {
  using Value        = typename Parameter::Value;
  constexpr Scalar S = Parameter::scalar;
  using Impl::WarpScanMma;
  using Impl::WarpScanShuffle;
  using Impl::Emulated::tile_scan;
  std::vector<TileScan<Value>> scans = {
      {false, false, tile_scan<WarpScanShuffle, S, Value, false>},
      {false, true, tile_scan<WarpScanShuffle, S, Value, true>}};
  if constexpr (Impl::scans_by_products<typename Parameter::Encoding>) {
    scans.push_back({true, false, tile_scan<WarpScanMma, S, Value, false>});
    scans.push_back({true, true, tile_scan<WarpScanMma, S, Value, true>});
  }
  return scans;
}

template <class Value>
struct Scan {
  std::vector<Value> prefixes;
  Value total;
};

/// Runs a scan, and looks whether it wrote behind the end.
template <class Value, class Bits>
Scan<Value> run(TileScan<Value> const& scan, Elements<Bits>& x,
                Value init = Value(0)) {
  constexpr std::size_t behind = 300;
  Value guard;
  std::memset(&guard, 0xa5, sizeof(guard));
  std::vector<Value> y(x.size() + behind, guard);
  Value const total = scan.call(x.data(), x.size(), y.data(), init);
  for (std::size_t i = x.size(); i < y.size(); ++i)
    EXPECT_EQ(0, std::memcmp(&guard, &y[i], sizeof(guard)))
        << "element " << i << " of " << x.size() << " was written";
  y.resize(x.size());
  return {y, total};
}

/// Sizes around the edges of a vector, a row, the two halves of a tile and
/// tiles.
inline std::vector<std::size_t> scan_sizes(std::size_t tile) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 40; ++size) sizes.push_back(size);
  for (std::size_t const edge : {tile / 2, tile, 2 * tile, 5 * tile})
    for (std::size_t const size : {edge - 1, edge, edge + 1})
      sizes.push_back(size);
  return sizes;
}

}  // namespace KokkosMMA::Testing

#endif
