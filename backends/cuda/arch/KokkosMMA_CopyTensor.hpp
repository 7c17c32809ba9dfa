// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_COPY_TENSOR_HPP
#define KOKKOSMMA_CUDA_ARCH_COPY_TENSOR_HPP

#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// A three-dimensional tensor in global memory, the fastest dimension first,
/// and the box that is copied at a time.
struct TensorShape {
  void const* data;         ///< at a multiple of 16 bytes
  int unit_bytes;           ///< 1, 2, 4 or 8
  std::uint64_t extent[3];  ///< in units, rows and planes
  std::uint64_t stride[2];  ///< bytes from row to row, plane to plane
  std::uint32_t box[3];     ///< at most 256 each, rows of multiples of 16 bytes
};

/// Tensor descriptor that the hardware reads. In a kernel it must be a
/// parameter with KOKKOSMMA_GRID_CONSTANT.
class TensorMap {
 public:
  /// \return whether the tensor can be described: a driver of CUDA 12.0 or
  ///         newer, strides that are multiples of 16 and below 2^40
  bool describe(TensorShape const& shape) {
    using Encode               = decltype(&cuTensorMapEncodeTiled);
    static Encode const encode = reinterpret_cast<Encode>(driver_function());
    if (encode == nullptr) return false;
    CUtensorMapDataType const type =
        shape.unit_bytes == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT64
        : shape.unit_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
        : shape.unit_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    cuuint64_t const extent[3] = {shape.extent[0], shape.extent[1],
                                  shape.extent[2]};
    cuuint64_t const stride[2] = {shape.stride[0], shape.stride[1]};
    cuuint32_t const box[3]    = {shape.box[0], shape.box[1], shape.box[2]};
    cuuint32_t const every[3]  = {1, 1, 1};
    return encode(&m_map, type, 3, const_cast<void*>(shape.data), extent,
                  stride, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
  }
  __device__ void const* place() const { return &m_map; }

 private:
  static void* driver_function() {
    void* function                         = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t const error = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
    cudaError_t const error = cudaGetDriverEntryPoint(
        "cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess
               ? function
               : nullptr;
  }

  CUtensorMap m_map;
};

/// Asynchronous copy of a box of a tensor to shared memory, one instruction of
/// one thread. Elements outside the tensor are zeros.
struct CopyTensor {
  /// True from sm_90 on; elsewhere no other function may be called.
  __device__ static constexpr bool exists() { return CopyBulk::exists(); }
  /// Copies the box that begins at unit x of row y of plane z. The barrier must
  /// expect all bytes of the box in its current phase.
  /// \param to at a multiple of 128 bytes
  __device__ static void copy(void* to, TensorMap const& map, int x, int y,
                              int z, SharedBarrier barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
        "complete_tx::bytes [%0],[%1,{%2,%3,%4}],[%5];" ::"r"(
            unsigned(__cvta_generic_to_shared(to))),
        "l"(map.place()), "r"(x), "r"(y), "r"(z), "r"(barrier.place())
        : "memory");
#endif
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
