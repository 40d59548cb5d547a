#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante {

/// A body for display: the message inside a message/cpim, the parts of a multipart, or anything
/// else as one part. *Value.*
struct MessageText {
    struct Part {
        std::string type;      ///< "text/plain", in lower case; empty = unknown
        std::string charset;   ///< as named, or "UTF-8"
        std::string fileName;  ///< given by the sender, or empty
        std::string bytes;     ///< without its transfer encoding
        bool complete = true;  ///< false: the body that was read ends within it

        /// By its type; without a type, by its bytes.
        bool isText() const;
        /// By its type; without a type, by its first character: an object or an array.
        bool isJson() const;
    };
    /// From, To, DateTime and Subject of the CPIM wrapper, as far as it has them.
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<Part> parts = {};
};

/// Reads a body of `size` bytes, of which `begin` is the beginning or all. A malformed body stays
/// one part. Nested multiparts are split to a depth of four, into at most 32 parts. *Pure
/// function.*
MessageText readMessage(std::string_view contentType, std::string_view begin, std::uint64_t size);

/// The part to show first: the first text, else the first part; null = there is none.
const MessageText::Part* mainPartOf(const MessageText& message);

/// The parameter of a Content-Type or Content-Disposition, without its quotes; empty = none. Names
/// are compared without case.
std::string parameterOf(std::string_view header, std::string_view name);

}  // namespace restante
