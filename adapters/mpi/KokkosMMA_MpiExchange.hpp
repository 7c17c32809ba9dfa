// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_EXCHANGE_HPP
#define KOKKOSMMA_MPI_EXCHANGE_HPP

#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiBoxes.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_StreamMark.hpp>
#endif

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
/// Messages of one block to and from its neighbours, and their memory.

namespace KokkosMMA::Impl {

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
  void set() { m_mark.set(m_exec); }
  void wait() { m_mark.wait(); }

 private:
  Kokkos::Cuda m_exec;
  Cuda::StreamMark m_mark;
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
