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

/// Of the format; what begins with '{' is JSON.
constexpr char kVersion = 1;
constexpr int kMsBytes = 6;
constexpr int kLengthBytes = 4;

void appendText(std::string& out, std::string_view text)
{
    appendBigEndian(out, text.size(), kLengthBytes);
    out.append(text);
}

/// Takes a record apart from its beginning. What is not there any more reads as 0 or "", and is
/// told by whole(). *Value*, borrows the record.
class RecordReader {
public:
    explicit RecordReader(std::string_view record) : rest_(record) {}

    std::uint64_t number(std::size_t bytes)
    {
        std::uint64_t value = 0;
        for (const auto byte : take(bytes)) {
            value = value << 8U | static_cast<unsigned char>(byte);
        }
        return value;
    }
    std::string text() { return std::string(take(number(kLengthBytes))); }
    bool whole() const noexcept { return whole_ && rest_.empty(); }

private:
    std::string_view take(std::uint64_t bytes)
    {
        whole_ = whole_ && bytes <= rest_.size();
        if (!whole_) {
            return {};
        }
        const auto taken = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return taken;
    }

    std::string_view rest_;
    bool whole_ = true;
};

tl::unexpected<Error> unreadable()
{
    return failure(ErrorCode::Internal,
                   "bindings: a record in Redis cannot be read; delete its aor key");
}

Result<Binding> decodeJson(std::string_view record)
{
    try {
        const auto its = json::parse(record);
        Binding binding;
        binding.contact = its.at("contact");
        binding.instance = its.at("instance");
        binding.regId = its.at("reg_id");
        binding.q = its.at("q");
        binding.path = its.at("path").get<std::vector<std::string>>();
        binding.source = its.at("source");
        binding.flow = its.value("flow", "");
        binding.behindNat = its.at("behind_nat");
        binding.transport = its.at("transport");
        binding.callId = its.at("call_id");
        binding.cseq = its.at("cseq");
        binding.updated = fromEpochMs(its.at("updated_ms"));
        binding.expires = fromEpochMs(its.at("expires_ms"));
        return binding;
    } catch (const json::exception&) {
        return unreadable();
    }
}

}  // namespace

std::string encodeBinding(const Binding& binding)
{
    std::string out(1, kVersion);
    appendBigEndian(out, static_cast<std::uint64_t>(toEpochMs(binding.expires)), kMsBytes);
    appendBigEndian(out, static_cast<std::uint64_t>(toEpochMs(binding.updated)), kMsBytes);
    appendBigEndian(out, binding.cseq, 4);
    appendText(out, binding.callId);
    appendText(out, binding.flow);
    appendText(out, binding.agent);
    // From here on what a refresh does not change: arrive.lua tells the journal of anything else.
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
    if (reader.number(1) != kVersion) {
        return unreadable();
    }
    const auto moment = [&] {
        return fromEpochMs(static_cast<std::int64_t>(reader.number(kMsBytes)));
    };
    Binding binding;
    binding.expires = moment();
    binding.updated = moment();
    binding.cseq = static_cast<std::uint32_t>(reader.number(4));
    binding.callId = reader.text();
    binding.flow = reader.text();
    binding.agent = reader.text();
    binding.q = static_cast<std::uint32_t>(reader.number(2));
    binding.behindNat = reader.number(1) != 0;
    for (auto* text : {&binding.transport, &binding.source, &binding.contact, &binding.instance,
                       &binding.regId}) {
        *text = reader.text();
    }
    for (auto servers = reader.number(1); servers > 0; --servers) {
        binding.path.push_back(reader.text());
    }
    if (!reader.whole()) {
        return unreadable();
    }
    return binding;
}

}  // namespace restante::sip
