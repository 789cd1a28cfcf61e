// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Zip.hpp"

#include "ExaktTool_Inflate.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

/// Records and fields as in APPNOTE.TXT of PKWARE, sections 4.3 and 4.4; names of records as there, in small letters.
namespace Exakt::Tool {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view local_header = "PK\x03\x04"sv, central_header = "PK\x01\x02"sv, end_record = "PK\x05\x06"sv,
                           zip64_end_record = "PK\x06\x06"sv, zip64_locator = "PK\x06\x07"sv;
constexpr std::size_t local_header_bytes = 30, central_header_bytes = 46, end_record_bytes = 22,
                      zip64_end_record_bytes = 56, zip64_locator_bytes = 20, longest_comment = 0xffff;

constexpr unsigned stored = 0, deflated = 8;  // methods

/// What stands in a field of 32 bits that is too short: the value is in the extra field of Zip64.
constexpr std::uint64_t elsewhere = 0xffffffff;

/// An unsigned number, little-endian. \pre The bytes are there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Member {
  std::string name;
  std::uint64_t header, compressed, bytes;  ///< where its local header is, and how long its data
  std::uint32_t checksum;
  unsigned method;
  bool is_encrypted;
};

/// The bytes of an archive by their positions.
class Archive {
 public:
  explicit Archive(Input const& input) : m_input(input), m_size(*input.size()) {}

  std::uint64_t size() const { return m_size; }

  [[noreturn]] void fail(std::uint64_t at, std::string const& what) const {
    m_input.fail("byte " + std::to_string(at) + ": " + what);
  }

  [[noreturn]] void fail_as_damaged(std::uint64_t at) const { fail(at, "the directory of the archive is damaged"); }

  std::string bytes(std::uint64_t at, std::uint64_t size) const {
    if (at > m_size || size > m_size - at) fail_as_damaged(at);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (m_input.read_at(at, reinterpret_cast<std::byte*>(bytes.data()), bytes.size()) != size)
      fail(at, "the file became shorter while it was read");
    return bytes;
  }

  std::string record(std::uint64_t at, std::string_view signature, std::uint64_t size) const {
    std::string record = bytes(at, size);
    if (!record.starts_with(signature)) fail_as_damaged(at);
    return record;
  }

 private:
  Input const& m_input;
  std::uint64_t m_size;
};

struct Directory {
  std::uint64_t begin, bytes;
};

Directory find_directory(Archive const& archive) {
  std::uint64_t const searched = std::min<std::uint64_t>(archive.size(), end_record_bytes + longest_comment);
  std::string const tail = archive.bytes(archive.size() - searched, searched);
  // The comment behind it, to the end of the file, may hold anything, even what looks like such a record.
  constexpr auto nowhere = std::string::npos;
  for (std::size_t at = tail.rfind(end_record); at != nowhere;
       at = at == 0 ? nowhere : tail.rfind(end_record, at - 1)) {
    std::size_t const left = tail.size() - at;
    if (left < end_record_bytes || left - end_record_bytes != number_at(tail, at + 20, 2)) continue;
    Directory const directory = {number_at(tail, at + 16, 4), number_at(tail, at + 12, 4)};
    std::uint64_t const end = archive.size() - left;
    if (end < zip64_locator_bytes) return directory;
    std::string const locator = archive.bytes(end - zip64_locator_bytes, zip64_locator_bytes);
    if (!locator.starts_with(zip64_locator)) return directory;
    std::string const record = archive.record(number_at(locator, 8, 8), zip64_end_record, zip64_end_record_bytes);
    return {number_at(record, 48, 8), number_at(record, 40, 8)};
  }
  archive.fail(archive.size(), "the file ends before the directory of its archive");
}

/// Takes the numbers that Zip64 keeps elsewhere from the extra field; false if they are not there.
bool read_zip64(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    std::size_t const size = number_at(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (number_at(extra, 0, 2) == 1) {
      std::size_t at = 4;
      for (std::uint64_t* const field : {&member.bytes, &member.compressed, &member.header}) {
        if (*field != elsewhere) continue;
        if (at + 8 > size + 4) return false;
        *field = number_at(extra, at, 8);
        at += 8;
      }
      return true;
    }
    extra.remove_prefix(4 + size);
  }
  return member.bytes != elsewhere && member.compressed != elsewhere && member.header != elsewhere;
}

std::vector<Member> members_of(Archive const& archive) {
  Directory const directory = find_directory(archive);
  std::string const text = archive.bytes(directory.begin, directory.bytes);
  std::vector<Member> members;
  for (std::string_view rest = text; !rest.empty();) {
    std::uint64_t const at = directory.begin + (text.size() - rest.size());
    if (rest.size() < central_header_bytes || !rest.starts_with(central_header)) archive.fail_as_damaged(at);
    std::size_t const name = number_at(rest, 28, 2), extra = number_at(rest, 30, 2), comment = number_at(rest, 32, 2);
    if (rest.size() - central_header_bytes < name + extra + comment) archive.fail_as_damaged(at);
    Member member = {std::string(rest.substr(central_header_bytes, name)),
                     number_at(rest, 42, 4),
                     number_at(rest, 20, 4),
                     number_at(rest, 24, 4),
                     static_cast<std::uint32_t>(number_at(rest, 16, 4)),
                     static_cast<unsigned>(number_at(rest, 10, 2)),
                     (number_at(rest, 8, 2) & 1) != 0};
    if (!read_zip64(rest.substr(central_header_bytes + name, extra), member)) archive.fail_as_damaged(at);
    if (!member.name.ends_with('/')) members.push_back(std::move(member));  // else a folder
    rest.remove_prefix(central_header_bytes + name + extra + comment);
  }
  return members;
}

/// As NumPy calls it.
std::string short_name(std::string const& name) {
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

std::string names_of(std::vector<Member> const& members) {
  constexpr std::size_t enough = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(members.size(), enough); ++i)
    names += (i == 0 ? "" : ", ") + short_name(members[i].name);
  return members.size() > enough ? names + " and " + std::to_string(members.size() - enough) + " more" : names;
}

Member choose(Input const& input, std::vector<Member> const& members, std::string const& wanted) {
  if (members.empty()) input.fail("is an archive without members");
  if (wanted.empty()) {
    if (members.size() > 1)
      input.fail("is an archive of " + std::to_string(members.size()) +
                 " members; take one of them, as --member NAME: " + names_of(members));
    return members.front();
  }
  for (std::string const& name : {wanted, wanted + ".npy"}) {
    auto const has_name = [&](Member const& member) { return member.name == name; };
    auto const found = std::find_if(members.begin(), members.end(), has_name);
    if (found == members.end()) continue;
    if (std::find_if(found + 1, members.end(), has_name) != members.end()) input.fail("has two members '" + name + "'");
    return *found;
  }
  input.fail("has no member '" + wanted + "'; it has " + names_of(members));
}

/// Delivers the data of a member, and checks it when its end is reached.
class Content {
 public:
  Content(Input const& input, Member const& member, std::uint64_t begin)
      : m_input(input), m_member(member), m_begin(begin) {
    if (member.method == deflated)
      m_inflate.emplace(Wrapping::none, [this](std::byte* buffer, std::size_t size) { return take(buffer, size); });
  }

  std::size_t read(std::byte* buffer, std::size_t size) {
    std::size_t const got = m_inflate ? m_inflate->read(buffer, size) : take(buffer, size);
    m_delivered += got;
    m_checksum = extend_checksum(m_checksum, buffer, got);
    bool const is_as_announced = m_delivered == m_member.bytes && m_checksum == m_member.checksum;
    if (got < size && !is_as_announced)
      throw std::runtime_error("its length or its checksum is not as the archive says: the archive is damaged");
    return got;
  }

 private:
  std::size_t take(std::byte* buffer, std::size_t size) {
    auto const left = std::min<std::uint64_t>(size, m_member.compressed - m_taken);
    std::size_t const got = m_input.read_at(m_begin + m_taken, buffer, static_cast<std::size_t>(left));
    m_taken += got;
    return got;
  }

  Input const& m_input;
  Member m_member;
  std::uint64_t m_begin;
  std::uint64_t m_taken = 0;  ///< bytes of the archive
  std::uint64_t m_delivered = 0;
  std::uint32_t m_checksum = 0;
  std::optional<Inflate> m_inflate;
};

}  // namespace

bool looks_like_zip(std::string_view head) { return head.starts_with(local_header) || head.starts_with(end_record); }

void enter_zip_member(Input& input, std::string const& wanted) {
  Archive const archive(input);
  Member const member = choose(input, members_of(archive), wanted);
  if (member.is_encrypted) input.fail(member.name + ": is encrypted, which exakt does not read");
  if (member.method != stored && member.method != deflated)
    input.fail(member.name + ": is compressed by zip's method " + std::to_string(member.method) +
               "; stored and deflated members are read");
  std::string const header = archive.record(member.header, local_header, local_header_bytes);
  std::uint64_t const begin = member.header + local_header_bytes + number_at(header, 26, 2) + number_at(header, 28, 2);
  if (begin > archive.size() || member.compressed > archive.size() - begin) archive.fail_as_damaged(member.header);
  auto content = std::make_shared<Content>(input, member, begin);
  input.enter(member.name, [content](std::byte* buffer, std::size_t size) { return content->read(buffer, size); });
}

}  // namespace Exakt::Tool
