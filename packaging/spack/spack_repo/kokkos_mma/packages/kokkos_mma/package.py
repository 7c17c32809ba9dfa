# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class KokkosMma(CMakePackage, CudaPackage):
    """Kokkos loops, reductions, scans and stencils at the memory roofline of
    tensor-core GPUs: headers, and a drop-in that changes no application."""

    # This package repository is a folder of the sources, and the sources are its own clone.
    git = str(pathlib.Path(__file__).resolve().parents[6])

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=False, description="Operations over the ranks of a communicator")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="run")
    depends_on("kokkos@4.6:")
    depends_on("mpi", when="+mpi")
    for _arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={_arch}", when=f"+cuda cuda_arch={_arch}")
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    conflicts("cuda_arch=none", when="+cuda")

    def cmake_args(self):
        return [
            self.define("KokkosMMA_KOKKOS_FROM", "installed"),
            self.define("KokkosMMA_REQUIRE_CUDA", self.spec.satisfies("+cuda")),
            self.define("KokkosMMA_ENABLE_MPI", "ON" if self.spec.satisfies("+mpi") else "OFF"),
            self.define("KokkosMMA_ENABLE_TESTS", False),
            self.define("KokkosMMA_ENABLE_PERF_TESTS", False),
            self.define("KokkosMMA_ENABLE_EXAMPLES", False),
        ]
