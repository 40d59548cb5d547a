#include "core/redis/store/job_codec.h"

#include "core/redis/store/keys.h"
#include "core/redis/store/packed_map.h"

#include <cassert>
#include <cstdint>
#include <fmt/format.h>

namespace restante::redis {

namespace {

constexpr char kVersion = 1;
/// The flags: which indexes the job is in, and whether its id is remembered.
constexpr unsigned kFindByKey = 1;
constexpr unsigned kFindBySender = 2;
constexpr unsigned kRememberId = 4;
/// A length in a record is at most 4 GiB, so its LEB128 form has at most five bytes.
constexpr int kLongestVarint = 5;

enum class Tag : char {
    ContentType = 1,
    Header = 2,
    Sender = 3,
    BizKey = 4,
    Retry = 5,
    Recurrence = 6,
    Body = 7,
};

void putVarint(std::string& out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        out.push_back(static_cast<char>(value | 0x80));
    }
    out.push_back(static_cast<char>(value));
}

void putField(std::string& out, Tag tag, std::string_view bytes)
{
    if (!bytes.empty()) {
        out.push_back(static_cast<char>(tag));
        putVarint(out, bytes.size());
        out.append(bytes);
    }
}

/// Reads a record from its front; if a piece is missing it becomes isDamaged() and returns zeros.
class RecordReader {
public:
    explicit RecordReader(std::string_view bytes) : rest_(bytes) {}

    std::uint64_t number(int bytes)
    {
        std::uint64_t value = 0;
        for (const char byte : this->bytes(static_cast<std::size_t>(bytes))) {
            value = value << 8 | static_cast<unsigned char>(byte);
        }
        return value;
    }

    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (int i = 0; i < kLongestVarint; ++i) {
            const std::uint64_t byte = number(1);
            value |= (byte & 0x7f) << (7 * i);
            if (byte < 0x80) {
                return value;
            }
        }
        isDamaged_ = true;
        return 0;
    }

    std::string_view bytes(std::size_t count)
    {
        if (isDamaged_ || count > rest_.size()) {
            isDamaged_ = true;
            return {};
        }
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    bool isAtEnd() const noexcept { return rest_.empty() || isDamaged_; }
    bool isDamaged() const noexcept { return isDamaged_; }

private:
    std::string_view rest_;
    bool isDamaged_ = false;
};

bool readHeader(std::string_view bytes, Job& job)
{
    const auto end = bytes.find('\0');
    if (end == std::string_view::npos) {
        return false;
    }
    job.headers.emplace_back(bytes.substr(0, end), bytes.substr(end + 1));
    return true;
}

bool readRetry(std::string_view bytes, Job& job)
{
    auto schedule = RetrySchedule::parse(bytes);
    if (schedule) {
        job.retry = std::move(*schedule);
    }
    return schedule.has_value();
}

bool readField(char tag, std::string_view bytes, Job& job)
{
    switch (static_cast<Tag>(tag)) {
    case Tag::ContentType: job.contentType = bytes; return true;
    case Tag::Header: return readHeader(bytes, job);
    case Tag::Sender: job.sender = bytes; return true;
    case Tag::BizKey: job.bizKey = bytes; return true;
    case Tag::Retry: return readRetry(bytes, job);
    case Tag::Recurrence: job.recurrence = bytes; return true;
    case Tag::Body: job.body = bytes; return true;
    }
    return false;
}

bool readFields(RecordReader& reader, Job& job)
{
    while (!reader.isAtEnd()) {
        const auto tag = static_cast<char>(reader.number(1));
        if (!readField(tag, reader.bytes(reader.varint()), job)) {
            return false;
        }
    }
    return !reader.isDamaged();
}

}  // namespace

void encodeRecord(const Job& job, std::string& out)
{
    const std::string lane = laneOf(job);
    assert(lane.size() <= 0xff && job.recipient.size() <= 0xffff);
    out.push_back(kVersion);
    out.push_back(static_cast<char>((job.findByKey && !job.bizKey.empty() ? kFindByKey : 0) |
                                    (job.findBySender && !job.sender.empty() ? kFindBySender : 0) |
                                    (job.rememberId ? kRememberId : 0)));
    appendBigEndian(out, static_cast<std::uint64_t>(job.ttr.count()), 4);
    appendBigEndian(out, job.expires ? static_cast<std::uint64_t>(toEpochMs(*job.expires)) : 0, 6);
    appendBigEndian(out, static_cast<std::uint64_t>(toEpochMs(job.created)), 6);
    appendBigEndian(out, lane.size(), 1);
    out.append(lane);
    appendBigEndian(out, job.recipient.size(), 2);
    out.append(job.recipient);
    putField(out, Tag::ContentType, job.contentType);
    std::string header;
    for (const auto& [name, value] : job.headers) {
        header.assign(name).append(1, '\0').append(value);
        putField(out, Tag::Header, header);
    }
    putField(out, Tag::Sender, job.sender);
    putField(out, Tag::BizKey, job.bizKey);
    if (!job.retry.empty()) {
        putField(out, Tag::Retry, job.retry.toString());
    }
    putField(out, Tag::Recurrence, job.recurrence);
    putField(out, Tag::Body, job.body);
}

std::optional<RecordSummary> summaryOf(std::string_view record)
{
    if (record.empty() || record.front() != kVersion) {
        return std::nullopt;
    }
    RecordReader reader(record);
    reader.bytes(1 + 1 + 4);  // version, flags, time to run
    RecordSummary summary;
    summary.expiresMs = static_cast<std::int64_t>(reader.number(6));
    summary.createdMs = static_cast<std::int64_t>(reader.number(6));
    const auto lane = Lane::parse(reader.bytes(reader.number(1)));
    summary.recipient = reader.bytes(reader.number(2));
    while (!reader.isAtEnd()) {
        const auto tag = static_cast<Tag>(reader.number(1));
        const auto bytes = reader.bytes(reader.varint());
        summary.sender = tag == Tag::Sender ? bytes : summary.sender;
        summary.bizKey = tag == Tag::BizKey ? bytes : summary.bizKey;
    }
    if (!lane || reader.isDamaged()) {
        return std::nullopt;
    }
    summary.channel = lane->channel;
    summary.priority = lane->priority;
    summary.topic = lane->topic;
    return summary;
}

Result<Job> decodeRecord(std::string_view id, std::string_view record)
{
    if (record.empty() || record.front() != kVersion) {
        return failure(
            ErrorCode::Internal,
            fmt::format("job {}: its record has format {}, this program knows format {}; run the "
                        "version that wrote it, or a later one",
                        id, record.empty() ? -1 : static_cast<unsigned char>(record.front()),
                        static_cast<int>(kVersion)));
    }
    RecordReader reader(record);
    reader.bytes(1);
    const auto flags = reader.number(1);
    Job job;
    job.findByKey = (flags & kFindByKey) != 0;
    job.findBySender = (flags & kFindBySender) != 0;
    job.rememberId = (flags & kRememberId) != 0;
    job.id = id;
    job.ttr = Millis{static_cast<std::int64_t>(reader.number(4))};
    if (const auto expires = static_cast<std::int64_t>(reader.number(6)); expires != 0) {
        job.expires = fromEpochMs(expires);
    }
    job.created = fromEpochMs(static_cast<std::int64_t>(reader.number(6)));
    const auto lane = Lane::parse(reader.bytes(reader.number(1)));
    job.recipient = reader.bytes(reader.number(2));
    if (!lane || !readFields(reader, job)) {
        return failure(ErrorCode::Internal,
                       fmt::format("job {}: its record is damaged; purge it", id));
    }
    // The index has no empty keys.
    job.findByKey = job.findByKey && !job.bizKey.empty();
    job.findBySender = job.findBySender && !job.sender.empty();
    job.channel = lane->channel;
    job.priority = lane->priority;
    job.topic = lane->topic;
    return job;
}

}  // namespace restante::redis
