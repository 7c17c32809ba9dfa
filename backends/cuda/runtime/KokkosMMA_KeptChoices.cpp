// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_KeptChoices.hpp>
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_ReplaceFile.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>
#include <typeinfo>
#include <utility>

namespace KokkosMMA::Impl {
namespace {

constexpr std::string_view title_of_any_version = "kokkos-mma choices, ";
constexpr std::string_view column_heads =
    "pattern | card | size class | bytes of the functor | choice | policy | "
    "functor";
constexpr std::string_view field_separator = " | ";

template <class... Parts>
void warn(std::filesystem::path const& file, Parts const&... parts) {
  std::string const text =
      concatenate("KokkosMMA: warning: KOKKOSMMA_CHOICES: ", file.string(),
                  ": ", parts..., "\n");
  std::fputs(text.c_str(), stderr);
}

/// Reads the text before the next separator, or all of it.
std::string_view next_field(std::string_view& line) {
  std::size_t const end        = line.find(field_separator);
  std::string_view const field = line.substr(0, end);
  line.remove_prefix(end == line.npos ? line.size()
                                      : end + field_separator.size());
  return field;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  char const* const end    = text.data() + text.size();
  auto const [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end;
}

/// \return whether the line is one of a choice
bool parse_choice(std::string_view line, KeptLoop& loop, std::string& name) {
  loop.pattern                      = next_field(line);
  loop.device                       = next_field(line);
  std::string_view const size_class = next_field(line);
  std::string_view const bytes      = next_field(line);
  name                              = next_field(line);
  loop.policy                       = next_field(line);
  loop.functor                      = line;
  return parse_number(size_class, loop.size_class) &&
         parse_number(bytes, loop.functor_bytes) && !name.empty() &&
         !loop.functor.empty();
}

/// Name of the type of a NameOf.
std::string readable(std::type_info const* type) {
  if (type == nullptr) return "?";
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  if (!name) return type->name();
  std::string_view text(name.get());
  text.remove_prefix(text.find('<') + 1);
  text.remove_suffix(text.ends_with(" >") ? 2 : 1);
  return std::string(text);
}

/// Whether a launcher of MPI programs says that another process is the first.
bool is_later_rank() {
  for (char const* const name :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (environment_has(name)) return true;
  return false;
}

}  // namespace

std::string KeptChoices::title(std::string_view kokkos_version) {
  return concatenate(title_of_any_version, "kokkos-mma ",
                     KOKKOSMMA_VERSION_MAJOR, ".", KOKKOSMMA_VERSION_MINOR, ".",
                     KOKKOSMMA_VERSION_PATCH, ", Kokkos ", kokkos_version);
}

KeptChoices::KeptChoices(std::filesystem::path const& file,
                         std::string const& title)
    : m_file(file), m_title(title) {
  // The application may change its folder; it may have none. Renaming would
  // replace a symbolic link, not its file.
  std::error_code error;
  auto const absolute = std::filesystem::absolute(file, error);
  if (!error) m_file = absolute;
  auto const resolve = [&](std::filesystem::path const& path) {
    auto const resolved = std::filesystem::weakly_canonical(path, error);
    if (!error) m_file = resolved;
  };
  resolve(m_file);
  // A link stays if its file is missing.
  while (!error && std::filesystem::is_symlink(m_file, error))
    resolve(m_file.parent_path() /
            std::filesystem::read_symlink(m_file, error));
  std::string const refusal = read();
  if (refusal.empty()) return;
  m_names.clear();
  warn(m_file, refusal,
       m_may_replace ? ". Loops are measured again, and Kokkos::finalize "
                       "replaces the file"
                     : ". The file is ignored and stays as it is");
}

KeptChoices* KeptChoices::open_environment() {
  char const* const file = std::getenv("KOKKOSMMA_CHOICES");
  if (file == nullptr || *file == '\0') return nullptr;
  AtFinalize::add([] { of_environment()->write(); });
  int const kokkos = KokkosFunctions::all().version;
  return new KeptChoices(
      file, title(concatenate(kokkos / 10000, ".", kokkos / 100 % 100, ".",
                              kokkos % 100)));
}

std::string KeptChoices::read() {
  std::error_code error;
  if (!std::filesystem::exists(m_file, error) && !error) return {};
  m_may_replace = false;
  // Not a device, which renaming would replace, nor a pipe, which would wait.
  std::ifstream stream;
  if (std::filesystem::is_regular_file(m_file, error)) stream.open(m_file);
  if (!stream.is_open())
    return "cannot be read; KOKKOSMMA_CHOICES needs the path of a file, which "
           "may be missing";
  std::string line;
  // Some editors end lines with a carriage return and a newline.
  auto const next_line = [&] {
    bool const any = bool(std::getline(stream, line));
    if (line.ends_with('\r')) line.pop_back();
    return any;
  };
  next_line();
  bool const is_empty = line.empty() && (stream >> std::ws).eof();
  m_may_replace       = is_empty || line.starts_with(title_of_any_version);
  if (is_empty) return {};
  if (!m_may_replace)
    return concatenate("line 1 is \"", line, "\" and not \"", m_title,
                       "\": this is another kind of file; set another path");
  if (line != m_title)
    return concatenate("line 1 is \"", line, "\", and this program is \"",
                       m_title, "\"");
  for (int number = 2; next_line(); ++number) {
    if (line.empty() || line.front() == '#') continue;
    KeptLoop loop;
    std::string name;
    if (!parse_choice(line, loop, name)) {
      m_may_replace = false;
      return concatenate("line ", number, " is \"", line, "\" and not \"",
                         column_heads, "\"; correct or delete the line");
    }
    m_names[std::move(loop)] = std::move(name);
  }
  return {};
}

int KeptChoices::recall(KeptLoop const& loop,
                        std::span<std::string const> names) {
  std::lock_guard<std::mutex> const lock(m_mutex);
  auto const kept = m_names.find(loop);
  if (kept == m_names.end()) return -1;
  auto const found = std::ranges::find(names, kept->second);
  bool const known = found != names.end();
  if (environment_verbose())
    std::fprintf(stderr, "KokkosMMA: %s of %s %s %s of KOKKOSMMA_CHOICES\n",
                 loop.pattern.c_str(), loop.functor.c_str(),
                 known ? "uses" : "has no candidate", kept->second.c_str());
  return known ? int(found - names.begin()) : -1;
}

void KeptChoices::keep(KeptLoop const& loop, std::string const& name) {
  std::lock_guard<std::mutex> const lock(m_mutex);
  m_names[loop] = name;
  m_has_new     = true;
}

void KeptChoices::write() {
  std::lock_guard<std::mutex> const lock(m_mutex);
  if (!m_has_new || !m_may_replace || is_later_rank()) return;
  std::string text =
      concatenate(m_title, "\n# ", column_heads,
                  "\n# A deleted line is measured again. Lines that begin with "
                  "# are not kept.\n");
  for (auto const& [loop, name] : m_names) {
    char const* between = "";
    for (std::string const& field :
         {loop.pattern, loop.device, std::to_string(loop.size_class),
          std::to_string(loop.functor_bytes), name, loop.policy,
          loop.functor}) {
      text += between + field;
      between = field_separator.data();
    }
    text += '\n';
  }
  m_has_new = !replace_file(m_file, text, getpid());
  if (m_has_new)
    warn(m_file, "cannot be written; its folder must exist and be writable");
}

KeptLoop kept_loop(char const* pattern, CallTypes const& types,
                   CachedLaunch::Loop const& loop) {
  return {pattern,
          Cuda::device(loop.device_id).name,
          loop.size_class,
          types.functor_bytes,
          readable(types.policy),
          readable(types.functor)};
}

}  // namespace KokkosMMA::Impl
