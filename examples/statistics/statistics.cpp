// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mean, standard deviation and lag-1 autocorrelation of a data file: an
// ordinary Kokkos program.
//
// It knows nothing of kokkos-mma. The build compiles it twice, once against
// Kokkos and once with KokkosMMA::drop_in added to the link line.

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/files.hpp"
#include "../common/memory.hpp"
#include "data_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using Space  = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Range  = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

constexpr bool on_host =
    std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>;

template <class Value>
using Data = Kokkos::View<Value*, Memory>;

template <class Value>
double sum(Data<Value> const& x) {
  double result = 0;
  Kokkos::parallel_reduce(
      "statistics::sum", Range(0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& partial) { partial += x(i); },
      result);
  return result;
}

struct CentredSums {
  double deviations = 0;
  double squares    = 0;
  double products   = 0;
};

// Sums of d(i), d(i)^2 and d(i) d(i + 1), where d(i) = x(i) - centre, in one
// pass over the data.
template <class Value>
CentredSums centred_sums(Data<Value> const& x, double centre) {
  std::int64_t const last = static_cast<std::int64_t>(x.extent(0)) - 1;
  CentredSums result;
  Kokkos::parallel_reduce(
      "statistics::centred_sums", Range(0, last + 1),
      KOKKOS_LAMBDA(std::int64_t i, double& deviations, double& squares,
                    double& products) {
        double const here = x(i) - centre;
        double const next = i < last ? x(i + 1) - centre : 0.;
        deviations += here;
        squares += here * here;
        products += here * next;
      },
      result.deviations, result.squares, result.products);
  return result;
}

// Infinite is what is too large for a double, NaN what is not defined.
struct Statistics {
  double mean;
  double standard_deviation;
  double lag1_autocorrelation;
};

// The corrected two-pass algorithm. Centring on the computed mean removes the
// cancellation; that mean is off by a rounding error, which the sum of the
// deviations reveals, so every sum is then moved to the true centre.
template <class Value>
Statistics compute(Data<Value> const& x) {
  auto const n           = static_cast<double>(x.extent(0));
  double const mean      = sum(x) / n;
  CentredSums const sums = centred_sums(x, mean);
  double const offset    = sums.deviations / n;

  auto const first = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), Kokkos::subview(x, Kokkos::make_pair(0, 1)));
  auto const last = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      Kokkos::subview(x, Kokkos::make_pair(x.extent(0) - 1, x.extent(0))));
  double const ends = (first(0) - mean) + (last(0) - mean);

  double const squares  = sums.squares - n * offset * offset;
  double const products = sums.products -
                          offset * (2 * sums.deviations - ends) +
                          (n - 1) * offset * offset;
  return {mean + offset, std::sqrt(squares / (n - 1)), products / squares};
}

// Kokkos throws when an allocation fails.
template <class Body>
auto or_no_memory(Body const& body) {
  try {
    return body();
  } catch (std::exception const& error) {
    throw InputError("no memory for so many values; give fewer. " +
                     std::string(error.what()));
  }
}

template <class Value>
Kokkos::MinMaxScalar<Value> range_of(Data<Value> const& x) {
  using Reducer = Kokkos::MinMax<Value>;
  Kokkos::MinMaxScalar<Value> result;
  Kokkos::parallel_reduce(
      "statistics::range", Range(0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Kokkos::MinMaxScalar<Value> & range) {
        Value const value = x(i);
        if (value < range.min_val) range.min_val = value;
        if (value > range.max_val) range.max_val = value;
      },
      Reducer(result));
  return result;
}

template <class Value>
Data<double> scaled(Data<Value> const& x, double factor) {
  Data<double> y(Kokkos::view_alloc("scaled", Kokkos::WithoutInitializing),
                 x.extent(0));
  Kokkos::parallel_for(
      "statistics::scale", Range(0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i) * factor; });
  return y;
}

// Sums and squares may leave the range of a double though their means do not:
// then the data are scaled by a power of two, which rounds nothing that counts.
// What spread equal data seem to have is the rounding error of their mean.
template <class Value>
Statistics statistics_of(Data<Value> const& x) {
  Statistics const result = compute(x);
  double const deviation  = result.standard_deviation;
  if (std::isfinite(deviation) && deviation > 1e-140 &&
      deviation > 1e-10 * std::abs(result.mean)) {
    return result;
  }
  auto const range     = range_of(x);
  double const least   = range.min_val;
  double const largest = range.max_val;
  if (least == largest) return {least, 0, std::nan("")};
  int exponent = 0;
  std::frexp(std::max(std::abs(least), std::abs(largest)), &exponent);
  // Within the exponents of which a factor is a double.
  exponent               = std::clamp(exponent, -1000, 1000);
  Statistics const parts = compute(
      or_no_memory([&] { return scaled(x, std::ldexp(1., -exponent)); }));
  return {std::ldexp(parts.mean, exponent),
          std::ldexp(parts.standard_deviation, exponent),
          parts.lag1_autocorrelation};
}

// Equal on every execution space and in every run, unlike a random number pool:
// two builds see the same data.
KOKKOS_INLINE_FUNCTION std::uint64_t scrambled(std::uint64_t index) {
  std::uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15u;
  bits               = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  bits               = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

// Uniform in [0, 1), with all the bits that Value holds.
template <class Value>
Data<Value> synthetic_data(std::int64_t n) {
  Data<Value> x(Kokkos::view_alloc("synthetic", Kokkos::WithoutInitializing),
                n);
  constexpr int bits = sizeof(Value) == 4 ? 24 : 53;
  double const unit  = std::ldexp(1., -bits);
  Kokkos::parallel_for(
      "statistics::fill", Range(0, n), KOKKOS_LAMBDA(std::int64_t i) {
        x(i) = static_cast<Value>(
            static_cast<double>(scrambled(i) >> (64 - bits)) * unit);
      });
  return x;
}

template <class Value>
Data<Value> to_device(std::vector<Value> const& values) {
  Kokkos::View<Value const*, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      host(values.data(), values.size());
  Data<Value> x(Kokkos::view_alloc("data", Kokkos::WithoutInitializing),
                values.size());
  Kokkos::deep_copy(x, host);
  return x;
}

// One call as an application makes it: from the call until its result is on the
// host.
template <class Body>
double median_seconds(int repeat, Body const& body) {
  body();
  Kokkos::fence();
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) {
    Kokkos::Timer const timer;
    body();
    Kokkos::fence();
    seconds.push_back(timer.seconds());
  }
  auto const middle = seconds.begin() + repeat / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

struct alignas(16) Words {
  std::uint64_t low;
  std::uint64_t high;
};

// A kernel that only reads: each work item folds in_flight independent 16-byte
// loads, stride apart.
template <int in_flight, int stride>
void read_all(Kokkos::View<Words*, Memory> const& words, std::int64_t items,
              Kokkos::View<std::uint64_t, Memory> const& sink) {
  Kokkos::parallel_for(
      "statistics::read_ceiling", Range(0, items),
      KOKKOS_LAMBDA(std::int64_t i) {
        Words const* const first =
            words.data() + i / stride * stride * in_flight + i % stride;
        Words folded = first[0];
        for (int k = 1; k < in_flight; ++k) {
          folded.low ^= first[k * stride].low;
          folded.high ^= first[k * stride].high;
        }
        // Never so with these data, which the compiler cannot know: the loads
        // stay.
        if (folded.low == 1 && folded.high == 1) sink() = 1;
      });
}

// Bytes per second.
template <int in_flight, int stride>
double read_rate(Kokkos::View<Words*, Memory> const& words, int repeat) {
  auto const items = static_cast<std::int64_t>(words.extent(0)) /
                     (in_flight * stride) * stride;
  if (items == 0) return 0;
  Kokkos::View<std::uint64_t, Memory> const sink("sink");
  double const seconds = median_seconds(
      repeat, [&] { read_all<in_flight, stride>(words, items, sink); });
  return static_cast<double>(items) * in_flight * sizeof(Words) / seconds;
}

struct Ceiling {
  double read;
  double copy;
};

// What this memory delivers at this size, by the two means that plain Kokkos
// offers.
Ceiling measure_ceiling(std::int64_t bytes, int repeat) {
  auto const count = std::max<std::int64_t>(
      1, bytes / static_cast<std::int64_t>(sizeof(Words)));
  Kokkos::View<Words*, Memory> words(
      Kokkos::view_alloc("words", Kokkos::WithoutInitializing), count);
  Kokkos::View<Words*, Memory> copy(
      Kokkos::view_alloc("copy", Kokkos::WithoutInitializing), count);
  Kokkos::parallel_for(
      "statistics::fill_words", Range(0, count), KOKKOS_LAMBDA(std::int64_t i) {
        words(i) = {scrambled(2 * i), scrambled(2 * i + 1)};
      });
  double const copy_seconds =
      median_seconds(repeat, [&] { Kokkos::deep_copy(copy, words); });
  // Read and written.
  double const copy_rate =
      2. * static_cast<double>(count) * sizeof(Words) / copy_seconds;
  if constexpr (on_host) {
    return {read_rate<64, 1>(words, repeat), copy_rate};
  } else {
    // Neighbouring threads read neighbouring words.
    return {std::max({read_rate<2, 256>(words, repeat),
                      read_rate<4, 256>(words, repeat),
                      read_rate<8, 256>(words, repeat)}),
            copy_rate};
  }
}

template <class Value>
void print_performance(Data<Value> const& x, int repeat) {
  auto const bytes    = static_cast<std::int64_t>(x.extent(0) * sizeof(Value));
  double const of_sum = median_seconds(repeat, [&] { sum(x); });
  double const of_centred_sums =
      median_seconds(repeat, [&] { centred_sums(x, 0.5); });
  // Last: on an H200 the calls that followed it took 75 us longer each, perhaps
  // because its buffers had just been freed.
  Ceiling const ceiling =
      or_no_memory([&] { return measure_ceiling(bytes, repeat); });
  double const best = std::max(ceiling.read, ceiling.copy);
  std::printf("repeat %d\nbytes %lld\n", repeat, static_cast<long long>(bytes));
  std::printf("wide_load_read_GBps %.4g\ndevice_copy_GBps %.4g\n",
              ceiling.read / 1e9, ceiling.copy / 1e9);
  std::printf("measured_ceiling_GBps %.4g\nmeasured_ceiling_is %s\n",
              best / 1e9,
              ceiling.read >= ceiling.copy ? "wide_load_read" : "device_copy");
  auto const print = [&](char const* name, double seconds) {
    double const rate = static_cast<double>(bytes) / seconds;
    std::printf("%s_seconds %.6g\n%s_GBps %.4g\n%s_fraction_of_ceiling %.3f\n",
                name, seconds, name, rate / 1e9, name, rate / best);
  };
  print("sum", of_sum);
  print("centred_sums", of_centred_sums);
}

struct Options {
  std::string file;
  std::int64_t synthetic = 0;
  long skip_lines        = 0;
  int repeat             = 0;
  bool is_float          = false;
  bool raw               = false;
  bool help              = false;
};

char const* const help = R"(usage: statistics [options] FILE
       statistics [options] --synthetic N

Prints the number of values, mean, standard deviation (n - 1) and lag-1 autocorrelation of
a data file. Text files hold numbers separated by white space; # starts a comment.

  --float          hold the data as float (default: double); sums are in double
  --raw            the file holds raw little endian values of that type
  --skip-lines N   ignore the first N lines of a text file
  --synthetic N    N pseudo-random values, uniform in [0, 1), in place of a file
  --repeat K       also time each reduction K times, and print its rate and the fraction of
                   the memory ceiling that is measured in the same process
  --help           print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 otherwise: also
when a quantity is not defined, as the autocorrelation of equal values, or too large for a double.
)";

Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--synthetic") {
      options.synthetic = arguments.integer(2, std::int64_t(1) << 40);
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--skip-lines") {
      options.skip_lines = static_cast<long>(arguments.integer(0, 1000000000));
    } else if (word == "--float") {
      options.is_float = true;
    } else if (word == "--raw") {
      options.raw = true;
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  options.file = arguments.operand("data files");
  if (options.file.empty() && options.synthetic == 0) {
    throw InputError("no data; give a data file, or --synthetic N");
  }
  if (!options.file.empty() && options.synthetic != 0) {
    throw InputError("both a data file, " + in_quotes(options.file) +
                     ", and --synthetic; give one of them");
  }
  return options;
}

// Prints what is a number, and says what is none, and why. Returns the exit
// code.
int print(Statistics const& result, std::uint64_t n) {
  std::printf("mean %.17g\n", result.mean);
  int exit_code = 0;
  if (std::isfinite(result.standard_deviation)) {
    std::printf("standard_deviation %.17g\n", result.standard_deviation);
  } else {
    std::printf("standard_deviation overflow\n");
    std::fprintf(stderr,
                 "statistics: the standard deviation is larger than a double "
                 "can be, %.3g; scale the data\n",
                 std::numeric_limits<double>::max());
    exit_code = 1;
  }
  if (std::isfinite(result.lag1_autocorrelation)) {
    std::printf("lag1_autocorrelation %.17g\n", result.lag1_autocorrelation);
  } else {
    std::printf("lag1_autocorrelation undefined\n");
    std::fprintf(stderr,
                 "statistics: the lag-1 autocorrelation is undefined, 0/0: all "
                 "%llu values are %.17g; give data that vary\n",
                 static_cast<unsigned long long>(n), result.mean);
    exit_code = 1;
  }
  return exit_code;
}

template <class Value>
int run(Options const& options, int argc, char** argv) {
  // The file is read before anything is started: wrong input costs nothing.
  std::vector<Value> values;
  if (options.synthetic == 0) {
    constexpr char const* what = "a file that this user can read";
    values = options.raw ? parse_raw<Value>(read_bytes(options.file, what),
                                            options.file)
                         : parse_text<Value>(read_text(options.file, what),
                                             options.file, options.skip_lines);
    if (values.size() < 2) {
      throw InputError(in_quotes(options.file) + " holds " +
                       (values.empty() ? "no numbers" : "1 number") +
                       "; a standard deviation needs at least 2");
    }
  }

  Kokkos::ScopeGuard const kokkos(argc, argv);
  if constexpr (on_host) {
    require_memory(static_cast<double>(options.synthetic) * sizeof(Value),
                   "--synthetic " + std::to_string(options.synthetic),
                   "give fewer values");
  }
  Data<Value> const x     = or_no_memory([&] {
    return options.synthetic != 0 ? synthetic_data<Value>(options.synthetic)
                                      : to_device(values);
  });
  Statistics const result = statistics_of(x);
  std::printf("data %s\ntype %s\nexecution_space %s\nruns_on %s\n",
              options.file.empty() ? "synthetic" : options.file.c_str(),
              sizeof(Value) == 4 ? "float" : "double", Space::name(),
              on_host ? "host" : "device");
  std::printf("n %llu\n", static_cast<unsigned long long>(x.extent(0)));
  int const exit_code = print(result, x.extent(0));
  if (options.repeat > 0) print_performance(x, options.repeat);
  return exit_code;
}

int main(int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help, stdout);
      return 0;
    }
    return options.is_float ? run<float>(options, argc, argv)
                            : run<double>(options, argc, argv);
  } catch (InputError const& error) {
    std::fprintf(stderr, "statistics: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "statistics: %s\n", error.what());
    return 1;
  }
}
