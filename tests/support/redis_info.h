#pragma once

#include "tests/support/redis_server.h"

#include <string>

namespace restante::test {

/// A field of the server's INFO; empty when it has none of that name.
inline std::string infoOf(const RedisServer& server, const std::string& field)
{
    const auto reply = server.send({"INFO"});
    const std::string text = reply.text() != nullptr ? *reply.text() : "";
    const auto at = text.find("\n" + field + ":");
    if (at == std::string::npos) {
        return {};
    }
    const auto begin = at + field.size() + 2;
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

}  // namespace restante::test
