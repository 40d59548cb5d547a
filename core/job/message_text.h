#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante {

/// A body as people read it: the message inside a message/cpim, the parts of a multipart, anything
/// else as the one part that it is. *Value.*
struct MessageText {
    struct Part {
        std::string type;      ///< "text/plain", in lower case; empty = nobody said
        std::string charset;   ///< as named, or "UTF-8"
        std::string fileName;  ///< that the sender gave it, or empty
        std::string bytes;     ///< without its transfer encoding
        bool complete = true;  ///< false: more of it was not there to be read

        /// By its type, or, of one that has none, by what its bytes are.
        bool isText() const;
        /// JSON by its type, or a text without a type that begins as an object or an array does.
        bool isJson() const;
    };
    /// What the CPIM wrapper says: From, To, DateTime, Subject, as far as it does.
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<Part> parts = {};
};

/// Reads a body of `whole` bytes, of which `begin` is the beginning or all. What is not well-formed
/// stays one part as it is. Nested multiparts are taken apart to a depth of four, at most 32 parts.
/// *Pure function.*
MessageText readMessage(std::string_view contentType, std::string_view begin, std::uint64_t whole);

/// The part that is read first: the first text, else the first of all; null = there is none.
const MessageText::Part* mainPartOf(const MessageText& message);

/// The parameter of a Content-Type or Content-Disposition, without its quotes; empty = none. Names
/// are compared without case.
std::string parameterOf(std::string_view header, std::string_view name);

}  // namespace restante
