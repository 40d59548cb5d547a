#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

/// A SIP message as text, written without the product's library so that one mistake is not made
/// twice. *Value.*
struct SipText {
    std::string startLine;
    std::vector<std::pair<std::string, std::string>> headers;  ///< long names, in order
    std::string body;

    /// Nothing when it is not a SIP message. Compact header names become long ones.
    static std::optional<SipText> parse(std::string_view text);
    /// With the Content-Length of the body in place of any other.
    std::string print() const;

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

    /// What a server answers to this request: Via, From, To with a tag, Call-ID, CSeq.
    SipText answer(int status, std::string_view phrase) const;
};

/// How many bytes of `stream` the first message takes once it is complete (RFC 3261 section 18.3);
/// nothing as long as more must come.
std::optional<std::size_t> messageLength(std::string_view stream);

/// A text that no other call of this process or of another one has returned: for branches, tags
/// and Call-IDs.
std::string uniqueToken();

}  // namespace restante::test
