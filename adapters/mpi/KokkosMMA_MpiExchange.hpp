// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_EXCHANGE_HPP
#define KOKKOSMMA_MPI_EXCHANGE_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Messages of one block to and from its neighbours: boxes of elements, their
/// copies, and memory.

namespace KokkosMMA::Impl {

/// An unmanaged View of any strides: one type, and so one kernel, for whole
/// blocks and for parts of them.
template <class T, int R, class Device>
using BoxView = GridView<T, R, Kokkos::LayoutStride, Device>;

template <int R>
Kokkos::LayoutStride box_layout(
    std::array<std::int64_t, std::size_t(R)> const& extent,
    std::array<std::int64_t, std::size_t(R)> const& stride) {
  auto const n = [&](int d) { return std::size_t(extent[d]); };
  auto const s = [&](int d) { return std::size_t(stride[d]); };
  if constexpr (R == 1) {
    return Kokkos::LayoutStride(n(0), s(0));
  } else if constexpr (R == 2) {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1));
  } else {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1), n(2), s(2));
  }
}

/// Box of elements in memory: address of the first element, and strides.
template <class T, int R>
struct BoxData {
  T* data;
  IndexBox<R> box;
  std::array<std::int64_t, std::size_t(R)> stride;

  T* at(IndexBox<R> const& part) const {
    T* pointer = data;
    for (int d = 0; d < R; ++d)
      pointer += (part.begin[d] - box.begin[d]) * stride[d];
    return pointer;
  }
  template <class Device>
  BoxView<T, R, Device> view(IndexBox<R> const& part) const {
    std::array<std::int64_t, std::size_t(R)> extent;
    for (int d = 0; d < R; ++d) extent[d] = part.extent(d);
    return BoxView<T, R, Device>(at(part), box_layout<R>(extent, stride));
  }
};

template <class V>
auto box_data(V const& view, IndexBox<rank_of<V>> const& box) {
  constexpr int R = rank_of<V>;
  BoxData<typename V::value_type, R> result{view.data(), box, {}};
  for (int d = 0; d < R; ++d) result.stride[d] = std::int64_t(view.stride(d));
  return result;
}
/// Box without gaps in memory, the last dimension fastest.
template <class T, int R>
BoxData<T, R> packed_box(T* data, IndexBox<R> const& box) {
  BoxData<T, R> result{data, box, {}};
  std::int64_t stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    result.stride[d] = stride;
    stride *= box.extent(d);
  }
  return result;
}

template <class T, int R>
struct CopyBox {
  T const* from;
  T* to;
  std::int64_t extent[R], from_stride[R], to_stride[R];

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t source = 0, target = 0;
    for (int d = R - 1; d >= 0; --d) {
      std::int64_t const at = d > 0 ? index % extent[d] : index;
      if (d > 0) index /= extent[d];
      source += at * from_stride[d];
      target += at * to_stride[d];
    }
    to[target] = from[source];
  }
};

/// Copies the intersection of two boxes, in order on `exec`.
template <class Exec, class From, class T, int R>
void copy_box(Exec const& exec, BoxData<From, R> const& from,
              BoxData<T, R> const& to) {
  IndexBox<R> const part = from.box.meet(to.box);
  if (part.size() == 0) return;
  CopyBox<T, R> copy;
  copy.from = from.at(part);
  copy.to   = to.at(part);
  for (int d = 0; d < R; ++d) {
    copy.extent[d]      = part.extent(d);
    copy.from_stride[d] = from.stride[d];
    copy.to_stride[d]   = to.stride[d];
  }
  Kokkos::parallel_for(
      "KokkosMMA::mpi::copy_box",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 part.size()),
      copy);
}

/// Point in the work of an instance, for which the host can wait while later
/// work runs. This default waits for all work of the instance.
template <class Exec>
class HaloMark {
 public:
  static constexpr bool overtakes = false;
  explicit HaloMark(Exec const& exec) : m_exec(exec) {}
  void set() {}
  void wait() { m_exec.fence("KokkosMMA::mpi: fence before halos are sent"); }

 private:
  Exec m_exec;
};
#if KOKKOSMMA_IMPL_ON_CUDA()
template <>
class HaloMark<Kokkos::Cuda> {
 public:
  static constexpr bool overtakes = true;
  explicit HaloMark(Kokkos::Cuda const& exec) : m_exec(exec) {}
  HaloMark(HaloMark const&)            = delete;
  HaloMark& operator=(HaloMark const&) = delete;
  ~HaloMark() {
    if (m_event) cudaEventDestroy(m_event);
  }
  /// Called after a launch on the instance: events belong to the device.
  void set() {
    if (!m_event)
      Cuda::check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming),
                  "cudaEventCreateWithFlags");
    Cuda::check(cudaEventRecord(m_event, m_exec.cuda_stream()),
                "cudaEventRecord");
  }
  void wait() {
    Cuda::RelaxedCapture const capture;
    Cuda::check(cudaEventSynchronize(m_event), "cudaEventSynchronize");
  }

 private:
  Kokkos::Cuda m_exec;
  cudaEvent_t m_event = nullptr;
};
#endif

/// Memory for exchanges, reused between calls: allocating pinned memory takes
/// longer than sending a halo.
template <class Exec>
class HaloMemory {
 public:
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
  using DeviceSpace = typename Exec::memory_space;
  using HostSpace   = std::conditional_t<on_host, Kokkos::HostSpace,
                                       Kokkos::SharedHostPinnedSpace>;

  /// Memory for messages, which MPI and kernels access.
  char* messages(Exec const& exec, std::size_t bytes) {
    if constexpr (!on_host) {
      if (mpi::gpu_aware()) return grown(exec, m_device_messages, bytes);
    }
    return grown(exec, m_host_messages, bytes);
  }
  /// Memory for strips of the grid with their ghost cells.
  char* strips(Exec const& exec, std::size_t bytes) {
    return grown(exec, m_strips, bytes);
  }

 private:
  template <class View>
  static char* grown(Exec const& exec, View& view, std::size_t bytes) {
    if (view.extent(0) < bytes) {
      exec.fence("KokkosMMA::mpi: fence before memory of halos grows");
      view = View();
      view = View(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                     "KokkosMMA::mpi::halos"),
                  bytes);
    }
    return view.data();
  }
  Kokkos::View<char*, HostSpace> m_host_messages;
  Kokkos::View<char*, DeviceSpace> m_device_messages, m_strips;
};

/// Memory for exchanges of this host thread on an instance, so that concurrent
/// calls use different memory.
template <class Exec>
HaloMemory<Exec>& halo_memory(Exec const& exec) {
  using Key = std::pair<std::thread::id, std::uint32_t>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<HaloMemory<Exec>>> all;
  std::lock_guard<std::mutex> const lock(mutex);
  static bool released = false;
  if (!released) {
    released = true;
    AtFinalize::add([] {
      std::lock_guard<std::mutex> const hook_lock(mutex);
      all.clear();
    });
  }
  auto& entry = all[{std::this_thread::get_id(), exec.impl_instance_id()}];
  if (!entry) entry = std::make_unique<HaloMemory<Exec>>();
  return *entry;
}

constexpr std::size_t halo_aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// Exchanges the ghost cells of one block with its neighbours: pack(), start(),
/// finish(), then received() until the next start(). Where `overtakes`, work
/// submitted between pack() and start() overlaps the messages.
template <class Exec, class T, int R>
class HaloExchange {
 public:
  HaloExchange(char const* who, Exec const& exec, MpiBlock<R> const& block)
      : m_who(who),
        m_exec(exec),
        m_mark(exec),
        m_comm(block.topology.comm),
        m_messages(block.messages(who)) {
    std::size_t bytes = 0;
    for (MpiMessage<R> const& message : m_messages)
      bytes += halo_aligned(std::size_t(message.to.size()) * sizeof(T)) +
               halo_aligned(std::size_t(message.from.size()) * sizeof(T));
    char* memory = halo_memory(exec).messages(exec, bytes);
    for (MpiMessage<R> const& message : m_messages) {
      m_to.push_back(packed_box(reinterpret_cast<T*>(memory), message.to));
      memory += halo_aligned(std::size_t(message.to.size()) * sizeof(T));
      m_from.push_back(packed_box(reinterpret_cast<T*>(memory), message.from));
      memory += halo_aligned(std::size_t(message.from.size()) * sizeof(T));
    }
    check_mpi(who, "MPI_Type_contiguous",
              MPI_Type_contiguous(int(sizeof(T)), MPI_BYTE, &m_type));
    check_mpi(who, "MPI_Type_commit", MPI_Type_commit(&m_type));
  }
  HaloExchange(HaloExchange const&)            = delete;
  HaloExchange& operator=(HaloExchange const&) = delete;
  ~HaloExchange() {
    // After an exception: neighbours get their messages, and the memory can be
    // reused.
    MPI_Waitall(int(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
    if (m_type != MPI_DATATYPE_NULL) MPI_Type_free(&m_type);
  }

  static constexpr bool overtakes = HaloMark<Exec>::overtakes;

  template <class From>
  void pack(BoxData<From, R> const& block) {
    for (BoxData<T, R> const& box : m_to) copy_box(m_exec, block, box);
    m_mark.set();
  }
  /// Waits for pack(), and so for readers of the previous exchange's messages;
  /// then posts all messages.
  void start() {
    m_mark.wait();
    m_requests.clear();
    m_requests.reserve(2 * m_messages.size());
    for (std::size_t i = 0; i < m_messages.size(); ++i)
      check_mpi(m_who, "MPI_Irecv",
                MPI_Irecv(m_from[i].data, int(m_from[i].box.size()), m_type,
                          m_messages[i].neighbour, m_messages[i].tag_from,
                          m_comm, next_request()));
    for (std::size_t i = 0; i < m_messages.size(); ++i)
      check_mpi(m_who, "MPI_Isend",
                MPI_Isend(m_to[i].data, int(m_to[i].box.size()), m_type,
                          m_messages[i].neighbour, m_messages[i].tag_to, m_comm,
                          next_request()));
  }
  void finish() {
    check_mpi(m_who, "MPI_Waitall",
              MPI_Waitall(int(m_requests.size()), m_requests.data(),
                          MPI_STATUSES_IGNORE));
    m_requests.clear();
  }
  std::vector<BoxData<T, R>> const& received() const { return m_from; }

 private:
  MPI_Request* next_request() {
    m_requests.push_back(MPI_REQUEST_NULL);
    return &m_requests.back();
  }
  char const* m_who;
  Exec m_exec;
  HaloMark<Exec> m_mark;
  MPI_Comm m_comm;
  std::vector<MpiMessage<R>> m_messages;
  std::vector<BoxData<T, R>> m_to, m_from;
  std::vector<MPI_Request> m_requests;
  MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

}  // namespace KokkosMMA::Impl

#endif
