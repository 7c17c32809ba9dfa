// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_StencilLibraries.hpp"

#include <memory>

#include "support/Perf_Libraries.hpp"
#include "support/Perf_Check.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#define KOKKOSMMA_PERF_HAS_CUDNN_HEADER
#endif
#endif

namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
namespace {

std::vector<std::string> library_names(std::string const& name,
                                       std::vector<int> const& versions) {
  std::vector<std::string> names;
  for (int version : versions) {
    std::string const file = name + ".so." + std::to_string(version);
    names.insert(names.end(), {file, "/usr/local/cuda/lib64/" + file});
  }
  return names;
}

/// Toolkits may come without NPP's headers, so what is called is declared here,
/// as nppdefs.h and nppi_filtering_functions.h of CUDA 13 have it.
class Npp {
 public:
  static Npp& instance() {
    static Npp npp;
    return npp;
  }
  std::string const& missing() const { return m_library.missing(); }

  struct Extent {
    int width, height;
  };
  struct Anchor {
    int x, y;
  };
  struct Context {
    cudaStream_t stream;
    int device, processors, threads_per_processor, threads_per_block;
    std::size_t shared_bytes;
    int major, minor;
    unsigned flags;
    unsigned reserved;
  };
  template <class T>
  using Box = int (*)(T const* in, int in_step, T* out, int out_step,
                      Extent size, Extent mask, Anchor anchor, Context context);

  Box<unsigned char> bytes;
  Box<float> floats;

  static Context context(Exec const& exec) {
    Context c{};
    check_cuda(cudaGetDevice(&c.device), "cudaGetDevice");
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, c.device),
               "cudaGetDeviceProperties");
    c.stream                = exec.cuda_stream();
    c.processors            = properties.multiProcessorCount;
    c.threads_per_processor = properties.maxThreadsPerMultiProcessor;
    c.threads_per_block     = properties.maxThreadsPerBlock;
    c.shared_bytes          = properties.sharedMemPerBlock;
    c.major                 = properties.major;
    c.minor                 = properties.minor;
    check_cuda(cudaStreamGetFlags(c.stream, &c.flags), "cudaStreamGetFlags");
    return c;
  }

 private:
  Npp() : m_library(library_names("libnppif", {13, 12})) {
    m_library.load(bytes, "nppiFilterBox_8u_C1R_Ctx");
    m_library.load(floats, "nppiFilterBox_32f_C1R_Ctx");
  }
  SharedLibrary m_library;
};

template <class T>
std::function<void()> npp_box_of(LibraryStencil const& s, Npp::Box<T> box) {
  int const r           = s.radius;
  std::size_t const row = static_cast<std::size_t>(s.extents[1]) * sizeof(T);
  // Rows and their first elements begin at multiples of 512 bytes, as in memory
  // that NPP allocates.
  auto const aligned = [](std::size_t bytes) {
    return (bytes + 511) / 512 * 512;
  };
  std::size_t const reach      = static_cast<std::size_t>(r);
  std::size_t const left       = aligned(reach * sizeof(T));
  std::size_t const padded_row = aligned(left + row + reach * sizeof(T));
  std::size_t const padded_rows =
      static_cast<std::size_t>(s.extents[0]) + 2 * reach;
  auto const padded = std::make_shared<Scratch<unsigned char> const>(
      s.exec, padded_rows * padded_row);
  fill_bytes(s.exec, padded->data(), 0, padded_rows * padded_row);
  unsigned char* const first = padded->data() + reach * padded_row + left;
  check_cuda(cudaMemcpy2DAsync(first, padded_row, s.in, row, row,
                               static_cast<std::size_t>(s.extents[0]),
                               cudaMemcpyDeviceToDevice, s.exec.cuda_stream()),
             "cudaMemcpy2DAsync");
  Npp::Extent const size = {static_cast<int>(s.extents[1]),
                            static_cast<int>(s.extents[0])};
  Npp::Extent const mask = {2 * r + 1, 2 * r + 1};
  return [=, out = static_cast<T*>(s.out),
          context = Npp::context(s.exec)]() mutable {
    (void)padded;  // keeps its memory
    int const status =
        box(reinterpret_cast<T const*>(first), static_cast<int>(padded_row),
            out, static_cast<int>(row), size, mask, {r, r}, context);
    if (status != 0)
      throw std::runtime_error("nppiFilterBox returned " +
                               std::to_string(status));
  };
}

#ifdef KOKKOSMMA_PERF_HAS_CUDNN_HEADER
// clang-format off
#define KOKKOSMMA_PERF_CUDNN_CALLS                                             \
  KOKKOSMMA_PERF_CUDNN(cudnnSetStream)                                         \
  KOKKOSMMA_PERF_CUDNN(cudnnCreateTensorDescriptor)                            \
  KOKKOSMMA_PERF_CUDNN(cudnnSetTensorNdDescriptor)                             \
  KOKKOSMMA_PERF_CUDNN(cudnnCreateFilterDescriptor)                            \
  KOKKOSMMA_PERF_CUDNN(cudnnSetFilterNdDescriptor)                             \
  KOKKOSMMA_PERF_CUDNN(cudnnCreateConvolutionDescriptor)                       \
  KOKKOSMMA_PERF_CUDNN(cudnnSetConvolutionNdDescriptor)                        \
  KOKKOSMMA_PERF_CUDNN(cudnnSetConvolutionMathType)                            \
  KOKKOSMMA_PERF_CUDNN(cudnnGetConvolutionForwardAlgorithm_v7)                 \
  KOKKOSMMA_PERF_CUDNN(cudnnConvolutionForward)
// clang-format on

class Cudnn {
 public:
  static Cudnn& instance() {
    static Cudnn cudnn;
    return cudnn;
  }
  std::string const& missing() const { return m_library.missing(); }

#define KOKKOSMMA_PERF_CUDNN(NAME) decltype(&::NAME) NAME;
  KOKKOSMMA_PERF_CUDNN_CALLS
#undef KOKKOSMMA_PERF_CUDNN

  /// Made by the first convolution: that takes seconds, and most runs have
  /// none.
  cudnnHandle_t handle() {
    if (!m_handle) check(m_create(&m_handle), "cudnnCreate");
    return m_handle;
  }

  static void check(cudnnStatus_t status, char const* what) {
    if (status != CUDNN_STATUS_SUCCESS)
      throw std::runtime_error(std::string(what) + " returned " +
                               std::to_string(static_cast<int>(status)));
  }

 private:
  Cudnn() : m_library(library_names("libcudnn", {CUDNN_MAJOR})) {
    m_library.load(m_create, "cudnnCreate");
#define KOKKOSMMA_PERF_CUDNN(NAME) m_library.load(NAME, #NAME);
    KOKKOSMMA_PERF_CUDNN_CALLS
#undef KOKKOSMMA_PERF_CUDNN
  }

  SharedLibrary m_library;
  decltype(&::cudnnCreate) m_create;
  cudnnHandle_t m_handle = nullptr;
};

// A call of cuDNN that must succeed.
#define KOKKOSMMA_PERF_CUDNN(NAME, ...) \
  Cudnn::check(Cudnn::instance().NAME(__VA_ARGS__), #NAME)

/// What a convolution needs. The descriptors, a few hundred bytes for each
/// case, live until the end.
struct Convolution {
  cudnnTensorDescriptor_t in = nullptr, out = nullptr;
  cudnnFilterDescriptor_t filter   = nullptr;
  cudnnConvolutionDescriptor_t how = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm{};
  std::shared_ptr<Scratch<unsigned char>> weights, scratch;
  std::size_t scratch_bytes = 0;
  bool wide                 = false;  // scaling factors are doubles

  void operator()(LibraryStencil const& s) const {
    float const one = 1, zero = 0;
    double const wide_one = 1, wide_zero = 0;
    Cudnn& c = Cudnn::instance();
    KOKKOSMMA_PERF_CUDNN(cudnnSetStream, c.handle(), s.exec.cuda_stream());
    KOKKOSMMA_PERF_CUDNN(cudnnConvolutionForward, c.handle(),
                         wide ? static_cast<void const*>(&wide_one) : &one, in,
                         s.in, filter, weights->data(), how, algorithm,
                         scratch ? scratch->data() : nullptr, scratch_bytes,
                         wide ? static_cast<void const*>(&wide_zero) : &zero,
                         out, s.out);
  }
};

template <class W>
std::shared_ptr<Scratch<unsigned char>> weights_as(LibraryStencil const& s) {
  std::vector<W> host;
  for (double weight : s.weights)
    if constexpr (std::is_same_v<W, double>) {
      host.push_back(weight);
    } else {
      host.push_back(static_cast<W>(static_cast<float>(weight)));
    }
  std::size_t const bytes = host.size() * sizeof(W);
  auto memory = std::make_shared<Scratch<unsigned char>>(s.exec, bytes);
  copy_bytes(s.exec, memory->data(), host.data(), bytes);
  s.exec.fence("perf::weights_as");
  return memory;
}
#endif

}  // namespace

std::string npp_missing() { return Npp::instance().missing(); }

std::function<void()> npp_box(LibraryStencil const& s) {
  if (s.type == "uint8")
    return npp_box_of<unsigned char>(s, Npp::instance().bytes);
  return npp_box_of<float>(s, Npp::instance().floats);
}

#else
std::string npp_missing() { return "no Cuda execution space"; }
std::function<void()> npp_box(LibraryStencil const&) { return {}; }
#endif

bool npp_takes(std::string const& type, int rank) {
  return rank == 2 && (type == "uint8" || type == "float");
}
bool cudnn_takes(std::string const& type) {
  return type == "half" || type == "bhalf" || type == "float" ||
         type == "double";
}

#ifdef KOKKOSMMA_PERF_HAS_CUDNN_HEADER
std::string cudnn_missing() { return Cudnn::instance().missing(); }

std::function<void()> cudnn_convolution(LibraryStencil const& s) {
  Cudnn& c = Cudnn::instance();
  Convolution convolution;
  cudnnDataType_t const type = s.type == "half"    ? CUDNN_DATA_HALF
                               : s.type == "bhalf" ? CUDNN_DATA_BFLOAT16
                               : s.type == "float" ? CUDNN_DATA_FLOAT
                                                   : CUDNN_DATA_DOUBLE;
  convolution.wide           = type == CUDNN_DATA_DOUBLE;
  convolution.weights        = s.type == "half"    ? weights_as<half_type>(s)
                               : s.type == "bhalf" ? weights_as<bhalf_type>(s)
                               : s.type == "float" ? weights_as<float>(s)
                                                   : weights_as<double>(s);
  // One image of one channel; a line is an image of height one.
  std::vector<int> sizes = {1, 1}, filter = {1, 1}, pad, ones;
  if (s.extents.size() == 1) {
    sizes.push_back(1);
    filter.push_back(1);
    pad.push_back(0);
    ones.push_back(1);
  }
  for (std::int64_t extent : s.extents) {
    sizes.push_back(static_cast<int>(extent));
    filter.push_back(2 * s.radius + 1);
    pad.push_back(s.radius);
    ones.push_back(1);
  }
  int const dimensions = static_cast<int>(sizes.size());
  std::vector<int> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * sizes[d + 1];
  for (cudnnTensorDescriptor_t* tensor : {&convolution.in, &convolution.out}) {
    KOKKOSMMA_PERF_CUDNN(cudnnCreateTensorDescriptor, tensor);
    KOKKOSMMA_PERF_CUDNN(cudnnSetTensorNdDescriptor, *tensor, type, dimensions,
                         sizes.data(), strides.data());
  }
  KOKKOSMMA_PERF_CUDNN(cudnnCreateFilterDescriptor, &convolution.filter);
  KOKKOSMMA_PERF_CUDNN(cudnnSetFilterNdDescriptor, convolution.filter, type,
                       CUDNN_TENSOR_NCHW, dimensions, filter.data());
  KOKKOSMMA_PERF_CUDNN(cudnnCreateConvolutionDescriptor, &convolution.how);
  KOKKOSMMA_PERF_CUDNN(cudnnSetConvolutionNdDescriptor, convolution.how,
                       dimensions - 2, pad.data(), ones.data(), ones.data(),
                       CUDNN_CROSS_CORRELATION,
                       convolution.wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  // Floats without tf32, which drops 13 of their bits.
  KOKKOSMMA_PERF_CUDNN(cudnnSetConvolutionMathType, convolution.how,
                       s.type == "half" || s.type == "bhalf"
                           ? CUDNN_TENSOR_OP_MATH
                           : CUDNN_FMA_MATH);
  constexpr int most                             = 8;
  cudnnConvolutionFwdAlgoPerf_t algorithms[most] = {};
  int count                                      = 0;
  KOKKOSMMA_PERF_CUDNN(cudnnGetConvolutionForwardAlgorithm_v7, c.handle(),
                       convolution.in, convolution.filter, convolution.how,
                       convolution.out, most, &count, algorithms);
  DeviceTimer timer(s.exec);
  double fastest = std::numeric_limits<double>::infinity();
  Convolution best;
  int tries = 0;
  for (int a = 0; a < count && tries < 2; ++a) {
    if (algorithms[a].status != CUDNN_STATUS_SUCCESS ||
        algorithms[a].memory > std::size_t(4) << 30)
      continue;
    ++tries;
    Convolution tried   = convolution;
    tried.algorithm     = algorithms[a].algo;
    tried.scratch_bytes = algorithms[a].memory;
    try {
      if (tried.scratch_bytes > 0)
        tried.scratch = std::make_shared<Scratch<unsigned char>>(
            s.exec, tried.scratch_bytes);
      std::size_t k   = 0;
      auto const call = [&](std::size_t) { tried(s); };
      timer.seconds(1, k, call);
      double const seconds = timer.seconds(1, k, call);
      if (seconds >= fastest) continue;
      fastest = seconds;
      best    = tried;
    } catch (std::exception const&) {
      // Recommended, but refuses to run.
    }
  }
  if (!best.weights)
    throw std::runtime_error("no algorithm of cuDNN runs this convolution");
  return [s, best] { best(s); };
}
#else
std::string cudnn_missing() {
  return on_cuda ? "the toolkit has no cudnn.h" : "no Cuda execution space";
}
std::function<void()> cudnn_convolution(LibraryStencil const&) { return {}; }
#endif

}  // namespace perf
