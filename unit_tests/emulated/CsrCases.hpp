// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATED_CSRCASES_HPP
#define EMULATED_CSRCASES_HPP

#include "EmulatedData.hpp"

#include <KokkosMMA_Random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// Segments between offsets, with elements before the first and after the
/// last.
struct CsrCase {
  std::string name;
  std::vector<std::uint64_t> offsets{3};

  void add(std::uint64_t length) { offsets.push_back(offsets.back() + length); }
  std::size_t size() const { return std::size_t(offsets.back()) + 5; }
  std::uint64_t longest() const {
    std::uint64_t length = 0;
    for (std::size_t s = 1; s < offsets.size(); ++s)
      length = std::max(length, offsets[s] - offsets[s - 1]);
    return length;
  }
  Groups groups() const {
    return {name, size(), offsets.size() - 1,
            [offsets = offsets](std::size_t i) -> std::ptrdiff_t {
              if (i >= offsets.back()) return -1;
              return std::upper_bound(offsets.begin(), offsets.end(), i) -
                     offsets.begin() - 1;
            }};
  }

  /// Lengths around the edges of a vector, a lane's and a warp's share, a
  /// window of the ring; runs of empty segments; a long one among short ones.
  static std::vector<CsrCase> all(Random& random) {
    std::vector<CsrCase> all;
    auto const rows = [&](std::string const& name) -> CsrCase& {
      all.push_back({name});
      return all.back();
    };
    for (int const length : {1, 2, 3, 7, 8, 16, 17, 31, 64, 100, 300, 2100}) {
      auto& equal = rows("all of length " + std::to_string(length));
      for (int s = 0; s < 70 && s * length < 9000; ++s) equal.add(length);
    }
    rows("one segment").add(7000);
    rows("one empty segment").add(0);
    auto& empty = rows("empty segments");
    for (int s = 0; s < 131; ++s) empty.add(0);
    for (int const longest : {2, 8, 32, 80, 500, 3000}) {
      auto& uniform = rows("lengths up to " + std::to_string(longest));
      for (int s = 0; s < 200 && uniform.size() < 12000; ++s)
        uniform.add(random.integer(0, longest));
    }
    auto& uneven = rows("lengths of all magnitudes");
    for (int s = 0; s < 100; ++s)
      uneven.add(std::uint64_t(std::exp(random.uniform(-1., 7.))));
    auto& one = rows("one long segment among short and empty ones");
    for (int s = 0; s < 150; ++s) one.add(s == 77 ? 5000 : s % 4);
    auto& ends = rows("empty segments at both ends and around a long one");
    for (int s = 0; s < 40; ++s) ends.add(0);
    ends.add(4000);
    for (int s = 0; s < 400; ++s) ends.add(0);
    return all;
  }
  static std::vector<CsrCase> few() {
    std::vector<CsrCase> all{{"long and short"}, {"equal"}, {"short"}};
    for (int s = 0; s < 40; ++s) all[0].add(s % 5 == 0 ? 3000 : 20 * (s % 20));
    for (int s = 0; s < 9; ++s) all[1].add(40);
    for (int s = 0; s < 150; ++s) all[2].add(s % 5);
    all[2].add(7);
    return all;
  }
  static std::vector<CsrCase> large(Random& random) {
    std::vector<CsrCase> all;
    for (int const longest : {34, 6000}) {
      all.push_back({"many of up to " + std::to_string(longest)});
      while (all.back().size() < 70000)
        all.back().add(std::uint64_t(random.integer(0, longest)));
    }
    return all;
  }
};

}  // namespace KokkosMMA::Testing

#endif
