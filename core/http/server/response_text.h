#pragma once

#include "core/http/server/http_call.h"

#include <string>
#include <string_view>

namespace restante::http {

/// How the end of an answer's body is found.
enum class Framing { Length, Chunked, UntilClose };

struct AnswerFrame {
    Framing framing = Framing::Length;
    bool keepAlive = true;
    bool bodyless = false;  ///< HEAD: the header of the body, without it
};

/// Appends status line, headers and body (RFC 9112) to `out`.
void appendAnswer(std::string& out, const Response& response, AnswerFrame frame);
/// Appends one chunk; an empty one would end the body and is left out.
void appendChunk(std::string& out, std::string_view piece);
void appendLastChunk(std::string& out);

}  // namespace restante::http
