#include "core/redis/client/cluster_survey.h"

#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

/// A node answers at once, and the next one knows it, too.
constexpr Millis kPatience{1'000};

}  // namespace

ClusterSurvey::ClusterSurvey(EventLoop& loop,
                             const RedisUrl& url,
                             std::vector<NodeAddress> nodes,
                             Done<ClusterMap> done)
    : loop_(loop),
      url_(url),
      nodes_(std::move(nodes)),
      done_(std::move(done)),
      patience_(loop)
{
    askNext();
}

void ClusterSurvey::askNext()
{
    auto url = url_;
    url.host = nodes_[asked_].host;
    url.port = nodes_[asked_].port;
    patience_.arm(kPatience, [this] {
        passOn({ErrorCode::Unavailable, fmt::format("no answer within {} ms", kPatience.count())});
    });
    dialer_ = std::make_unique<WireDialer>(loop_, url, [this](Result<Wire> wire) {
        const auto dialer = std::move(dialer_);  // it is telling this
        if (wire) {
            talk(std::move(*wire));
        } else {
            passOn(wire.error());
        }
    });
}

void ClusterSurvey::talk(Wire wire)
{
    Link::Handlers handlers;
    handlers.broken = [this](const std::string& why) { passOn({ErrorCode::Unavailable, why}); };
    link_ = std::make_unique<Link>(loop_, std::move(wire), kPatience, std::move(handlers));
    logIn();
    const std::vector<std::string_view> words{"CLUSTER", "SLOTS"};
    link_->send(words, [this](const Result<Reply>& answer) { take(answer); });
}

void ClusterSurvey::logIn()
{
    if (url_.password.empty() && url_.user.empty()) {
        return;
    }
    std::vector<std::string_view> words{"AUTH"};
    if (!url_.user.empty()) {
        words.push_back(url_.user);
    }
    words.push_back(url_.password);
    link_->send(words, [this](const Result<Reply>& answer) {
        if (!answer) {
            passOn(answer.error());
        }
    });
}

void ClusterSurvey::take(const Result<Reply>& answer)
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

void ClusterSurvey::passOn(const Error& why)
{
    reasons_ +=
        fmt::format("{}{}: {}", reasons_.empty() ? "" : "; ", nodes_[asked_].print(), why.message);
    code_ = why.code == ErrorCode::Denied ? why.code : code_;
    dialer_.reset();
    const auto link = std::move(link_);  // it may be telling this
    if (++asked_ < nodes_.size()) {
        return askNext();
    }
    patience_.cancel();
    const auto done = std::move(done_);  // it destroys this
    done(failure(code_, "no node of the cluster tells its slots (" + reasons_ + ")"));
}

}  // namespace restante::redis
