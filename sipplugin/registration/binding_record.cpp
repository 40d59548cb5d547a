#include "sipplugin/registration/binding_record.h"

#include "core/redis/store/packed_map.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace restante::sip {

namespace {

using nlohmann::json;
using redis::appendBigEndian;

/// The first byte of the format; a record that begins with '{' is JSON.
constexpr char kFormatVersion = 1;
constexpr int kTimeBytes = 6;
constexpr int kLengthBytes = 4;

void appendText(std::string& out, std::string_view text)
{
    appendBigEndian(out, text.size(), kLengthBytes);
    out.append(text);
}

/// Reads the fields of a record in order. Past its end fields read as 0 or "", and isComplete() is
/// false. *Value*, borrows the record.
class RecordReader {
public:
    explicit RecordReader(std::string_view record) : remaining_(record) {}

    std::uint64_t takeNumber(std::size_t bytes)
    {
        std::uint64_t value = 0;
        for (const auto byte : take(bytes)) {
            value = value << 8U | static_cast<unsigned char>(byte);
        }
        return value;
    }
    std::string takeText() { return std::string(take(takeNumber(kLengthBytes))); }
    bool isComplete() const noexcept { return isComplete_ && remaining_.empty(); }

private:
    std::string_view take(std::uint64_t bytes)
    {
        isComplete_ = isComplete_ && bytes <= remaining_.size();
        if (!isComplete_) {
            return {};
        }
        const auto taken = remaining_.substr(0, bytes);
        remaining_.remove_prefix(bytes);
        return taken;
    }

    std::string_view remaining_;
    bool isComplete_ = true;
};

tl::unexpected<Error> unreadable()
{
    return failure(ErrorCode::Internal,
                   "bindings: a record in Redis cannot be read; delete its aor key");
}

Result<Binding> decodeJson(std::string_view record)
{
    try {
        const auto fields = json::parse(record);
        Binding binding;
        binding.contact = fields.at("contact");
        binding.instance = fields.at("instance");
        binding.regId = fields.at("reg_id");
        binding.q = fields.at("q");
        binding.path = fields.at("path").get<std::vector<std::string>>();
        binding.source = fields.at("source");
        binding.flow = fields.value("flow", "");
        binding.behindNat = fields.at("behind_nat");
        binding.transport = fields.at("transport");
        binding.callId = fields.at("call_id");
        binding.cseq = fields.at("cseq");
        binding.updated = fromEpochMs(fields.at("updated_ms"));
        binding.expires = fromEpochMs(fields.at("expires_ms"));
        return binding;
    } catch (const json::exception&) {
        return unreadable();
    }
}

}  // namespace

std::string encodeBinding(const Binding& binding)
{
    std::string out(1, kFormatVersion);
    appendBigEndian(out, static_cast<std::uint64_t>(toEpochMs(binding.expires)), kTimeBytes);
    appendBigEndian(out, static_cast<std::uint64_t>(toEpochMs(binding.updated)), kTimeBytes);
    appendBigEndian(out, binding.cseq, 4);
    appendText(out, binding.callId);
    appendText(out, binding.flow);
    appendText(out, binding.agent);
    // From here on, fields that a refresh does not change: arrive.lua compares them to decide
    // whether to tell the journal.
    appendBigEndian(out, binding.q, 2);
    appendBigEndian(out, binding.behindNat ? 1 : 0, 1);
    for (const auto* text : {&binding.transport, &binding.source, &binding.contact,
                             &binding.instance, &binding.regId}) {
        appendText(out, *text);
    }
    appendBigEndian(out, binding.path.size(), 1);
    for (const auto& server : binding.path) {
        appendText(out, server);
    }
    return out;
}

Result<Binding> decodeBinding(std::string_view record)
{
    if (record.starts_with('{')) {
        return decodeJson(record);
    }
    RecordReader reader(record);
    if (reader.takeNumber(1) != kFormatVersion) {
        return unreadable();
    }
    const auto readTime = [&] {
        return fromEpochMs(static_cast<std::int64_t>(reader.takeNumber(kTimeBytes)));
    };
    Binding binding;
    binding.expires = readTime();
    binding.updated = readTime();
    binding.cseq = static_cast<std::uint32_t>(reader.takeNumber(4));
    binding.callId = reader.takeText();
    binding.flow = reader.takeText();
    binding.agent = reader.takeText();
    binding.q = static_cast<std::uint32_t>(reader.takeNumber(2));
    binding.behindNat = reader.takeNumber(1) != 0;
    for (auto* text : {&binding.transport, &binding.source, &binding.contact, &binding.instance,
                       &binding.regId}) {
        *text = reader.takeText();
    }
    for (auto servers = reader.takeNumber(1); servers > 0; --servers) {
        binding.path.push_back(reader.takeText());
    }
    if (!reader.isComplete()) {
        return unreadable();
    }
    return binding;
}

}  // namespace restante::sip
