# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tclsh print_module.tcl FILE: what a module file sets, NAME=VALUE, without Environment Modules.
foreach command {module-whatis conflict} { proc $command {args} {} }
foreach command {setenv prepend-path} { proc $command {name value} { puts "$name=$value" } }
source [lindex $argv 0]
if {[llength [info procs ModulesHelp]] == 0} { error "no ModulesHelp" }
