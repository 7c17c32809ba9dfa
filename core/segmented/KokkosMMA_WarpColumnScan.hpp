// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMN_SCAN_HPP
#define KOKKOSMMA_WARP_COLUMN_SCAN_HPP

#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/segmented/KokkosMMA_ColumnVectors.hpp>

/// \file
/// Scan down the columns of a tile of rows by one warp, which provides the
/// members listed in core/reduce/KokkosMMA_WarpSum.hpp.

namespace KokkosMMA::Impl {

/// Distribution of a tile's rows to the lanes of a warp in a scan: neighbouring
/// lanes have neighbouring vectors of a row, `positions` of them, then those of
/// the next row. Lanes from groups * positions on are idle.
struct ColumnLanes {
  int positions;
  int groups;  ///< rows side by side

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int group(int lane) const {
    return lane / positions;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int position(int lane) const {
    return lane % positions;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool holds_total(int lane) const {
    return group(lane) == groups - 1;
  }
};

/// Scan down the columns of a tile of Rows * groups rows: register r of a lane
/// holds row r * groups + group(lane). Columns are independent.
/// \tparam Elements per vector of a lane
/// \tparam Grouped  whether there may be more than one group
template <class Warp, Operation Op, Scalar Input, class Element, int Elements,
          int Rows, bool Grouped>
class WarpColumnScan {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Apply = Combine<Op, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int bytes         = Elements * element_bytes;
  using Words                        = ColumnWords<bytes>;
  using Vector                       = Registers<Value, Elements>;

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpColumnScan(Warp const& warp,
                                                ColumnLanes const& lanes)
      : m_warp(warp), m_lanes(lanes) {}

  /// Computes the `total` of the tile, in the lanes for which holds_total().
  /// `counts`: registers of a lane that hold rows of the matrix.
  template <class Row>
  KOKKOSMMA_FORCEINLINE_FUNCTION void total(Row const& row,
                                            Lanes<int> const& counts,
                                            Lanes<Vector>& total) const {
    m_warp.each([&](int lane) {
      for (int e = 0; e < Elements; ++e)
        m_warp.at(total, lane)[e] = Apply::identity();
    });
    for (int r = 0; r < Rows; ++r)
      m_warp.each([&](int lane) {
        if (r < m_warp.at(counts, lane)) {
          Words const words = row(lane, r);
          for (int e = 0; e < Elements; ++e) {
            Value& value = m_warp.at(total, lane)[e];
            value        = Apply::apply(value, this->value(words, e));
          }
        }
      });
    if constexpr (Grouped) {
      up_to_group(total);
    }
  }

  /// Calls visit(lane, r, vector) with the prefixes of each row of the matrix,
  /// in order. `before` is the prefix of the rows before the tile.
  template <bool Inclusive, class Row, class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void prefixes(Row const& row,
                                               Lanes<int> const& counts,
                                               Lanes<Vector>& before,
                                               Visit const& visit) const {
    for (int r = 0; r < Rows; ++r) {
      if constexpr (Grouped) {
        Lanes<Vector> sum;
        m_warp.each([&](int lane) {
          bool const is_row = r < m_warp.at(counts, lane);
          Words words{};
          if (is_row) words = row(lane, r);
          for (int e = 0; e < Elements; ++e)
            m_warp.at(sum, lane)[e] =
                is_row ? value(words, e) : Apply::identity();
        });
        up_to_group(sum);
        for (int e = 0; e < Elements; ++e) {
          Lanes<Value> mine;
          m_warp.each([&](int lane) {
            m_warp.at(mine, lane) = m_warp.at(sum, lane)[e];
          });
          Lanes<Value> const last = m_warp.gather(mine, [&](int lane) {
            return (m_lanes.groups - 1) * m_lanes.positions +
                   m_lanes.position(lane);
          });
          Lanes<Value> earlier    = mine;
          if constexpr (!Inclusive) {
            earlier = m_warp.gather(mine, [&](int lane) {
              return lane < m_lanes.positions ? lane : lane - m_lanes.positions;
            });
          }
          m_warp.each([&](int lane) {
            Value& running = m_warp.at(before, lane)[e];
            Value& result  = m_warp.at(sum, lane)[e];
            result         = !Inclusive && m_lanes.group(lane) == 0
                                 ? running
                                 : Apply::apply(running, m_warp.at(earlier, lane));
            running        = Apply::apply(running, m_warp.at(last, lane));
          });
        }
        m_warp.each([&](int lane) {
          if (r < m_warp.at(counts, lane)) visit(lane, r, m_warp.at(sum, lane));
        });
      } else {
        m_warp.each([&](int lane) {
          if (r < m_warp.at(counts, lane)) {
            Words const words = row(lane, r);
            Vector& running   = m_warp.at(before, lane);
            Vector result;
            for (int e = 0; e < Elements; ++e) {
              Value const next = Apply::apply(running[e], value(words, e));
              result[e]        = Inclusive ? next : running[e];
              running[e]       = next;
            }
            visit(lane, r, result);
          }
        });
      }
    }
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(Words const& words, int e) {
    return element_value<Warp, Input, Value>(
        element_of_vector<element_bytes>(words, e));
  }
  /// Adds the values at the same position in the lower groups.
  KOKKOSMMA_FORCEINLINE_FUNCTION void up_to_group(Lanes<Vector>& values) const {
    for (int distance = 1; distance < 32; distance *= 2) {
      if (distance >= m_lanes.groups) break;
      int const lanes = distance * m_lanes.positions;
      for (int e = 0; e < Elements; ++e) {
        Lanes<Value> mine;
        m_warp.each([&](int lane) {
          m_warp.at(mine, lane) = m_warp.at(values, lane)[e];
        });
        Lanes<Value> const other = m_warp.shuffle_up(mine, lanes);
        m_warp.each([&](int lane) {
          if (lane >= lanes)
            m_warp.at(values, lane)[e] =
                Apply::apply(m_warp.at(other, lane), m_warp.at(mine, lane));
        });
      }
    }
  }

  Warp m_warp;
  ColumnLanes m_lanes;
};

}  // namespace KokkosMMA::Impl

#endif
