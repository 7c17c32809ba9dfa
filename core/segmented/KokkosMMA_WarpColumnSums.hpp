// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMN_SUMS_HPP
#define KOKKOSMMA_WARP_COLUMN_SUMS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_ColumnVectors.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Running values of columns in a warp. A warp provides the members listed in
/// core/reduce/KokkosMMA_WarpSum.hpp.

namespace KokkosMMA::Impl {

/// Running values by additions; each lane loads the vectors of one position.
template <class Warp, Operation Op, Scalar Input, class Element>
class WarpColumnAdditions {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Apply = Combine<Op, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int elements      = 16 / element_bytes;
  static constexpr int width         = 32;  ///< positions side by side
  /// Registers (32-bit) of a lane for running values.
  static constexpr int registers = elements * int(sizeof(Value)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnAdditions(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        warp.at(m_running, lane)[e] = Apply::identity();
    });
  }

  /// Adds a vector per lane.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& vector) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) add_element(lane, vector, e);
    });
  }
  /// Adds a vector per lane; only elements with a bit in `present` are data,
  /// others are zero.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                               Lanes<unsigned> const& present) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (m_warp.at(present, lane) >> e & 1) add_element(lane, vector, e);
    });
  }

  /// Calls visit(lane, position, element, value) for all positions.
  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        visit(lane, lane, e, m_warp.at(m_running, lane)[e]);
    });
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_element(int lane,
                                                  Lanes<Vector16> const& vector,
                                                  int e) {
    Value& running = m_warp.at(m_running, lane)[e];
    running        = Apply::apply(running, element_value<Warp, Input, Value>(
                                        element_of_vector<element_bytes>(
                                            m_warp.at(vector, lane), e)));
  }

  Warp m_warp;
  Lanes<Registers<Value, elements>> m_running;
};

}  // namespace KokkosMMA::Impl

#endif
