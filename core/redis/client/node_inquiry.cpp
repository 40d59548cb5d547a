#include "core/redis/client/node_inquiry.h"

#include "core/base/text.h"
#include "core/redis/client/connection.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>
#include <utility>

namespace restante::redis {

namespace {

/// A node answers at once, and another one can be asked instead.
constexpr Millis kNodeTimeout{1'000};

using CommandWords = std::vector<std::string_view>;

void sendLogIn(CommandPipeline& node,
               const std::string& user,
               const std::string& password,
               Done<Reply> done)
{
    CommandWords words{"AUTH"};
    if (!user.empty()) {
        words.push_back(user);
    }
    words.push_back(password);
    node.send(words, std::move(done));
}

/// `done` is moved out first, because it may destroy its owner.
template <class T>
void answerOnce(Done<T>& done, std::common_type_t<Result<T>> answer)
{
    std::exchange(done, {})(std::move(answer));
}

std::vector<NodeAddress> rotatedTo(std::size_t first, std::vector<NodeAddress> nodes)
{
    std::rotate(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(first % nodes.size()),
                nodes.end());
    return nodes;
}

}  // namespace

void NodeInquiry::askNext()
{
    url_.host = node().host;
    url_.port = node().port;
    timeout_.arm(kNodeTimeout, [this] {
        tryNextNode(
            {ErrorCode::Unavailable, fmt::format("no answer within {} ms", kNodeTimeout.count())});
    });
    dialer_ = std::make_unique<StreamDialer>(loop_, url_, [this](Result<ByteStream> stream) {
        const auto dialer = std::move(dialer_);  // it is calling this
        stream ? startPipeline(std::move(*stream)) : tryNextNode(stream.error());
    });
}

void NodeInquiry::startPipeline(ByteStream stream)
{
    CommandPipeline::Handlers handlers;
    handlers.onBroken = [this](const std::string& why) {
        tryNextNode({ErrorCode::Unavailable, why});
    };
    pipeline_ = std::make_unique<CommandPipeline>(loop_, std::move(stream), kNodeTimeout,
                                                  std::move(handlers));
    handlers_.ask(*pipeline_);
}

void NodeInquiry::tryNextNode(const Error& why)
{
    failures_.message += fmt::format("{}{}: {}", failures_.message.empty() ? "" : "; ",
                                     node().toString(), why.message);
    if (why.code == ErrorCode::Denied) {
        failures_.code = why.code;
        failures_.remoteCode = why.remoteCode;
    }
    dialer_.reset();
    const auto pipeline = std::move(pipeline_);  // it may be calling this
    if (++current_ < nodes_.size()) {
        return askNext();
    }
    timeout_.cancel();
    std::exchange(handlers_.noneLeft, {})(std::move(failures_));  // it may destroy this
}

SentinelResolver::SentinelResolver(EventLoop& loop,
                                   const RedisUrl& url,
                                   std::size_t first,
                                   Done<Master> done)
    : url_(url),
      first_(first),
      done_(std::move(done)),
      inquiry_(loop,
               url,
               rotatedTo(first, url.sentinels),
               {[this](CommandPipeline& sentinel) {
                    url_.sentinelPassword.empty()
                        ? askForMaster(sentinel, LogIn::NotYet)
                        : logIn(sentinel, url_.sentinelUser, url_.sentinelPassword);
                },
                [this](Error why) {
                    answerOnce(done_, failure(ErrorCode::Unavailable, std::move(why.message)));
                }})
{
}

void SentinelResolver::logIn(CommandPipeline& sentinel,
                             const std::string& user,
                             const std::string& password)
{
    // If the log-in fails, the next command is refused.
    sendLogIn(sentinel, user, password, [](const Result<Reply>&) {});
    askForMaster(sentinel, LogIn::Tried);
}

void SentinelResolver::askForMaster(CommandPipeline& sentinel, LogIn logIn)
{
    const CommandWords words{"SENTINEL", "get-master-addr-by-name", url_.master};
    sentinel.send(words, [this, &sentinel, logIn](const Result<Reply>& answer) {
        if (answer) {
            handle(*answer);
        } else if (logIn == LogIn::NotYet && !url_.password.empty() &&
                   isRefused(answer, "NOAUTH")) {
            this->logIn(sentinel, url_.user, url_.password);
        } else {
            inquiry_.tryNextNode(answer.error());
        }
    });
}

void SentinelResolver::handle(const Reply& answer)
{
    if (answer.size() != 2) {
        return inquiry_.tryNextNode({ErrorCode::Unavailable, "does not know it"});
    }
    Master master;
    master.host = answer.at(0).textOrEmpty();
    if (master.host.empty() || !readNumber(answer.at(1).textOrEmpty(), master.port) ||
        master.port == 0) {
        return inquiry_.tryNextNode({ErrorCode::Unavailable, "gives no address"});
    }
    master.sentinel = (first_ + inquiry_.index()) % url_.sentinels.size();
    answerOnce(done_, std::move(master));
}

std::string formatNoMaster(const RedisUrl& url, const std::string& reasons)
{
    return fmt::format("no sentinel of {} knows master \"{}\" ({})",
                       formatAddresses(url.sentinels, ", "), url.master, reasons);
}

TopologyQuery::TopologyQuery(EventLoop& loop,
                             const RedisUrl& url,
                             std::vector<NodeAddress> nodes,
                             Done<ClusterMap> done)
    : url_(url),
      done_(std::move(done)),
      inquiry_(loop,
               url,
               std::move(nodes),
               {[this](CommandPipeline& node) { ask(node); },
                [this](Error why) {
                    why.message =
                        fmt::format("no node of the cluster tells its slots ({})", why.message);
                    answerOnce(done_, tl::unexpected(std::move(why)));
                }})
{
}

void TopologyQuery::ask(CommandPipeline& node)
{
    if (!url_.password.empty() || !url_.user.empty()) {
        sendLogIn(node, url_.user, url_.password, [this](const Result<Reply>& answer) {
            if (!answer) {
                inquiry_.tryNextNode(answer.error());
            }
        });
    }
    const CommandWords words{"CLUSTER", "SLOTS"};
    node.send(words, [this](const Result<Reply>& answer) { handle(answer); });
}

void TopologyQuery::handle(const Result<Reply>& answer)
{
    if (!answer) {
        const bool isStandalone =
            answer.error().message.find("cluster support") != std::string::npos;
        return inquiry_.tryNextNode(
            isStandalone ? Error{ErrorCode::Unavailable,
                                 "is not a node of a Redis Cluster; use redis:// or rediss://"}
                         : answer.error());
    }
    auto map = ClusterMap::parse(*answer, inquiry_.node());
    map ? answerOnce(done_, std::move(map)) : inquiry_.tryNextNode(map.error());
}

}  // namespace restante::redis
