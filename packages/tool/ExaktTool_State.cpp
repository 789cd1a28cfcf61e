// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Input.hpp"
#include "ExaktTool_Total.hpp"

#include <Exakt_Serialization.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <stdexcept>

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

std::vector<std::byte> from_hex(std::string const& text) {
  std::vector<std::byte> bytes(text.size() / 2);
  char const* p = text.data();
  for (auto& byte : bytes) {
    unsigned char value = 0;
    auto const [end, error] = std::from_chars(p, p + 2, value, 16);
    if (error != std::errc() || end != p + 2) throw std::invalid_argument("its sum is not hexadecimal");
    byte = static_cast<std::byte>(value);
    p = end;
  }
  return bytes;
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
  if (!verb || *verb == Verb::merge || *verb == Verb::demo)
    throw std::invalid_argument("its command '" + text + "' leaves no state");
  return *verb;
}

std::string read_all(std::string const& path) {
  constexpr std::size_t largest = 1 << 16;
  Input input(path);
  auto const bytes = input.peek(largest);
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
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
  Total total{summing_verb(object.at("command")), object.at("count"), {}};
  auto const bytes = from_hex(object.at("sum"));
  if (total.verb == Verb::sum || total.verb == Verb::mean)
    total.exact = from_bytes<Sum>(bytes.data(), bytes.size());
  else
    total.exact = from_bytes<Dot>(bytes.data(), bytes.size());
  return total;
}

}  // namespace

void save_state(Total const& total, std::string const& path) {
  Json object;
  object["exakt_state"] = state_version;
  object["command"] = name(total.verb);
  object["count"] = total.count;
  object["sum"] = std::visit([](auto const& exact) { return to_hex(to_bytes(exact)); }, total.exact);
  object["checksum"] = checksum(object.dump());
  std::string const text = object.dump(2) + "\n";

  auto const fail = [&] { throw Failure(path + ": cannot save the state: " + std::strerror(errno)); };
  // Written beside and then renamed, so that a full disk never leaves half a state under the name.
  std::string const unfinished = path + ".part";
  std::FILE* const file = std::fopen(unfinished.c_str(), "wb");
  if (file == nullptr) fail();
  bool const written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    int const error = errno;
    ::unlink(unfinished.c_str());
    errno = error;
    fail();
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
  Total total = load_state(options.files.front());
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    Total const other = load_state(options.files[i]);
    if (other.verb != total.verb)
      throw Failure(options.files[i] + ": is a state of exakt " + name(other.verb) + ", but " + options.files.front() +
                    " is one of exakt " + name(total.verb));
    std::visit([&](auto& exact) { exact += std::get<std::decay_t<decltype(exact)>>(other.exact); }, total.exact);
    total.count += other.count;
  }
  return total;
}

}  // namespace Exakt::Tool
