// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Decimal.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Input.hpp"
#include "ExaktTool_Total.hpp"

#include <Exakt_Serialization.hpp>
#include <summation/Exakt_Moments.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Exakt::Tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int state_version = 1;

std::string to_hex(std::vector<std::byte> const& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (auto const byte : bytes)
    text += {digits[static_cast<unsigned>(byte) >> 4], digits[static_cast<unsigned>(byte) & 15]};
  return text;
}

template <class Accumulator>
Accumulator from_hex(std::string const& text) {
  if (text.size() % 2 != 0) throw std::invalid_argument("its sum has an odd number of hexadecimal digits");
  std::vector<std::byte> bytes(text.size() / 2);
  char const* p = text.data();
  for (auto& byte : bytes) {
    unsigned char value = 0;
    auto const [end, error] = std::from_chars(p, p + 2, value, 16);
    if (error != std::errc() || end != p + 2) throw std::invalid_argument("its sum is not hexadecimal");
    byte = static_cast<std::byte>(value);
    p = end;
  }
  return from_bytes<Accumulator>(bytes.data(), bytes.size());
}

/// FNV-1a (Fowler, Noll, Vo): tells a damaged file from a whole one, not a forged one.
std::string checksum(std::string const& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char const c : text) hash = (hash ^ c) * 0x100000001b3u;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

Verb summing_verb(std::string const& text) {
  auto const verb = verb_from_name(text);
  if (!verb || *verb == Verb::merge || has_no_inputs(*verb))
    throw std::invalid_argument("its command '" + text + "' leaves no state");
  return *verb;
}

bool is_decimal(Total const& total) { return std::holds_alternative<GrowingSum>(total.exact); }

std::string read_all(std::string const& path) {
  constexpr std::size_t largest = 1 << 16;
  Input input(path);
  auto const bytes = input.peek(largest);
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

Json state_of(Total const& total) {
  Json object;
  object["exakt_state"] = state_version;
  object["command"] = name(total.verb);
  object["count"] = total.count;
  if (auto const* decimal = std::get_if<GrowingSum>(&total.exact)) {
    object["decimal"] = decimal_text(*decimal);
  } else if (auto const* moments = std::get_if<Moments>(&total.exact)) {
    object["sum"] = to_hex(to_bytes(moments->sum));
    object["squares"] = to_hex(to_bytes(moments->squares));
  } else if (auto const* sum = std::get_if<Sum>(&total.exact)) {
    object["sum"] = to_hex(to_bytes(*sum));
  } else {
    object["sum"] = to_hex(to_bytes(std::get<Dot>(total.exact)));
  }
  object["checksum"] = checksum(object.dump());
  return object;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  return text;
}

Dot parse_squares(Json const& hex) {
  Dot const squares = from_hex<Dot>(hex);
  auto const value = squares.normalized();
  if (value.special() == Impl::Special::negative_infinity || value.magnitude().negative)
    throw std::invalid_argument("no numbers have these squares");
  return squares;
}

/// No numbers have n times the sum of their squares below the square of their sum.
Moments parse_moments(Json const& object, std::uint64_t count) {
  Moments const moments{from_hex<Sum>(object.at("sum")), parse_squares(object.at("squares"))};
  auto const sum = moments.sum.normalized();
  auto const squares = moments.squares.normalized();
  bool const is_finite = sum.special() == Impl::Special::none && squares.special() == Impl::Special::none;
  if (is_finite && Impl::scaled_covariance(sum, sum, squares, count).normalized().magnitude().negative)
    throw std::invalid_argument("no numbers have this sum and these squares");
  return moments;
}

Total parse_state(std::string const& text) {
  Json object = Json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("exakt_state")) throw std::invalid_argument("it does not look like one");
  if (object["exakt_state"] != state_version)
    throw std::invalid_argument("its version is " + object["exakt_state"].dump() + ", this program knows version " +
                                std::to_string(state_version));
  Json const stated = object.value("checksum", Json());
  object.erase("checksum");
  if (stated != checksum(object.dump()))
    throw std::invalid_argument("it is damaged: its checksum does not fit its content");
  Json const& count = object.at("count");
  if (count.is_number() && !count.is_number_unsigned())
    throw std::invalid_argument("its count, " + count.dump() + ", is not a whole number from 0");
  Total total{summing_verb(object.at("command")), count, {}, 0};
  bool const is_sum = total.verb == Verb::sum || total.verb == Verb::mean;
  if (is_sum && object.contains("decimal"))
    total.exact = sum_from_decimal_text(object.at("decimal"));
  else if (is_sum)
    total.exact = from_hex<Sum>(object.at("sum"));
  else if (total.verb == Verb::var || total.verb == Verb::stddev)
    total.exact = parse_moments(object, total.count);
  else if (total.verb == Verb::nrm2)
    total.exact = parse_squares(object.at("sum"));
  else
    total.exact = from_hex<Dot>(object.at("sum"));
  bool const is_empty =
      std::visit([](auto const& exact) { return exact == std::decay_t<decltype(exact)>(); }, total.exact);
  if (total.count == 0 && !is_empty) throw std::invalid_argument("it has a sum of 0 numbers that is not 0");
  // Equal totals are saved as equal texts: entries of other programs, entries given twice and other spellings are not
  // of this one. White space may differ.
  if (without_blanks(text) != state_of(total).dump())
    throw std::invalid_argument("it is not what this program writes for its content");
  return total;
}

[[noreturn]] void fail_to_save(std::string const& path, std::string const& why) {
  throw Failure(path + ": cannot save the state: " + why);
}

/// The file behind symbolic links, even if it is not there yet, so that renaming does not replace a link.
std::filesystem::path target_of(std::filesystem::path target) {
  constexpr int most_links = 40;  // of Linux, which reports more as a loop
  std::error_code error;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(target, error); ++i)
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  return target;
}

/// Whether the shell has opened this file there.
bool is_open_as(std::string const& path, int descriptor) {
  struct stat file {};
  struct stat other {};
  bool const are_known = ::stat(path.c_str(), &file) == 0 && ::fstat(descriptor, &other) == 0;
  return are_known && file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

bool is_input(std::string const& path, std::string const& input) {
  std::error_code error;
  return input == "-" ? is_open_as(path, STDIN_FILENO) : std::filesystem::equivalent(path, input, error);
}

/// \brief Creates a file beside the target. Its name is short, since that of the target may be as long as names can be.
/// \return Its descriptor, or -1.
int create_beside(std::filesystem::path const& target, std::string& name) {
  for (auto number = static_cast<unsigned>(::getpid());; ++number) {
    name = (target.parent_path() / ("exakt.part" + std::to_string(number))).string();
    int const descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    // A file that happens to be there is not touched: another machine may have the same process number.
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

/// While there is one, a write to a pipe that nobody reads fails; the signal that ends the process comes when it goes.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &signals, &m_found);
  }
  ~NoBrokenPipe() { ::pthread_sigmask(SIG_SETMASK, &m_found, nullptr); }
  NoBrokenPipe(NoBrokenPipe const&) = delete;
  NoBrokenPipe& operator=(NoBrokenPipe const&) = delete;

 private:
  sigset_t m_found;
};

}  // namespace

void check_state_can_be_saved(Options const& options) {
  namespace fs = std::filesystem;
  std::string const& path = options.state;
  if (path == "-") fail_to_save(path, "standard output is for the answer; ./- is a file");
  std::error_code error;
  auto const there = fs::status(path, error);
  if (there.type() == fs::file_type::none) fail_to_save(path, error.message());
  if (fs::is_directory(there)) fail_to_save(path, std::strerror(EISDIR));
  if (fs::exists(there) && !fs::is_regular_file(there)) fail_to_save(path, "it is there, and not a regular file");
  auto const folder = target_of(path).parent_path() / ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_to_save(path, std::strerror(errno));
  // Renamed, the state would take the name from what is printed there.
  if (is_open_as(path, STDOUT_FILENO)) fail_to_save(path, "it is what standard output goes to");
  if (is_open_as(path, STDERR_FILENO)) fail_to_save(path, "it is what standard error goes to");
  // A merge may replace one of its states by their sum; files with numbers would be lost.
  if (options.verb == Verb::merge) return;
  for (auto const& file : options.files)
    if (is_input(path, file)) fail_to_save(path, "it is a file with numbers to be read");
}

void save_state(Total const& total, std::string const& path, std::function<void()> const& print_answer) {
  std::string const text = state_of(total).dump(2) + "\n";
  auto const target = target_of(path);
  // Written beside and then renamed, so that a full disk never leaves half a state under the name.
  std::string unfinished;
  int const descriptor = create_beside(target, unfinished);
  if (descriptor < 0) fail_to_save(path, std::strerror(errno));
  NoBrokenPipe const while_unfinished;
  try {
    std::FILE* const file = ::fdopen(descriptor, "wb");
    bool const written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    bool const closed = file != nullptr ? std::fclose(file) == 0 : ::close(descriptor) == 0;
    if (!written || !closed) fail_to_save(path, std::strerror(errno));
    print_answer();
    if (std::rename(unfinished.c_str(), target.c_str()) != 0) fail_to_save(path, std::strerror(errno));
  } catch (...) {
    ::unlink(unfinished.c_str());
    throw;
  }
}

Total load_state(std::string const& path) {
  std::string const text = read_all(path);
  try {
    return parse_state(text);
  } catch (std::invalid_argument const& error) {
    throw Failure(path + ": is not a usable state of exakt: " + error.what());
  } catch (nlohmann::json::exception const&) {
    throw Failure(path + ": is not a usable state of exakt: an entry is missing or of the wrong type");
  }
}

Total total_of_states(Options const& options) {
  auto const load = [&](std::string const& file) {
    Total state = load_state(file);
    if (options.decimal && !is_decimal(state))
      throw Failure(file + ": is a state of binary numbers; --decimal is for those that --decimal has saved");
    return state;
  };
  Total total = load(options.files.front());
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    Total const other = load(options.files[i]);
    if (other.verb != total.verb)
      throw Failure(options.files[i] + ": is a state of exakt " + name(other.verb) + ", but " + options.files.front() +
                    " is one of exakt " + name(total.verb));
    if (is_decimal(other) != is_decimal(total))
      throw Failure(options.files[i] + ": is a state of " + (is_decimal(other) ? "decimal" : "binary") +
                    " numbers, but " + options.files.front() + " is one of " +
                    (is_decimal(total) ? "decimal" : "binary") + " ones");
    std::visit([&](auto& exact) { exact += std::get<std::decay_t<decltype(exact)>>(other.exact); }, total.exact);
    if (other.count > std::numeric_limits<std::uint64_t>::max() - total.count)
      throw Failure(options.files[i] + ": the counts of the states are larger together than can be counted");
    total.count += other.count;
  }
  return total;
}

}  // namespace Exakt::Tool
