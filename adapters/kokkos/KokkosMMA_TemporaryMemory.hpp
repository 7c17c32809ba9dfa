// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEMPORARY_MEMORY_HPP
#define KOKKOSMMA_TEMPORARY_MEMORY_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamMemory.hpp>
#endif

#include <cstddef>
#include <string>
#include <type_traits>

/// \file
/// Temporary memory of a call.

namespace KokkosMMA::Impl {

/// Memory for the kernels that a call launches on an execution-space instance.
/// On Cuda it is allocated and freed in stream order. On other spaces, or if
/// the stream allocation fails, it is a View of `Space`. Freeing the View waits
/// for the instance; allocating it throws if no memory is left. Kokkos Tools
/// see only Views.
template <class Exec, class Space>
class TemporaryMemory {
 public:
  TemporaryMemory() = default;
  TemporaryMemory(Exec const& exec, std::string const& label,
                  std::size_t bytes) {
#if KOKKOSMMA_IMPL_ON_CUDA()
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
      Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
      m_of_stream = Cuda::StreamMemory(exec, bytes);
      if (m_of_stream.data() != nullptr) return;
    }
#endif
    (void)exec;
    m_view =
        View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), bytes);
  }

  void* data() const {
#if KOKKOSMMA_IMPL_ON_CUDA()
    if (m_of_stream.data() != nullptr) return m_of_stream.data();
#endif
    return m_view.data();
  }

 private:
  using View = Kokkos::View<char*, Space>;
  View m_view;
#if KOKKOSMMA_IMPL_ON_CUDA()
  Cuda::StreamMemory m_of_stream;
#endif
};

/// Packed memory with the extents and the fastest dimension of a View.
template <class Exec, class V>
class MemoryLike {
 public:
  static constexpr int rank = V::rank();
  using Layout              = typename V::array_layout;
  using View = GridView<typename V::non_const_value_type, rank, Layout,
                        typename V::device_type>;

  MemoryLike(Exec const& exec, std::string const& label, V const& shape)
      : m_memory(exec, label, shape.size() * sizeof(Element)),
        m_view(static_cast<Element*>(m_memory.data()), layout(shape)) {}

  /// View without memory, for its strides before the call allocates.
  static View without_memory(V const& shape) {
    return View(nullptr, layout(shape));
  }

  View const& view() const { return m_view; }

 private:
  using Element = typename V::non_const_value_type;

  static Layout layout(V const& shape) {
    Layout layout;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      bool const last = rank == 1 || last_is_fast(shape);
      int order[rank];
      std::size_t extent[rank];
      for (int d = 0; d < rank; ++d) {
        order[d]  = last ? rank - 1 - d : d;
        extent[d] = shape.extent(d);
      }
      layout = Kokkos::LayoutStride::order_dimensions(rank, order, extent);
    } else {
      for (int d = 0; d < rank; ++d) layout.dimension[d] = shape.extent(d);
    }
    return layout;
  }

  TemporaryMemory<Exec, typename V::memory_space> m_memory;
  View m_view;
};

}  // namespace KokkosMMA::Impl

#endif
