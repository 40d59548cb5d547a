#pragma once

#include "tests/support/sip_socket.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sip::test {

using restante::test::SipServer;
using restante::test::SipSocket;
using restante::test::SipText;
using restante::test::SipTransport;

/// To whom the requests of these tests are.
inline constexpr auto kBobsAor = "sip:bob@example.com";

/// How long an answer may take on a busy machine.
constexpr Millis kTimeout{5'000};

/// A request of `method` from alice to `to` over `socket`, with fresh ids.
inline SipText requestOf(const SipSocket& socket, const std::string& method, const std::string& to)
{
    SipText request;
    request.startLine = method + " " + to + " SIP/2.0";
    request.headers = {
        {"Via", socket.via("z9hG4bK" + restante::test::uniqueToken())},
        {"Max-Forwards", "70"},
        {"From", "\"Alice\" <sip:alice@example.com>;tag=" + restante::test::uniqueToken()},
        {"To", "<" + to + ">"},
        {"Call-ID", restante::test::uniqueToken() + "@test"},
        {"CSeq", "1 " + method}};
    return request;
}

inline SipText messageOf(const SipSocket& socket, const std::string& to, std::string body)
{
    auto request = requestOf(socket, "MESSAGE", to);
    request.set("Content-Type", "text/plain;charset=UTF-8");
    request.body = std::move(body);
    return request;
}

/// Sends and takes the next response; status 0 when none comes.
inline SipText ask(SipSocket& socket, const SipText& request, Millis timeout = kTimeout)
{
    EXPECT_TRUE(socket.send(request.toString())) << "the server cannot be reached";
    const auto arrival = socket.receive(timeout);
    return arrival ? arrival->message : SipText{};
}

}  // namespace restante::sip::test
