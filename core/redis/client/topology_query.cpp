#include "core/redis/client/topology_query.h"

#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

/// A node answers at once, and the next one knows it, too.
constexpr Millis kTimeout{1'000};

}  // namespace

TopologyQuery::TopologyQuery(EventLoop& loop,
                             const RedisUrl& url,
                             std::vector<NodeAddress> nodes,
                             Done<ClusterMap> done)
    : loop_(loop),
      url_(url),
      nodes_(std::move(nodes)),
      done_(std::move(done)),
      timeout_(loop)
{
    askNext();
}

void TopologyQuery::askNext()
{
    auto url = url_;
    url.host = nodes_[asked_].host;
    url.port = nodes_[asked_].port;
    timeout_.arm(kTimeout, [this] {
        passOn({ErrorCode::Unavailable, fmt::format("no answer within {} ms", kTimeout.count())});
    });
    dialer_ = std::make_unique<StreamDialer>(loop_, url, [this](Result<ByteStream> stream) {
        const auto dialer = std::move(dialer_);  // it is telling this
        if (stream) {
            talk(std::move(*stream));
        } else {
            passOn(stream.error());
        }
    });
}

void TopologyQuery::talk(ByteStream stream)
{
    CommandPipeline::Handlers handlers;
    handlers.broken = [this](const std::string& why) { passOn({ErrorCode::Unavailable, why}); };
    pipeline_ =
        std::make_unique<CommandPipeline>(loop_, std::move(stream), kTimeout, std::move(handlers));
    logIn();
    const std::vector<std::string_view> words{"CLUSTER", "SLOTS"};
    pipeline_->send(words, [this](const Result<Reply>& answer) { handle(answer); });
}

void TopologyQuery::logIn()
{
    if (url_.password.empty() && url_.user.empty()) {
        return;
    }
    std::vector<std::string_view> words{"AUTH"};
    if (!url_.user.empty()) {
        words.push_back(url_.user);
    }
    words.push_back(url_.password);
    pipeline_->send(words, [this](const Result<Reply>& answer) {
        if (!answer) {
            passOn(answer.error());
        }
    });
}

void TopologyQuery::handle(const Result<Reply>& answer)
{
    if (!answer) {
        const bool isNone = answer.error().message.find("cluster support") != std::string::npos;
        return passOn(isNone ? Error{ErrorCode::Unavailable,
                                     "is not a node of a Redis Cluster; use redis:// or rediss://"}
                             : answer.error());
    }
    auto map = ClusterMap::parse(*answer, nodes_[asked_]);
    if (!map) {
        return passOn(map.error());
    }
    const auto done = std::move(done_);  // it destroys this
    done(std::move(map));
}

void TopologyQuery::passOn(const Error& why)
{
    reasons_ +=
        fmt::format("{}{}: {}", reasons_.empty() ? "" : "; ", nodes_[asked_].print(), why.message);
    code_ = why.code == ErrorCode::Denied ? why.code : code_;
    dialer_.reset();
    const auto pipeline = std::move(pipeline_);  // it may be telling this
    if (++asked_ < nodes_.size()) {
        return askNext();
    }
    timeout_.cancel();
    const auto done = std::move(done_);  // it destroys this
    done(failure(code_, "no node of the cluster tells its slots (" + reasons_ + ")"));
}

}  // namespace restante::redis
