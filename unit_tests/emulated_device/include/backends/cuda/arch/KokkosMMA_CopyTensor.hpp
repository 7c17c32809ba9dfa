// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_COPY_TENSOR_HPP
#define KOKKOSMMA_EMULATED_DEVICE_COPY_TENSOR_HPP

#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <algorithm>
#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

struct TensorShape {
  void const* data;
  int unit_bytes;
  std::uint64_t extent[3];
  std::uint64_t stride[2];
  std::uint32_t box[3];
};

class TensorMap {
 public:
  /// Refuses what the driver does.
  bool describe(TensorShape const& shape) {
    m_shape = shape;
    bool ok = reinterpret_cast<std::uintptr_t>(shape.data) % 16 == 0 &&
              shape.box[0] * unsigned(shape.unit_bytes) % 16 == 0;
    for (int d = 0; d < 3; ++d)
      ok = ok && 0 < shape.extent[d] &&
           shape.extent[d] <= std::uint64_t(1) << 32 && 0 < shape.box[d] &&
           shape.box[d] <= 256;
    for (std::uint64_t const stride : shape.stride)
      ok = ok && stride % 16 == 0 && stride < std::uint64_t(1) << 40;
    return ok;
  }
  TensorShape const& shape() const { return m_shape; }

 private:
  TensorShape m_shape;
};

struct CopyTensor {
  /// In some of the blocks with CopyBulk.
  static bool exists() { return blockIdx.x % 4 == 0; }
  /// How many were made.
  static int& copies() {
    static int count = 0;
    return count;
  }
  static void copy(void* to, TensorMap const& map, int x, int y, int z,
                   SharedBarrier barrier) {
    ++copies();
    TensorShape const& shape = map.shape();
    Testing::EmulatedDevice::check_aligned(to, to, 128);
    auto const row_bytes = shape.box[0] * unsigned(shape.unit_bytes);
    auto const within    = [&](int d, std::int64_t i) {
      return 0 <= i && i < std::int64_t(shape.extent[d]);
    };
    auto const clamped = [&](std::int64_t i) {
      return std::clamp<std::int64_t>(i, 0, std::int64_t(shape.extent[0]));
    };
    auto* place = static_cast<unsigned char*>(to);
    for (std::int64_t plane = z; plane < z + std::int64_t(shape.box[2]);
         ++plane)
      for (std::int64_t row = y; row < y + std::int64_t(shape.box[1]);
           ++row, place += row_bytes) {
        barrier.fill(place, row_bytes);
        if (!within(2, plane) || !within(1, row)) continue;
        std::int64_t const begin = clamped(x);
        std::int64_t const end   = clamped(x + std::int64_t(shape.box[0]));
        barrier.overwrite(place + (begin - x) * shape.unit_bytes,
                          static_cast<unsigned char const*>(shape.data) +
                              plane * std::int64_t(shape.stride[1]) +
                              row * std::int64_t(shape.stride[0]) +
                              begin * shape.unit_bytes,
                          unsigned(end - begin) * unsigned(shape.unit_bytes));
      }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
