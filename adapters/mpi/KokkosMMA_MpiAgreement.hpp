// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_AGREEMENT_HPP
#define KOKKOSMMA_MPI_AGREEMENT_HPP

#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <mpi.h>
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// \file
/// Common code of the calls over ranks: the ranks exchange the arguments of the
/// call, and either all continue or all throw.

namespace KokkosMMA {
namespace Impl {

/// Throws for an MPI error. Only an error handler that returns gets here; MPI's
/// default handler ends the job.
inline void check_mpi(char const* who, char const* function, int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length                      = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(
      concatenate(who, ": ", function, ": ", std::string(text, length)));
}

/// Checks the communicator. Throws on this rank only: without a communicator it
/// cannot inform the others.
inline void check_communicator(char const* who, MPI_Comm comm) {
  int initialised = 0, finalised = 0, inter = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (!initialised)
    invalid_argument(who, "MPI is not initialised; call MPI_Init first");
  if (finalised)
    invalid_argument(who, "MPI is finalised; call this before MPI_Finalize");
  if (comm == MPI_COMM_NULL)
    invalid_argument(who,
                     "the communicator is MPI_COMM_NULL; only ranks that are "
                     "members of a communicator make the call");
  check_mpi(who, "MPI_Comm_test_inter", MPI_Comm_test_inter(comm, &inter));
  if (inter)
    invalid_argument(who,
                     "the communicator is an intercommunicator; merge its "
                     "two groups with MPI_Intercomm_merge");
}

enum class MpiOperation : unsigned char {
  reduce,
  dot,
  exclusive_scan,
  inclusive_scan,
  stencil,
  exchange_halos
};

constexpr std::string_view to_string(MpiOperation operation) {
  constexpr std::string_view names[] = {"reduce",         "reduce of products",
                                        "exclusive_scan", "inclusive_scan",
                                        "stencil",        "exchange_halos"};
  return names[static_cast<int>(operation)];
}

/// Description of a rank's call, which all ranks receive: 64 bytes.
struct MpiCall {
  MpiOperation operation = MpiOperation::reduce;
  Scalar input           = Scalar::opaque;
  Scalar output          = Scalar::opaque;
  Scalar accumulator     = Scalar::opaque;
  std::uint8_t rank      = 1;  ///< dimensions of the data
  std::uint8_t total     = 0;  ///< whether a total is requested
  std::uint16_t failed   = 0;  ///< 1: bad arguments, 2: another error
  std::uint64_t same     = 0;  ///< checksum of arguments equal on all
  std::int64_t extent[3] = {0, 0, 0};
  std::uint64_t bytes    = 0;   ///< of an input element
  unsigned char part[16] = {};  ///< this rank's partial sum

  template <class T>
  void put(T const& value) {
    static_assert(sizeof(T) <= sizeof(part) && std::is_trivially_copyable_v<T>);
    std::memcpy(part, &value, sizeof(T));
  }
  template <class T>
  T get() const {
    T value;
    std::memcpy(static_cast<void*>(&value), part, sizeof(T));
    return value;
  }
  bool is_like(MpiCall const& other) const {
    return operation == other.operation && input == other.input &&
           output == other.output && accumulator == other.accumulator &&
           rank == other.rank && total == other.total && bytes == other.bytes;
  }
  std::string describe() const {
    std::string text = concatenate(to_string(operation), " of ");
    if (rank > 1) text += concatenate("rank-", int(rank), " ");
    text += concatenate(to_string(input), " (", bytes, " bytes)");
    if (operation != MpiOperation::exchange_halos)
      text += concatenate(" into ", to_string(output), ", sums in ",
                          to_string(accumulator));
    if (total) text += ", with a total";
    return text;
  }
};
static_assert(std::is_trivially_copyable_v<MpiCall> && sizeof(MpiCall) == 64);

/// FNV-1a checksum of arguments that must be equal on all ranks.
class MpiChecksum {
 public:
  template <class T>
  void add(T const& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (unsigned char const byte : bytes)
      m_value = (m_value ^ byte) * 0x100000001b3u;
  }
  std::uint64_t value() const { return m_value; }

 private:
  std::uint64_t m_value = 0xcbf29ce484222325u;
};

inline int mpi_rank(char const* who, MPI_Comm comm) {
  int rank = 0;
  check_mpi(who, "MPI_Comm_rank", MPI_Comm_rank(comm, &rank));
  return rank;
}
inline int mpi_size(char const* who, MPI_Comm comm) {
  int size = 1;
  check_mpi(who, "MPI_Comm_size", MPI_Comm_size(comm, &size));
  return size;
}

/// Runs local(call) and returns the calls of all ranks, in rank order, by one
/// MPI_Allgather. `local` checks this rank's arguments and does the work that
/// precedes any write. If it throws on one rank, every rank throws: its own
/// error, or that of the first rank with an error.
template <class Local>
std::vector<MpiCall> agree(char const* who, MPI_Comm comm, MpiCall call,
                           Local const& local) {
  check_communicator(who, comm);
  int const size = mpi_size(who, comm);
  std::exception_ptr own;
  std::string text;
  auto const keep = [&](int kind, char const* what) {
    own         = std::current_exception();
    call.failed = std::uint16_t(kind);
    text        = what;
  };
  try {
    local(call);
  } catch (std::invalid_argument const& error) {
    keep(1, error.what());
  } catch (std::exception const& error) {
    keep(2, error.what());
  } catch (...) {
    keep(2, "an exception that is not a std::exception");
  }
  std::vector<MpiCall> calls(static_cast<std::size_t>(size));
  check_mpi(who, "MPI_Allgather",
            MPI_Allgather(&call, int(sizeof(MpiCall)), MPI_BYTE, calls.data(),
                          int(sizeof(MpiCall)), MPI_BYTE, comm));

  int first = 0;
  while (first < size && calls[std::size_t(first)].failed == 0) ++first;
  if (first < size) {
    unsigned long length = text.size();
    check_mpi(who, "MPI_Bcast",
              MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, first, comm));
    text.resize(length);
    check_mpi(who, "MPI_Bcast",
              MPI_Bcast(text.data(), int(length), MPI_CHAR, first, comm));
    if (own) std::rethrow_exception(own);
    std::string const message =
        concatenate(who, ": rank ", first, " of ", size, " ended with \"", text,
                    "\"; nothing was written on any rank");
    if (calls[std::size_t(first)].failed == 1)
      throw std::invalid_argument(message);
    throw std::runtime_error(message);
  }
  for (int rank = 1; rank < size; ++rank)
    if (!calls[std::size_t(rank)].is_like(calls[0]))
      invalid_argument(who, "the ranks differ: rank 0 calls ",
                       calls[0].describe(), "; rank ", rank, " calls ",
                       calls[std::size_t(rank)].describe(),
                       "; make the same call with the same types on all ranks");
  return calls;
}

/// Throws unless all checksums are equal; `what` names their arguments.
inline void check_same(char const* who, std::vector<MpiCall> const& calls,
                       char const* what) {
  for (std::size_t rank = 1; rank < calls.size(); ++rank)
    if (calls[rank].same != calls[0].same)
      invalid_argument(who, "rank ", rank, " and rank 0 have different ", what,
                       "; pass the same on all ranks");
}

/// Initial value plus the partial sums of ranks 0 to `count` - 1, in rank
/// order. The sum is bitwise identical on all ranks, and in all runs with as
/// many ranks. Float sums are accumulated in double and rounded once; double
/// sums are compensated (Neumaier 1974).
template <class A>
A sum_in_rank_order(A const& before, std::vector<MpiCall> const& calls,
                    std::size_t count) {
  if constexpr (std::is_integral_v<A>) {
    A sum = before;
    for (std::size_t rank = 0; rank < count; ++rank)
      add(sum, calls[rank].template get<A>());
    return sum;
  } else {
    double sum = double(before), lost = 0;
    for (std::size_t rank = 0; rank < count; ++rank) {
      double const part = double(calls[rank].template get<A>());
      double const next = sum + part;
      lost += std::abs(sum) >= std::abs(part) ? (sum - next) + part
                                              : (part - next) + sum;
      sum = next;
    }
    // `lost` is NaN after Inf - Inf and is then ignored.
    return static_cast<A>(std::isfinite(sum) && std::isfinite(lost) && lost != 0
                              ? sum + lost
                              : sum);
  }
}

/// Value of KOKKOSMMA_MPI_GPU_AWARE: 0 or 1; -1 if unset or empty.
inline int parse_gpu_aware(char const* text) {
  std::string_view const value = text ? text : "";
  if (value.empty()) return -1;
  if (value == "0" || value == "1") return value == "1";
  invalid_argument("KokkosMMA: KOKKOSMMA_MPI_GPU_AWARE", "\"", value,
                   "\" is neither 0 nor 1; 1 passes GPU memory to MPI, 0 "
                   "copies through pinned host memory");
}

}  // namespace Impl

namespace mpi {

/// Whether halos are passed to MPI as pointers to GPU memory.
/// KOKKOSMMA_MPI_GPU_AWARE=0 or 1 decides if it is set. Otherwise the MPI
/// library decides (MPIX_Query_cuda_support of Open MPI and its derivatives,
/// MPIX_GPU_query_support of MPICH); without these functions the answer is no.
/// Determined once per process.
inline bool gpu_aware() {
  static bool const aware = [] {
    int const requested =
        Impl::parse_gpu_aware(std::getenv("KOKKOSMMA_MPI_GPU_AWARE"));
    if (requested >= 0) return requested == 1;
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int supported = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) ==
               MPI_SUCCESS &&
           supported != 0;
#else
    return false;
#endif
  }();
  return aware;
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
