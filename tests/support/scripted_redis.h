#pragma once

#include "core/base/epoll_loop.h"
#include "core/base/file_descriptor.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/reply_reader.h"
#include "tests/support/free_port.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace restante::test {

/// A server that speaks Redis' protocol and answers as a test says: what no real one can be brought
/// to. *One loop.*
class ScriptedRedis {
public:
    /// The bytes of the reply to a command, by its first word ("TIME"); none = this client is
    /// answered nothing any more.
    using Answer = std::function<std::optional<std::string>(const std::string& word)>;

    ScriptedRedis(EpollLoop& loop, Answer answer) : loop_(loop), answer_(std::move(answer))
    {
        EXPECT_EQ(::listen(listening_.socket.get(), 5), 0);
        newClients_ = Watch(loop_, listening_.socket.get(), Readiness::Readable,
                            [this](Readiness) { accept(); });
    }
    ScriptedRedis(const ScriptedRedis&) = delete;
    ScriptedRedis& operator=(const ScriptedRedis&) = delete;

    redis::RedisUrl url() const
    {
        redis::RedisUrl address;
        address.port = listening_.port;
        return address;
    }

    /// The reply with this text.
    static std::string bulk(const std::string& text)
    {
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }

private:
    struct Client {
        FileDescriptor socket;
        redis::ReplyReader requests;  // arrays of texts, as replies may be
        bool isIgnored = false;
        Watch watch;
    };

    void accept()
    {
        auto& client = clients_.emplace_back();
        client.socket = FileDescriptor{
            ::accept4(listening_.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        client.watch = Watch(loop_, client.socket.get(), Readiness::Readable,
                             [this, &client](Readiness) { serve(client); });
    }
    void serve(Client& client)
    {
        std::array<char, 4'096> bytes{};
        const auto size = ::recv(client.socket.get(), bytes.data(), bytes.size(), 0);
        if (size <= 0) {
            client.watch.remove();
            return;
        }
        client.requests.feed(bytes.data(), static_cast<std::size_t>(size));
        while (const auto request = client.requests.next()) {
            const std::string word(*request ? (*request)->at(0).textOrEmpty() : "");
            const auto reply = client.isIgnored ? std::nullopt : answer_(word);
            client.isIgnored = !reply;
            if (reply) {
                EXPECT_EQ(::send(client.socket.get(), reply->data(), reply->size(), MSG_NOSIGNAL),
                          static_cast<ssize_t>(reply->size()));
            }
        }
    }

    EpollLoop& loop_;
    Answer answer_;
    LoopbackSocket listening_ = boundOnLoopback(SOCK_STREAM);
    std::list<Client> clients_;
    Watch newClients_;
};

}  // namespace restante::test
