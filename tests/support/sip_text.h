#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

/// A SIP message as text. Does not use the product's library, so that no mistake is shared.
/// *Value.*
struct SipText {
    std::string startLine;
    std::vector<std::pair<std::string, std::string>> headers;  ///< long names, in order
    std::string body;

    /// Nothing when it is not a SIP message. Compact header names become long ones.
    static std::optional<SipText> parse(std::string_view text);
    /// The message with the Content-Length of its body, whatever the headers say.
    std::string toString() const;

    int status() const;          ///< 0 for a request
    std::string method() const;  ///< of a request, empty for a response
    std::string requestUri() const;
    /// The first header of that name, or the empty text.
    std::string header(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;
    bool has(std::string_view name) const;
    /// Replaces the first header of that name or adds one.
    SipText& set(std::string_view name, std::string value);
    SipText& remove(std::string_view name);
    std::string branch() const;  ///< of the top Via

    /// A server's answer to this request: with Via, From, To with a tag, Call-ID, CSeq.
    SipText answer(int status, std::string_view phrase) const;
};

/// The length of the first message in `stream` (RFC 3261 section 18.3); nothing while it is
/// incomplete.
std::optional<std::size_t> messageLength(std::string_view stream);

/// A text that is unique among all processes: for branches, tags and Call-IDs.
std::string uniqueToken();

}  // namespace restante::test
