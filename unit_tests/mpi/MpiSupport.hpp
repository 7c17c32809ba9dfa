// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MPISUPPORT_HPP
#define MPISUPPORT_HPP

#include <algorithms/ScanSupport.hpp>

#include <KokkosMMA_Mpi.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

template <class T>
::testing::AssertionResult same_on_all_ranks(T const& value) {
  std::vector<unsigned char> all(sizeof(T) * std::size_t(world_size()));
  MPI_Allgather(&value, int(sizeof(T)), MPI_BYTE, all.data(), int(sizeof(T)),
                MPI_BYTE, MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size(); ++rank)
    if (std::memcmp(all.data(), all.data() + sizeof(T) * std::size_t(rank),
                    sizeof(T)) != 0)
      return ::testing::AssertionFailure()
             << "rank " << rank << " has other bits than rank 0";
  return ::testing::AssertionSuccess();
}

/// Labels of the kernels that Kokkos Tools see while f() runs.
template <class F>
std::set<std::string> kernel_labels(F const& f) {
  Recorder const recorder;
  f();
  std::set<std::string> labels;
  for (std::string const& event : Recorder::events)
    if (event.starts_with("begin "))
      labels.insert(event.substr(event.find(' ', 6) + 1));
  return labels;
}

struct Cut {
  std::vector<std::size_t> sizes;

  std::size_t first(int ranks) const {
    return std::accumulate(sizes.begin(), sizes.begin() + ranks,
                           std::size_t(0));
  }
  std::size_t total() const { return first(world_size()); }
  std::size_t mine() const { return sizes[std::size_t(world_rank())]; }
  std::size_t before() const { return first(world_rank()); }
  std::string describe() const {
    std::string text = "elements per rank:";
    for (std::size_t const size : sizes) text += " " + std::to_string(size);
    return text;
  }
};

template <class T, class Exec, class Value>
Kokkos::View<T*, Exec> my_part(Cut const& cut,
                               std::vector<Value> const& values) {
  return make_view<T, Exec>(
      cut.mine(), [&](std::size_t i) { return values[cut.before() + i]; });
}

/// Equal parts, one rank with all, ranks with none, random parts.
inline std::vector<Cut> cuts(Random& random) {
  auto const ranks = std::size_t(world_size());
  std::vector<Cut> result;
  result.push_back({std::vector<std::size_t>(ranks, 1000)});
  result.push_back({std::vector<std::size_t>(ranks, 0)});
  for (std::size_t owner = 0; owner < ranks; ++owner) {
    Cut cut{std::vector<std::size_t>(ranks, 0)};
    cut.sizes[owner] = 5000 + owner;
    result.push_back(cut);
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    Cut cut{std::vector<std::size_t>(ranks, 0)};
    for (std::size_t& size : cut.sizes)
      size = std::size_t(random.integer(0, 1) * random.integer(0, 20000));
    result.push_back(cut);
  }
  return result;
}

/// Whether all ranks got an error with these parts, and the text of this one.
inline ::testing::AssertionResult all_refused(
    std::string const& text, std::vector<std::string> const& parts) {
  int refused = text.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!refused)
    return ::testing::AssertionFailure()
           << "not every rank refused; this one: \"" << text << "\"";
  return has_parts(text, parts);
}
template <class F>
void expect_all_refused(
    std::vector<std::string> const& parts, F const& f,
    std::source_location const& at = std::source_location::current()) {
  ::testing::ScopedTrace const trace(at.file_name(), int(at.line()), "called");
  EXPECT_TRUE(all_refused(error_of(f), parts));
}

}  // namespace KokkosMMA::Testing

#endif
