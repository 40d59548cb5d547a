#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/listen_address.h"

#include <string>
#include <variant>

namespace restante::phone {

/// What the command line asks for. *Value.*
struct PhoneOptions {
    std::string aor;     ///< whose phone this is, "sip:bob@example.com"
    std::string user;    ///< the user part
    std::string server;  ///< a SIP URI with transport: who gets our requests
    std::string host;    ///< of the server, without brackets
    sip::Transport transport = sip::Transport::Udp;

    std::string to;  ///< whom to write to; empty = register and listen
    std::string body;
    std::string contentType = "text/plain";

    bool json = false;
    std::uint32_t count = 0;        ///< end after so many messages, 0 = never
    Millis timeout{0};              ///< give up after this, 0 = never
    std::uint32_t answer = 200;     ///< to every MESSAGE
    std::uint32_t expires = 3'600;  ///< seconds, of the registration
};

/// The options, or the exit code when help, the version or an error was printed.
std::variant<PhoneOptions, int> readOptions(int argc, char** argv);

}  // namespace restante::phone
