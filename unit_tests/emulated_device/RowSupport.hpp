// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_ROWSUPPORT_HPP
#define EMULATEDDEVICE_ROWSUPPORT_HPP

#include "DeviceMemory.hpp"

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA::Testing {

/// What is read, and what is added up.
template <class Element_, class Value_>
struct RowTypes {
  using Element = Element_;
  using Value   = Value_;
};
using AllRowTypes = ::testing::Types<
    RowTypes<Half, float>, RowTypes<Bhalf, float>, RowTypes<float, float>,
    RowTypes<double, double>, RowTypes<std::int8_t, std::int32_t>,
    RowTypes<std::uint8_t, std::int32_t>, RowTypes<std::int32_t, std::int32_t>,
    RowTypes<std::int64_t, std::int64_t>>;

/// Elements side by side, 99 until they are written, `before` elements behind a
/// line of 16 bytes.
template <class T>
class Row {
 public:
  Row(std::uint64_t size, int before)
      : m_grid({std::int64_t(size)}, {0}, {0}, Lie{0, before}) {
    for (std::int64_t i = 0; i < m_grid.size(); ++i) m_grid.memory()[i] = T(99);
  }
  /// Small integers, whose sums are exact.
  Row(std::uint64_t size, int before, Random& random) : Row(size, before) {
    for (std::int64_t i = 0; i < m_grid.size(); ++i)
      m_grid.memory()[i] =
          T(double(random.integer(std::is_unsigned_v<T> ? 0 : -4, 4)));
  }

  std::uint64_t size() const { return std::uint64_t(m_grid.extent()[0]); }
  T* data() { return m_grid.data(); }
  T const* data() const { return m_grid.data(); }
  T& operator[](std::uint64_t i) { return data()[i]; }
  T const& operator[](std::uint64_t i) const { return data()[i]; }
  std::string describe() const {
    return std::to_string(size()) + " elements, from " +
           std::to_string(m_grid.size() - std::int64_t(size())) + " on";
  }

 private:
  DeviceGrid<T, 1> m_grid;
};

}  // namespace KokkosMMA::Testing

#endif
