// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_DEVICEMEMORY_HPP
#define EMULATEDDEVICE_DEVICEMEMORY_HPP

#include "../emulated/EmulatedData.hpp"

#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_SampledTypes.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

/// \file
/// Elements and memory for kernels on the emulated device.

namespace KokkosMMA {
namespace Testing {

/// 16-bit floats: half_t of a Kokkos without a GPU is a float.
template <class Of>
struct SmallFloat {
  std::uint16_t bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(Of::encode(value)) {}
  /// Of all patterns once: tests convert millions.
  operator float() const {
    static std::vector<float> const numbers = [] {
      std::vector<float> all;
      for (int b = 0; b < 0x10000; ++b)
        all.push_back(float(Of::decode(std::uint16_t(b))));
      return all;
    }();
    return numbers[bits];
  }
};
using Half  = SmallFloat<Format<Scalar::half>>;
using Bhalf = SmallFloat<Format<Scalar::bhalf>>;

}  // namespace Testing

template <>
inline constexpr Scalar scalar_v<Testing::Half> = Scalar::half;
template <>
inline constexpr Scalar scalar_v<Testing::Half const> = Scalar::half;
template <>
inline constexpr Scalar scalar_v<Testing::Bhalf> = Scalar::bhalf;
template <>
inline constexpr Scalar scalar_v<Testing::Bhalf const> = Scalar::bhalf;

namespace Testing {

/// A device of few multiprocessors, on which a block has more than one piece of
/// a small grid, or of many, on which pieces are small.
inline void any_device(Random& random) {
  constexpr int counts[]                      = {1, 3, 132};
  Impl::Cuda::device_entry(0).multiprocessors = counts[random.integer(0, 2)];
}

/// One of the orders in which a streamed reduction may call.
inline Impl::CallOrder any_order(Impl::StreamedTuning const& tuning,
                                 Random& random) {
  Impl::CallOrders const orders = Impl::call_orders(tuning);
  return orders[int(random.integer(0, orders.count - 1))];
}

/// How a grid lies in its memory.
struct Lie {
  std::int64_t extra  = 0;  ///< elements of a row beyond those of the grid
  std::int64_t before = 0;  ///< elements before the first
};

/// Memory of a grid with its ghost cells. Nothing lies after its last element
/// or before the 16-byte line of its first: AddressSanitizer sees who reads
/// there.
template <class T, int R>
class DeviceGrid {
 public:
  using Place = std::array<std::int64_t, std::size_t(R)>;

  DeviceGrid(Place const& extent, Place const& low, Place const& high,
             Lie const& lie) {
    std::int64_t size = 1;
    for (int d = R - 1; d >= 0; --d) {
      m_stride[d] = size;
      size *= extent[d] + low[d] + high[d];
      if (d == R - 1 && R > 1) size += lie.extra;
    }
    // The last row ends with its last element.
    m_size   = size + lie.before - (R > 1 ? lie.extra : 0);
    m_extent = extent;
    m_memory = std::unique_ptr<T[], Release>(static_cast<T*>(::operator new[](
        std::size_t(m_size) * sizeof(T), std::align_val_t(256))));
    m_first  = lie.before;
    for (int d = 0; d < R; ++d) m_first += low[d] * m_stride[d];
  }

  T* memory() { return m_memory.get(); }
  Place const& extent() const { return m_extent; }
  std::int64_t size() const { return m_size; }
  /// Element 0 of the grid.
  T* data() { return m_memory.get() + m_first; }
  T const* data() const { return m_memory.get() + m_first; }
  std::int64_t stride(int d) const { return m_stride[d]; }
  T& at(Place const& place) {
    T* element = data();
    for (int d = 0; d < R; ++d) element += place[d] * m_stride[d];
    return *element;
  }

 private:
  struct Release {
    void operator()(T* memory) const {
      ::operator delete[](memory, std::align_val_t(256));
    }
  };
  std::unique_ptr<T[], Release> m_memory;
  std::int64_t m_size  = 0;
  std::int64_t m_first = 0;
  std::int64_t m_stride[R];
  Place m_extent;
};

}  // namespace Testing
}  // namespace KokkosMMA

#endif
