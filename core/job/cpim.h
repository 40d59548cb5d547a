#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante {

inline constexpr std::string_view kCpimType = "message/cpim";

/// The namespace of IMDN's headers (RFC 5438 section 6).
inline constexpr std::string_view kImdnNamespace = "urn:ietf:params:imdn";

/// Whether the text can stand in one header line: it has no CR, LF, NUL or other control character
/// but tabs.
bool isPrintableLine(std::string_view text) noexcept;

/// A message/cpim body taken apart (RFC 3862): header block, empty line, MIME headers of the
/// content, empty line, content. *Value* that borrows: valid while the body lives.
class CpimMessage {
public:
    /// Nothing when the body has another form. Lines may end in CRLF or LF alone.
    static std::optional<CpimMessage> parse(std::string_view body);

    /// The first header of that name in that namespace, trimmed and otherwise as written; an empty
    /// namespace is CPIM's own. The sender chooses the prefix (`NS: imdn <urn:...>`); `imdn.` means
    /// IMDN also without a declaration. Names are compared with their case (section 2).
    std::optional<std::string_view> header(std::string_view namespaceUri,
                                           std::string_view name) const;
    std::vector<std::string_view> headers(std::string_view namespaceUri,
                                          std::string_view name) const;

    /// A MIME header of the content, compared without case.
    std::optional<std::string_view> contentHeader(std::string_view name) const;
    std::string_view content() const noexcept { return content_; }

private:
    struct Header {
        std::string_view prefix;  ///< empty = none
        std::string_view name;
        std::string_view value;
    };
    std::string_view namespaceOf(const Header& header) const;

    std::vector<Header> headers_;
    std::vector<std::pair<std::string_view, std::string_view>> namespaces_;  ///< prefix, URI
    std::vector<Header> contentHeaders_;
    std::string_view content_;
};

/// The parts that formatCpim() prints: header lines as given, then the content with its MIME
/// headers. Each value must be one line, as the values of a CpimMessage are. *Pure function.*
struct CpimParts {
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::pair<std::string, std::string>> contentHeaders;
    std::string content;
};
std::string formatCpim(const CpimParts& parts);

/// The URI of a CPIM address, "Bob <im:bob@example.com>", or the text itself without brackets.
std::string_view uriOfCpimAddress(std::string_view address);

/// "type/subtype" of a Content-Type, without its parameters.
std::string_view mediaType(std::string_view contentType);

}  // namespace restante
