// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sparse matrix from entries in any order to compressed rows, and the entries
// that are large picked out of it: an ordinary Kokkos program.
//
// It knows nothing of kokkos-mma. The build compiles it twice, once against
// Kokkos and once with KokkosMMA::drop_in added to the link line.

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/host_rows.hpp"
#include "../common/matrix_generators.hpp"
#include "../common/matrix_market.hpp"
#include "../common/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

struct Entries {
  int rows    = 0;
  int columns = 0;
  Array<int> row;
  Array<int> column;
  Array<double> value;

  std::int64_t size() const { return static_cast<std::int64_t>(row.extent(0)); }
};

struct CompressedRows {
  Array<int> offsets;
  Array<int> columns;
  Array<double> values;

  int rows() const { return static_cast<int>(offsets.extent(0)) - 1; }
  std::int64_t size() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
};

// One length more than there are rows, and zero: the scan of them then also
// writes where the last row ends.
void count_rows(Entries const& entries, Array<int> const& lengths) {
  auto const row = entries.row;
  Kokkos::deep_copy(lengths, 0);
  Kokkos::parallel_for(
      "compressed_rows::count", Range(0, entries.size()),
      KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_inc(&lengths(row(i))); });
}

// Where each row starts. Returns the number of entries.
int scan_rows(Array<int> const& lengths, Array<int> const& offsets) {
  int total = 0;
  Kokkos::parallel_scan(
      "compressed_rows::row_offsets", Range(0, lengths.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, int& start, bool final) {
        int const length = lengths(i);
        if (final) offsets(i) = start;
        start += length;
      },
      total);
  return total;
}

// Rows are filled in whatever order the atomics are served, then sorted by
// column. Entries that were given twice stay in the order in which they came.
CompressedRows fill_rows(Entries const& entries, Array<int> const& offsets,
                         std::int64_t size) {
  auto const row    = entries.row;
  auto const column = entries.column;
  auto const value  = entries.value;
  auto const order  = uninitialized<int>("order", size);
  auto const next   = uninitialized<int>("next", entries.rows + 1);
  Kokkos::deep_copy(next, offsets);
  Kokkos::parallel_for(
      "compressed_rows::fill", Range(0, entries.size()),
      KOKKOS_LAMBDA(std::int64_t i) {
        order(Kokkos::atomic_fetch_add(&next(row(i)), 1)) = static_cast<int>(i);
      });
  Kokkos::parallel_for(
      "compressed_rows::sort", Range(0, entries.rows),
      KOKKOS_LAMBDA(std::int64_t r) {
        int const begin = offsets(r);
        int const end   = offsets(r + 1);
        int gap         = 1;
        while (gap < (end - begin) / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3) {
          for (int at = begin + gap; at < end; ++at) {
            int const moved = order(at);
            int to          = at;
            for (; to >= begin + gap; to -= gap) {
              int const other = order(to - gap);
              if (column(other) < column(moved) ||
                  (column(other) == column(moved) && other < moved)) {
                break;
              }
              order(to) = other;
            }
            order(to) = moved;
          }
        }
      });
  CompressedRows result{offsets, uninitialized<int>("columns", size),
                        uninitialized<double>("values", size)};
  auto const columns = result.columns;
  auto const values  = result.values;
  Kokkos::parallel_for(
      "compressed_rows::gather", Range(0, size), KOKKOS_LAMBDA(std::int64_t i) {
        columns(i) = column(order(i));
        values(i)  = value(order(i));
      });
  return result;
}

void multiply(CompressedRows const& matrix, Array<double> const& x,
              Array<double> const& y) {
  Kokkos::parallel_for(
      "compressed_rows::multiply", Range(0, matrix.rows()),
      KOKKOS_LAMBDA(std::int64_t r) {
        double sum = 0;
        for (int i = matrix.offsets(r); i < matrix.offsets(r + 1); ++i) {
          sum += matrix.values(i) * x(matrix.columns(i));
        }
        y(r) = sum;
      });
}

void flag_larger(Array<double> const& values, double threshold,
                 Array<std::uint8_t> const& flags) {
  Kokkos::parallel_for(
      "compressed_rows::flag", Range(0, values.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) {
        flags(i) = Kokkos::abs(values(i)) > threshold ? 1 : 0;
      });
}

// Stream compaction: the numbers of the flagged entries, in order. Returns how
// many there are.
int compact(Array<std::uint8_t> const& flags, Array<int> const& kept) {
  int total = 0;
  Kokkos::parallel_scan(
      "compressed_rows::compact", Range(0, flags.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, int& position, bool final) {
        bool const keep = flags(i) != 0;
        if (final && keep) kept(position) = static_cast<int>(i);
        position += keep ? 1 : 0;
      },
      total);
  return total;
}

// What the program prints of arrays that are too long to print: sums of 64
// scrambled bits per element, equal on every machine when the arrays are.
template <class Value>
std::uint64_t fingerprint(Array<Value> const& array, std::int64_t size) {
  std::uint64_t result = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::fingerprint", Range(0, size),
      KOKKOS_LAMBDA(std::int64_t i, std::uint64_t & sum) {
        Value const element = array(i);
        std::uint64_t bits  = 0;
        if constexpr (std::is_same_v<Value, double>) {
          bits = Kokkos::bit_cast<std::uint64_t>(element);
        } else {
          bits = static_cast<std::uint64_t>(element);
        }
        sum += scrambled(scrambled(static_cast<std::uint64_t>(i)) ^ bits);
      },
      result);
  return result;
}

KOKKOS_INLINE_FUNCTION std::uint64_t scrambled_entry(std::int64_t row,
                                                     int column, double value) {
  std::uint64_t const place =
      (static_cast<std::uint64_t>(row) << 32) | static_cast<unsigned>(column);
  return scrambled(scrambled(place) ^ Kokkos::bit_cast<std::uint64_t>(value));
}

[[noreturn]] void wrong(std::string const& what) {
  throw std::runtime_error("wrong result: " + what);
}

void require_none(std::int64_t mismatches, std::int64_t of,
                  std::string const& what) {
  if (mismatches == 0) return;
  wrong(std::to_string(mismatches) + " of " + std::to_string(of) + " " + what);
}

template <class Body>
void check_each(std::int64_t count, std::string const& what, Body const& body) {
  std::int64_t mismatches = 0;
  Kokkos::parallel_reduce("compressed_rows::check", Range(0, count), body,
                          mismatches);
  require_none(mismatches, count, what);
}

// Complete without a reference, at any size: offsets that start at zero and
// advance by the lengths are their exclusive scan.
void check_offsets(Array<int> const& lengths, Array<int> const& offsets,
                   std::int64_t total, std::int64_t entries) {
  if (total != entries) {
    wrong("the total of the row lengths is " + std::to_string(total) +
          ", not " + std::to_string(entries));
  }
  check_each(
      lengths.extent(0), "row offsets",
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & mismatches) {
        int const expected = i == 0 ? 0 : offsets(i - 1) + lengths(i - 1);
        mismatches += offsets(i) != expected;
      });
}

// Rows that ascend and hold the same entries as the list are its rows.
void check_rows(Entries const& entries, CompressedRows const& matrix) {
  check_each(
      matrix.rows(), "rows: columns do not ascend",
      KOKKOS_LAMBDA(std::int64_t r, std::int64_t & mismatches) {
        bool ascends = true;
        for (int i = matrix.offsets(r) + 1; i < matrix.offsets(r + 1); ++i) {
          ascends = ascends && matrix.columns(i - 1) <= matrix.columns(i);
        }
        mismatches += !ascends;
      });
  std::uint64_t listed = 0;
  std::uint64_t stored = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::listed", Range(0, entries.size()),
      KOKKOS_LAMBDA(std::int64_t i, std::uint64_t & sum) {
        sum += scrambled_entry(entries.row(i), entries.column(i),
                               entries.value(i));
      },
      listed);
  Kokkos::parallel_reduce(
      "compressed_rows::stored", Range(0, matrix.rows()),
      KOKKOS_LAMBDA(std::int64_t r, std::uint64_t & sum) {
        for (int i = matrix.offsets(r); i < matrix.offsets(r + 1); ++i) {
          sum += scrambled_entry(r, matrix.columns(i), matrix.values(i));
        }
      },
      stored);
  if (listed != stored) wrong("the rows do not hold the entries of the list");
}

// Numbers that ascend, are flagged, and are as many as there are flags.
void check_kept(Array<std::uint8_t> const& flags, Array<int> const& kept,
                std::int64_t count) {
  std::int64_t flagged = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::flagged", Range(0, flags.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) { sum += flags(i); },
      flagged);
  if (flagged != count) {
    wrong("the compaction kept " + std::to_string(count) + " entries, " +
          std::to_string(flagged) + " are flagged");
  }
  auto const size = static_cast<std::int64_t>(flags.extent(0));
  check_each(
      count, "kept entries",
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & mismatches) {
        int const entry = kept(i);
        mismatches += entry < 0 || entry >= size || flags(entry) == 0 ||
                      (i > 0 && kept(i - 1) >= entry);
      });
}

template <class Value>
auto on_host_side(Array<Value> const& array) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
}

template <class Value>
void check_equal(Array<Value> const& array, std::vector<Value> const& expected,
                 std::string const& what) {
  auto const host         = on_host_side(array);
  std::int64_t mismatches = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    mismatches += host(i) != expected[i];
  }
  require_none(mismatches, static_cast<std::int64_t>(expected.size()), what);
}

// Returns the largest difference that rounding explains.
double check_product(Triplets const& list, CompressedRows const& matrix,
                     Array<double> const& x, std::string const& what) {
  auto const y = uninitialized<double>("y", matrix.rows());
  multiply(matrix, x, y);
  auto const host = on_host_side(y);
  HostProduct const expected(list, on_host_side(x));
  std::int64_t mismatches = 0;
  double largest          = 0;
  for (int row = 0; row < matrix.rows(); ++row) {
    // Terms that overflow have no sum to compare with.
    if (!std::isfinite(expected.bounds[row])) continue;
    double const error = std::abs(host(row) - expected.values[row]);
    mismatches += !(error <= expected.bounds[row]);
    largest = std::max(largest, error);
  }
  require_none(mismatches, matrix.rows(), what);
  return largest;
}

Triplets to_host(Entries const& entries) {
  Triplets list;
  list.rows         = entries.rows;
  list.columns      = entries.columns;
  auto const row    = on_host_side(entries.row);
  auto const column = on_host_side(entries.column);
  auto const value  = on_host_side(entries.value);
  list.row.assign(row.data(), row.data() + row.extent(0));
  list.column.assign(column.data(), column.data() + column.extent(0));
  list.value.assign(value.data(), value.data() + value.extent(0));
  return list;
}

template <class Value>
Array<Value> to_device(std::vector<Value> const& values) {
  Kokkos::View<Value const*, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      host(values.data(), values.size());
  auto const result = uninitialized<Value>("entries", values.size());
  Kokkos::deep_copy(result, host);
  return result;
}

Entries to_device(Triplets const& list) {
  return {list.rows, list.columns, to_device(list.row), to_device(list.column),
          to_device(list.value)};
}

Entries poisson_entries(Poisson const& grid) {
  auto const size = grid.entries();
  auto const rows = static_cast<int>(grid.rows());
  Entries const result{rows, rows, uninitialized<int>("row", size),
                       uninitialized<int>("column", size),
                       uninitialized<double>("value", size)};
  Kokkos::parallel_for(
      "compressed_rows::poisson", Range(0, size),
      KOKKOS_LAMBDA(std::int64_t i) {
        Poisson::Entry const entry = grid.entry(i);
        result.row(i)              = entry.row;
        result.column(i)           = entry.column;
        result.value(i)            = entry.value;
      });
  return result;
}

struct Options {
  std::string file;
  std::string generate;
  std::string write;
  std::int64_t threshold_percent = 50;
  int repeat                     = 0;
  bool host_check                = true;
  bool help                      = false;
};

char const* const help = R"(usage: compressed_rows [options] FILE.mtx
       compressed_rows [options] --generate MATRIX

Reads a sparse matrix (MatrixMarket, coordinate format), makes compressed rows of it, picks
the numbers of the entries that are large, and checks every result.

  --generate poisson:NXxNY       in place of a file: five-point Laplacian on a grid
  --generate powerlaw:ROWS:SEED  or rows whose lengths follow a power law
  --write FILE      also write the matrix, sorted, as MatrixMarket (generated ones only)
  --threshold P     an entry is large above P percent of the largest magnitude (default: 50)
  --repeat K        also time the scans K times, and print their rates and the fraction of the
                    copy ceiling that is measured in the same process
  --no-host-check   check on the device only, without the reference that one thread computes
  --help            print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a
wrong result.
)";

Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--generate") {
      options.generate = arguments.value();
    } else if (word == "--write") {
      options.write = arguments.value();
    } else if (word == "--threshold") {
      options.threshold_percent = arguments.integer(0, 100);
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--no-host-check") {
      options.host_check = false;
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  options.file = arguments.operand("files");
  if (options.file.empty() == options.generate.empty()) {
    throw InputError(options.file.empty()
                         ? "no matrix; give a file, or --generate MATRIX"
                         : "both a file, " + in_quotes(options.file) +
                               ", and --generate; give one of them");
  }
  if (!options.write.empty() && options.generate.empty()) {
    throw InputError("--write goes with --generate, not with a file");
  }
  return options;
}

void write(Options const& options, bool symmetric,
           CompressedRows const& matrix) {
  auto const offsets = on_host_side(matrix.offsets);
  auto const columns = on_host_side(matrix.columns);
  auto const values  = on_host_side(matrix.values);
  Triplets list;
  list.rows = list.columns = matrix.rows();
  for (int row = 0; row < matrix.rows(); ++row) {
    for (int i = offsets(row); i < offsets(row + 1); ++i) {
      list.add(row, columns(i), values(i));
    }
  }
  write_matrix_market(
      options.write,
      "compressed_rows --generate " + options.generate + " --write", list,
      symmetric);
}

void print_performance(Options const& options, Entries const& entries,
                       Array<int> const& lengths, Array<int> const& offsets,
                       Array<std::uint8_t> const& flags, Array<int> const& kept,
                       int count) {
  int const repeat = options.repeat;
  double const count_seconds =
      median_seconds(repeat, [&] { count_rows(entries, lengths); });
  double const scan_seconds =
      median_seconds(repeat, [&] { scan_rows(lengths, offsets); });
  double const compact_seconds =
      median_seconds(repeat, [&] { compact(flags, kept); });
  // Lengths in, offsets out; flags in, numbers of the kept out.
  double const scan_bytes = 2. * sizeof(int) * lengths.extent(0);
  double const compact_bytes =
      static_cast<double>(flags.extent(0)) + 1. * sizeof(int) * count;
  double const copy = measure_copy(std::max(scan_bytes, compact_bytes), repeat);
  std::printf("repeat %d\ncopy_GBps %.4g\ncount_rows_seconds %.6g\n", repeat,
              copy / 1e9, count_seconds);
  auto const print = [&](char const* name, double bytes, double seconds) {
    std::printf(
        "%s_bytes %.0f\n%s_seconds %.6g\n%s_GBps %.4g\n"
        "%s_fraction_of_copy %.3f\n",
        name, bytes, name, seconds, name, bytes / seconds / 1e9, name,
        bytes / seconds / copy);
  };
  print("row_offsets", scan_bytes, scan_seconds);
  print("compaction", compact_bytes, compact_seconds);
}

void compute(Options const& options, Entries const& entries,
             Triplets const& list, bool symmetric) {
  auto const lengths = uninitialized<int>("lengths", entries.rows + 1);
  auto const offsets = uninitialized<int>("offsets", entries.rows + 1);
  count_rows(entries, lengths);
  int const total = scan_rows(lengths, offsets);
  check_offsets(lengths, offsets, total, entries.size());
  CompressedRows const matrix = fill_rows(entries, offsets, total);
  check_rows(entries, matrix);

  int longest = 0;
  int empty   = 0;
  Kokkos::parallel_reduce(
      "compressed_rows::longest", Range(0, entries.rows),
      KOKKOS_LAMBDA(std::int64_t i, int& largest) {
        int const length = lengths(i);
        if (length > largest) largest = length;
      },
      Kokkos::Max<int>(longest));
  Kokkos::parallel_reduce(
      "compressed_rows::empty", Range(0, entries.rows),
      KOKKOS_LAMBDA(std::int64_t i, int& sum) { sum += lengths(i) == 0; },
      empty);
  double magnitude  = 0;
  auto const values = matrix.values;
  Kokkos::parallel_reduce(
      "compressed_rows::magnitude", Range(0, total),
      KOKKOS_LAMBDA(std::int64_t i, double& largest) {
        largest = Kokkos::max(largest, Kokkos::abs(values(i)));
      },
      Kokkos::Max<double>(magnitude));
  // The quotient first: a hundred times the magnitude may overflow.
  double const threshold =
      total == 0
          ? 0
          : magnitude * (static_cast<double>(options.threshold_percent) / 100);

  auto const flags = uninitialized<std::uint8_t>("flags", total);
  auto const kept  = uninitialized<int>("kept", total);
  flag_larger(values, threshold, flags);
  int const count = compact(flags, kept);
  check_kept(flags, kept, count);

  double product_error = 0;
  if (options.host_check) {
    HostRows const expected(list);
    check_equal(matrix.offsets, expected.offsets, "row offsets");
    check_equal(matrix.columns, expected.columns, "columns");
    check_equal(matrix.values, expected.values, "values");
    std::vector<int> const large = expected.larger_than(threshold);
    if (large.size() != static_cast<std::size_t>(count)) {
      wrong("kept " + std::to_string(count) + " entries, not " +
            std::to_string(large.size()));
    }
    check_equal(kept, large, "kept entries");
    auto const x = uninitialized<double>("x", entries.columns);
    Kokkos::deep_copy(x, 1.);
    check_product(list, matrix, x, "row sums");
    Kokkos::parallel_for(
        "compressed_rows::x", Range(0, entries.columns),
        KOKKOS_LAMBDA(std::int64_t i) {
          x(i) = static_cast<double>(i % 17) - 8.;
        });
    product_error = check_product(list, matrix, x, "elements of the product");
  }
  if (!options.write.empty()) write(options, symmetric, matrix);

  std::printf(
      "matrix %s\nexecution_space %s\nruns_on %s\n",
      options.file.empty() ? options.generate.c_str() : options.file.c_str(),
      Space::name(), on_host ? "host" : "device");
  std::printf("rows %d\ncolumns %d\nentries %d\n", entries.rows,
              entries.columns, total);
  std::printf("longest_row %d\nempty_rows %d\nthreshold %.17g\nkept %d\n",
              longest, empty, threshold, count);
  auto const print = [](char const* name, std::uint64_t bits) {
    std::printf("%s_fingerprint %016llx\n", name,
                static_cast<unsigned long long>(bits));
  };
  print("offsets", fingerprint(matrix.offsets, entries.rows + 1));
  print("columns", fingerprint(matrix.columns, total));
  print("values", fingerprint(matrix.values, total));
  print("kept", fingerprint(kept, count));
  if (options.host_check) std::printf("product_error %.3g\n", product_error);
  std::printf("checked %s\n", options.host_check
                                  ? "on the device and against one host thread"
                                  : "on the device");
  if (options.repeat > 0) {
    print_performance(options, entries, lengths, offsets, flags, kept, count);
  }
}

void run(Options const& options, int argc, char** argv) {
  // The file is read before anything is started: wrong input costs nothing.
  Generated generated;
  Triplets list;
  // Measured with 20 million rows and columns, and with 3 million entries.
  BytesPer const bytes_per{40, 8, 60};
  if (options.generate.empty()) {
    list = read_matrix_market(options.file, bytes_per);
  } else {
    generated = parse_generated(options.generate);
    if (!generated.is_poisson || options.host_check) {
      require_memory_of(generated, bytes_per, options.generate);
    } else if (on_host) {
      // Lengths, offsets, next; the list, its order and what is made of both.
      require_memory_of(generated, {12, 0, 37}, options.generate);
    }
    if (!generated.is_poisson) list = power_law(generated.power_law());
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Entries const entries = generated.is_poisson
                              ? poisson_entries(generated.poisson)
                              : to_device(list);
  if (generated.is_poisson && options.host_check) list = to_host(entries);
  compute(options, entries, list, generated.is_poisson);
}

int main(int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help, stdout);
    } else {
      run(options, argc, argv);
    }
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "compressed_rows: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "compressed_rows: %s\n", error.what());
    return 1;
  }
}
