#include "sipplugin/auth/digest.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace restante::sip {

namespace {

constexpr std::string_view kScheme = "Digest";
constexpr std::string_view kBlank = " \t\r\n";
/// RFC 7616 defines twelve; the limit leaves room for extensions.
constexpr std::size_t kMostFields = 24;

/// Reads a text piece by piece.
class Reader {
public:
    explicit Reader(std::string_view text) : remaining_(text) {}

    void skipBlanks()
    {
        remaining_.remove_prefix(std::min(remaining_.find_first_not_of(kBlank), remaining_.size()));
    }
    bool atEnd() const noexcept { return remaining_.empty(); }
    bool take(char wanted)
    {
        if (remaining_.empty() || remaining_.front() != wanted) {
            return false;
        }
        remaining_.remove_prefix(1);
        return true;
    }
    std::string_view takeToken()
    {
        const auto end = std::min(remaining_.find_first_of(" \t\r\n,=\""), remaining_.size());
        const auto word = remaining_.substr(0, end);
        remaining_.remove_prefix(end);
        return word;
    }
    /// The text up to the closing quote; the opening one has been taken. Nothing without a closing
    /// quote.
    std::optional<std::string> takeUntilQuote()
    {
        std::string text;
        while (!remaining_.empty()) {
            const char c = remaining_.front();
            remaining_.remove_prefix(1);
            if (c == '"') {
                return text;
            }
            if (c == '\\') {
                if (remaining_.empty()) {
                    break;
                }
                text += remaining_.front();
                remaining_.remove_prefix(1);
            } else {
                text += c;
            }
        }
        return std::nullopt;
    }

private:
    std::string_view remaining_;
};

/// Control characters would end up in logs and in the hash input.
bool hasNoControlCharacters(std::string_view text)
{
    return std::ranges::none_of(
        text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

tl::unexpected<Error> refused(std::string_view why)
{
    return invalid("Authorization: {}", why);
}

}  // namespace

bool isDigest(std::string_view header) noexcept
{
    return header.size() > kScheme.size() && startsWithIgnoringCase(header, kScheme) &&
           kBlank.find(header[kScheme.size()]) != std::string_view::npos;
}

Result<DigestFields> DigestFields::parse(std::string_view header)
{
    if (!isDigest(header)) {
        return invalid("the scheme is not Digest");
    }
    DigestFields parsed;
    Reader reader(header.substr(kScheme.size()));
    for (reader.skipBlanks(); !reader.atEnd(); reader.skipBlanks()) {
        if (reader.take(',')) {
            continue;  // an empty element (RFC 7230 section 7)
        }
        auto name = lowered(reader.takeToken());
        reader.skipBlanks();
        if (name.empty() || !reader.take('=')) {
            return invalid("a Digest parameter is not of the form name=value");
        }
        reader.skipBlanks();
        const auto value = reader.take('"') ? reader.takeUntilQuote()
                                            : std::optional{std::string{reader.takeToken()}};
        reader.skipBlanks();
        if (!value || !hasNoControlCharacters(*value) || (!reader.atEnd() && !reader.take(','))) {
            return invalid("the value of a Digest parameter cannot be read");
        }
        if (parsed.find(name) != nullptr) {
            return invalid("a Digest parameter stands twice");
        }
        if (parsed.fields_.size() == kMostFields) {
            return invalid("there are too many Digest parameters");
        }
        parsed.fields_.emplace_back(std::move(name), *value);
    }
    return parsed;
}

const std::string* DigestFields::find(std::string_view name) const noexcept
{
    const auto found =
        std::ranges::find_if(fields_, [&](const auto& field) { return field.first == name; });
    return found == fields_.end() ? nullptr : &found->second;
}

std::string_view DigestFields::value(std::string_view name) const noexcept
{
    const auto* found = find(name);
    return found != nullptr ? std::string_view{*found} : std::string_view{};
}

std::string quotedString(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + '"';
}

Result<DigestCredentials> DigestCredentials::read(const DigestFields& fields)
{
    for (const auto* needed : {"username", "realm", "nonce", "uri", "response", "cnonce", "nc"}) {
        if (fields.value(needed).empty()) {
            return refused(fmt::format("{} is missing", needed));
        }
    }
    if (!equalIgnoringCase(fields.value("qop"), "auth")) {
        return refused("qop is not auth");
    }
    if (equalIgnoringCase(fields.value("userhash"), "true")) {
        return refused("userhash was not offered");
    }
    DigestCredentials credentials;
    if (const auto* text = fields.find("algorithm")) {
        const auto algorithm = hashAlgorithmNamed(*text);
        if (!algorithm) {
            return refused("algorithm is neither SHA-256 nor MD5");
        }
        credentials.algorithm = *algorithm;
    }
    credentials.user = fields.value("username");
    credentials.realm = fields.value("realm");
    credentials.nonce = fields.value("nonce");
    credentials.uri = fields.value("uri");
    credentials.cnonce = fields.value("cnonce");
    credentials.response = lowered(fields.value("response"));
    credentials.nc = fields.value("nc");
    const auto& response = credentials.response;
    if (response.size() != hexLength(credentials.algorithm) || !isHex(response)) {
        return refused("response has not the hex digits of its algorithm");
    }
    const auto& count = credentials.nc;
    credentials.nonceCount = wholeNumber<std::uint32_t>(count, 16).value_or(0);
    if (count.size() != 8 || credentials.nonceCount == 0) {
        return refused("nc is not eight hex digits from 00000001");
    }
    return credentials;
}

std::string responseOf(HashAlgorithm algorithm, std::string_view ha1, const DigestInput& input)
{
    const auto ha2 = hexHash(algorithm, fmt::format("{}:{}", input.method, input.uri));
    const auto middle = input.nc.empty()
                            ? std::string{input.nonce}
                            : fmt::format("{}:{}:{}:auth", input.nonce, input.nc, input.cnonce);
    return hexHash(algorithm, fmt::format("{}:{}:{}", ha1, middle, ha2));
}

}  // namespace restante::sip
