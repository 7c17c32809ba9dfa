// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_Paper.hpp"
#include "segmented/Perf_Segmented.hpp"

#include <optional>
#include <stdexcept>
#include <type_traits>

/// Sums and inclusive scans of equal segments over their length, as Dakkak et
/// al. 2019 draw them: their own kernels, CUB and Kokkos beside the library,
/// and which of them is the fastest where. Lengths are powers of two.
namespace perf {
namespace {

/// Halves; floats where there are none.
using Element = std::conditional_t<has_half, half_type, float>;
using Sum     = sum_type<Element>;

/// Prefixes of wmma's long segments go through halves, sixteen elements at a
/// time: 2^-11 of them, and as much again for the carries.
constexpr double wmma_tolerance = 0x1p-10;

class SegmentTables {
 public:
  explicit SegmentTables(PaperTests& tests) : m_tests(tests) {}

  void register_all() {
    std::size_t const most =
        session().fitting(std::size_t(1) << (on_cuda ? 28 : 20), sizeof(Sum));
    for (bool scan : {false, true})
      for (int power = 4; power <= 20; power += power < 14 ? 1 : 2) {
        std::size_t const length = std::size_t(1) << power;
        if (length * paper_segments > most) continue;
        for (std::string const& contender : contenders(scan, length))
          add(scan, contender, length,
              most / length / paper_segments * paper_segments);
      }
  }

 private:
  /// The short kernels of wmma take sixteen segments at a time.
  static constexpr std::size_t paper_segments = 16;

  Session& session() { return m_tests.session; }

  static std::vector<std::string> contenders(bool scan, std::size_t length) {
    std::vector<std::string> list = {"kokkos_team"};
    if (!scan) list.push_back("kokkos_thread");
    if (on_cuda) {
      list.push_back(scan ? "cub_by_key" : "cub_offsets");
      if (has_half) list.push_back("wmma");
      if (!scan) list.push_back("mma");
      list.push_back("streamed");
    }
    list.push_back("library");
    // A thread for each of a few segments takes seconds.
    if (length > 16384) std::erase(list, "kokkos_thread");
    return list;
  }

  /// Empty for a route that does not take such segments.
  Call call_of(std::string const& contender, bool scan, Work<Element>& work) {
    EqualRows const rows{work.cut.length};
    if (contender == "kokkos_team")
      return scan ? kokkos_scan(work, rows) : kokkos_reduce(work, rows);
    if (contender == "kokkos_thread") {
      work.c.contender = Contender::kokkos_flat;
      return kokkos_reduce(work, rows);
    }
#ifdef KOKKOS_ENABLE_CUDA
    if (contender == "cub_offsets")
      return cub_segmented_reduce<Element>(
          work.exec, work.x.data(), work.y.data(), work.cut.segments,
          thrust::make_transform_iterator(
              thrust::counting_iterator<long long>(0),
              TimesLength{static_cast<long long>(work.cut.length)}));
    if (contender == "cub_by_key")
      return cub_by_key_scan<Element>(
          work.exec,
          thrust::make_transform_iterator(
              thrust::counting_iterator<unsigned>(0),
              OverLength{static_cast<unsigned>(work.cut.length)}),
          work.x.data(), work.y.data(), work.cut.n);
    if constexpr (has_half)
      if (contender == "wmma")
        return wmma_segments(work.exec, scan, work.x.data(), work.y.data(),
                             work.cut.segments, work.cut.length);
#endif
    work.c.contender = contender == "mma"        ? Contender::mma
                       : contender == "streamed" ? Contender::streamed
                                                 : Contender::segmented;
    return scan ? own_scan(work, work.cut.length)
                : own_reduce(work, work.cut.length);
  }

  void add(bool scan, std::string const& contender, std::size_t length,
           std::size_t segments) {
    std::string const task =
        scan ? "paper_segmented_scan" : "paper_segmented_reduce";
    m_tests.add(task + "/" + contender + "/" + type_name<Element>() +
                    "/length:" + std::to_string(length) +
                    "/n:" + std::to_string(length * segments),
                [=, this](benchmark::State& state) {
                  run(state, scan, contender, length, segments);
                });
  }

  void run(benchmark::State& state, bool scan, std::string const& contender,
           std::size_t length, std::size_t segments) {
    Exec const& exec     = session().exec;
    double const ceiling = scan ? session().copy_ceiling().bytes_per_second()
                                : session().read_bytes_per_second();
    Cut cut;
    cut.kind            = Cut::Kind::equal;
    cut.n               = length * segments;
    cut.segments        = segments;
    cut.longest         = length;
    cut.length          = length;
    std::size_t const m = scan ? cut.n : segments;
    Element* const x    = session().data<Element>(cut.n);
    Sum* const y        = session().results<Sum>(m);
    std::string const key =
        std::to_string(length) + "x" + std::to_string(segments);
    if (m_key != key) {
      m_key.clear();
      m_exact.emplace(exec, ExactSum<Element>::words * segments);
      exact_sums<Element>(exec, x, cut, *m_exact);
      m_key = key;
    }
    ExactSums<Element> const exact{m_exact->data(), m_exact->data() + segments};

    Work<Element> work = {
        exec,
        {scan ? Task::scan : Task::reduce, Contender::kokkos_team, Shape::equal,
         Pattern::length, length, cut.n},
        cut,
        nullptr,
        Vector<Element>(x, cut.n),
        Vector<Sum>(y, m),
        nullptr};
    Call const call = call_of(contender, scan, work);
    double const allowed =
        contender == "wmma"
            ? wmma_tolerance
            : segment_tolerance<Sum>(length, contender == "kokkos_thread");
    auto const inspect = [&] {
      return inspect_segments<Element>(exec, scan, x, y, cut, exact, allowed);
    };
    poison_bytes(exec, y, m * sizeof(Sum));
    try {
      call();
    } catch (std::invalid_argument const& refusal) {
      if (contender != "mma" && contender != "streamed") throw;
      return report_refusal(state, refusal);
    }
    bool const ours = is_ours(work.c.contender);
    std::string const route =
        ours ? checked_route(Expectation::library) : contender;
    Inspection const seen = inspect();
    seen.check(m, "results");
    report(state,
           sample_briefly(session().timer, session().options.samples,
                          [&](std::size_t) { call(); }),
           static_cast<double>(cut.n * sizeof(Element) + m * sizeof(Sum)),
           ceiling, static_cast<double>(cut.n));
    if (ours && inspect().hash != seen.hash)
      throw std::runtime_error("two runs on the same data differ");
    if constexpr (!std::is_integral_v<Sum>)
      state.counters["relative_error"] = seen.error;
    state.SetLabel(route);
  }

  PaperTests& m_tests;
  std::string m_key;
  std::optional<Scratch<std::int64_t>> m_exact;
};

}  // namespace

void register_paper_segments(PaperTests& tests) {
  tests.keep<SegmentTables>().register_all();
}

}  // namespace perf
