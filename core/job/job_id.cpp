#include "core/job/job_id.h"

#include <algorithm>
#include <array>
#include <random>
#include <zlib.h>

namespace restante {

namespace {

constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kLongestId = 128;
constexpr std::size_t kTimeChars = 10;
constexpr std::size_t kShardChars = 4;
constexpr std::size_t kRandomChars = 11;
constexpr std::size_t kPrefixChars = kTimeChars + kShardChars + kRandomChars;
constexpr std::uint32_t kIdsPerPrefix = 16;
constexpr std::uint64_t kRandomEnd = std::uint64_t{1} << (5 * kRandomChars);
/// A prefix is used for so long, so the time in an id may be older than the id by as much.
constexpr Millis kLongestPrefixAge{1'000};

void appendBase32(std::string& text, std::uint64_t number, std::size_t chars)
{
    for (auto shift = 5 * chars; shift > 0; shift -= 5) {
        text += kCrockford[(number >> (shift - 5)) & 31U];
    }
}

constexpr std::uint8_t kNotADigit = 0xff;

/// The value of each character in base 32.
constexpr auto kDigitValues = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNotADigit);
    for (std::uint8_t i = 0; i < kCrockford.size(); ++i) {
        digits[static_cast<unsigned char>(kCrockford[i])] = i;
    }
    return digits;
}();

std::uint8_t digitOf(char c) noexcept
{
    return kDigitValues[static_cast<unsigned char>(c)];
}

bool hasGeneratedShape(std::string_view id) noexcept
{
    return id.size() == kPrefixChars + 1 &&
           std::ranges::all_of(id, [](char c) { return digitOf(c) != kNotADigit; }) &&
           digitOf(id.back()) < kIdsPerPrefix;
}

/// The shard number in an id of the generated shape.
std::uint32_t shardIn(std::string_view id) noexcept
{
    std::uint32_t shard = 0;
    for (const char c : id.substr(kTimeChars, kShardChars)) {
        shard = shard * 32 + digitOf(c);
    }
    return shard;
}

std::uint32_t hashShard(std::string_view text, std::uint32_t shards) noexcept
{
    const auto* bytes = reinterpret_cast<const Bytef*>(text.data());
    return static_cast<std::uint32_t>(crc32_z(0, bytes, text.size())) % shards;
}

std::uint64_t systemRandom()
{
    static thread_local std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

}  // namespace

Result<std::string> checkedJobId(std::string_view id)
{
    const auto isAllowed = [](char c) { return c > ' ' && c < '\x7f'; };
    if (id.empty() || id.size() > kLongestId || !std::ranges::all_of(id, isAllowed)) {
        return invalidField(
            "id", "is 1-128 printable ASCII characters without space or control characters");
    }
    return std::string{id};
}

std::uint32_t shardOfId(std::string_view id, std::uint32_t shards) noexcept
{
    // A caller's id may have this shape by chance, with any number in it.
    return hasGeneratedShape(id) ? shardIn(id) % shards : hashShard(id, shards);
}

bool mayBeCallersId(std::string_view id, std::uint32_t shards) noexcept
{
    return !hasGeneratedShape(id) || shardIn(id) >= shards;
}

std::uint32_t shardOfMailbox(std::string_view recipient, std::uint32_t shards) noexcept
{
    return hashShard(recipient, shards);
}

JobIdGenerator::JobIdGenerator(const Clock& clock, std::function<std::uint64_t()> random)
    : clock_(clock),
      random_(random ? std::move(random) : systemRandom)
{
}

std::string JobIdGenerator::generate(std::uint32_t shard)
{
    if (shard >= prefixes_.size()) {
        prefixes_.resize(shard + 1);
    }
    auto& prefix = prefixes_[shard];
    const auto now = clock_.now();
    if (prefix.idsUsed == kIdsPerPrefix || now - prefix.time >= kLongestPrefixAge) {
        renewPrefix(prefix, shard, now);
    }
    return prefix.text + kCrockford[prefix.idsUsed++];
}

void JobIdGenerator::renewPrefix(Prefix& prefix, std::uint32_t shard, TimePoint now)
{
    if (now > prefix.time) {
        prefix.time = now;
        prefix.random = random_() % kRandomEnd;
    } else {
        // Within one millisecond the random part determines the order: it grows by a random step,
        // so that two generators do not make the same ids.
        prefix.random += 1 + (random_() & 0xFFFF'FFFFU);
        if (prefix.random >= kRandomEnd) {
            prefix.time += Millis{1};
            prefix.random %= kRandomEnd;
        }
    }
    prefix.text.clear();
    appendBase32(prefix.text, static_cast<std::uint64_t>(toEpochMs(prefix.time)), kTimeChars);
    appendBase32(prefix.text, shard, kShardChars);
    appendBase32(prefix.text, prefix.random, kRandomChars);
    prefix.idsUsed = 0;
}

}  // namespace restante
