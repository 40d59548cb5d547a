#include "core/redis/store/packed_map.h"

namespace restante::redis {

namespace {

// The formats of MessagePack that are written here (github.com/msgpack/msgpack, spec.md).
constexpr char kFixMap = '\x80';
constexpr char kFixText = '\xa0';
constexpr char kText8 = '\xd9';
constexpr char kText16 = '\xda';
constexpr char kText32 = '\xdb';
constexpr char kTrue = '\xc3';
constexpr char kNumber64 = '\xcf';
constexpr std::size_t kLongestFixText = 31;

}  // namespace

void appendBigEndian(std::string& out, std::uint64_t value, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        out += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xFFU);
    }
}

void PackedMap::addText(std::string_view text)
{
    if (text.size() <= kLongestFixText) {
        entries_ += static_cast<char>(static_cast<unsigned char>(kFixText) | text.size());
    } else if (text.size() <= 0xFF) {
        entries_ += kText8;
        appendBigEndian(entries_, text.size(), 1);
    } else if (text.size() <= 0xFFFF) {
        entries_ += kText16;
        appendBigEndian(entries_, text.size(), 2);
    } else {
        entries_ += kText32;
        appendBigEndian(entries_, text.size(), 4);
    }
    entries_.append(text);
}

PackedMap& PackedMap::add(std::string_view name, std::string_view text)
{
    ++count_;
    addText(name);
    addText(text);
    return *this;
}

PackedMap& PackedMap::add(std::string_view name, std::uint64_t number)
{
    ++count_;
    addText(name);
    entries_ += kNumber64;
    appendBigEndian(entries_, number, 8);
    return *this;
}

PackedMap& PackedMap::addIf(std::string_view name, bool value)
{
    if (value) {
        ++count_;
        addText(name);
        entries_ += kTrue;
    }
    return *this;
}

std::string PackedMap::bytes() const
{
    return count_ == 0 ? std::string()
                       : static_cast<char>(static_cast<unsigned char>(kFixMap) | count_) + entries_;
}

std::string packActor(std::string_view actor, std::string_view reason)
{
    return actor.empty() ? std::string() : PackedMap().add("by", actor).add("why", reason).bytes();
}

}  // namespace restante::redis
