// A server that lies, at the other end of a real socket: the first byte says whom we take it for
// (a Redis, a sentinel, a node of a cluster), the others are what it says, whatever it is asked. As
// a Redis it answers question by question, to each with what stands before the next byte 0x1e.
#include "core/base/epoll_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/log.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/client/node_inquiry.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace {

using namespace restante;

constexpr Millis kTimeout{3'000};

/// One guest at a time.
class Liar {
public:
    enum class Pace { AtOnce, QuestionByQuestion };

    explicit Liar(EventLoop& loop)
        : loop_(loop),
          fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        open();
    }
    std::uint16_t port() const noexcept { return port_; }
    void say(std::string_view bytes, Pace pace)
    {
        left_ = bytes;
        pace_ = pace;
    }
    void hangUp()
    {
        ear_ = {};
        guest_.close();
    }

private:
    void open()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* raw = reinterpret_cast<sockaddr*>(&address);
        fuzz::require(::bind(fd_.get(), raw, size) == 0 && ::listen(fd_.get(), 16) == 0 &&
                          ::getsockname(fd_.get(), raw, &size) == 0,
                      "a port is free");
        port_ = ntohs(address.sin_port);
        door_ = Watch(loop_, fd_.get(), Readiness::Readable, [this](Readiness) { welcome(); });
    }
    void welcome()
    {
        hangUp();
        guest_ =
            FileDescriptor{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        if (guest_) {
            ear_ = Watch(loop_, guest_.get(), Readiness::Readable, [this](Readiness) { hear(); });
        }
    }
    void hear()
    {
        std::array<char, 4'096> question;
        const auto got = ::recv(guest_.get(), question.data(), question.size(), 0);
        if (got <= 0) {
            return hangUp();
        }
        const auto end = pace_ == Pace::AtOnce ? left_.size() : left_.find('\x1e');
        const auto piece = left_.substr(0, end);
        left_.remove_prefix(std::min(left_.size(), piece.size() + 1));
        ::send(guest_.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
        if (left_.empty()) {
            ::shutdown(guest_.get(), SHUT_WR);
        }
    }

    EventLoop& loop_;
    FileDescriptor fd_;
    std::uint16_t port_ = 0;
    std::string_view left_;
    Pace pace_ = Pace::AtOnce;
    FileDescriptor guest_;
    Watch ear_;
    Watch door_;
};

redis::RedisUrl urlOf(const Liar& liar)
{
    redis::RedisUrl url;
    url.port = liar.port();
    return url;
}

void askARedis(EpollLoop& loop, const Liar& liar)
{
    std::size_t asked = 0;
    std::size_t answered = 0;
    redis::Connection::Settings settings;
    settings.url = urlOf(liar);
    settings.timeout = Millis{50};
    auto connection = std::make_unique<redis::Connection>(loop, settings);
    connection->onReady([&](bool ready) {
        for (int i = 0; ready && i < 3; ++i) {
            ++asked;
            connection->command({"GET", "k"}, [&](const Result<redis::Reply>&) { ++answered; });
        }
    });
    loop.runUntil(
        [&] { return !connection->lastFailure().empty() || (asked > 0 && answered == asked); },
        kTimeout);
    connection.reset();
    fuzz::require(answered == asked, "each question is answered once");
}

void askASentinel(EpollLoop& loop, const Liar& liar)
{
    auto url = urlOf(liar);
    url.sentinels = {{url.host, url.port}};
    url.master = "mymaster";
    using Master = redis::SentinelResolver::Master;
    std::optional<Result<Master>> told;
    std::unique_ptr<redis::SentinelResolver> search;
    search = std::make_unique<redis::SentinelResolver>(loop, url, 0, [&](Result<Master> master) {
        fuzz::require(!told, "it is told once");
        told.emplace(std::move(master));
        search.reset();
    });
    fuzz::require(loop.runUntil([&] { return told.has_value(); }, kTimeout), "it is told");
    fuzz::require(*told ? !(*told)->host.empty() && (*told)->port != 0
                        : !told->error().message.empty(),
                  "a master is somewhere, and a refusal says why");
}

void askANode(EpollLoop& loop, const Liar& liar)
{
    const auto url = urlOf(liar);
    std::optional<Result<redis::ClusterMap>> told;
    std::unique_ptr<redis::TopologyQuery> survey;
    survey = std::make_unique<redis::TopologyQuery>(
        loop, url, std::vector<redis::NodeAddress>{{url.host, url.port}},
        [&](Result<redis::ClusterMap> map) {
            fuzz::require(!told, "it is told once");
            told.emplace(std::move(map));
            survey.reset();
        });
    fuzz::require(loop.runUntil([&] { return told.has_value(); }, kTimeout), "it is told");
    fuzz::require(*told ? !(*told)->slotOfEachMaster().empty() : !told->error().message.empty(),
                  "a map gives a slot to somebody, and a refusal says why");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static EpollLoop loop;
    static Liar liar{loop};
    if (size == 0) {
        return 0;
    }
    log::setLevel(log::Level::Off);
    constexpr std::uint8_t kRoles = 3;
    const auto role = data[0] % kRoles;
    liar.say(fuzz::textOf(data + 1, size - 1),
             role == 0 ? Liar::Pace::QuestionByQuestion : Liar::Pace::AtOnce);
    role == 0 ? askARedis(loop, liar) : role == 1 ? askASentinel(loop, liar) : askANode(loop, liar);
    liar.hangUp();
    return 0;
}
