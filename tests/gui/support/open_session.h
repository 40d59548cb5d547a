#pragma once

#include "gui/session/store_session.h"
#include "tests/gui/support/wait.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace restante::gui::test {

/// A session on a real store through the real thread, and how a test asks it.
class OpenedSession {
public:
    explicit OpenedSession(ConnectionProfile profile, const QString& password = {})
        : session_(openSession(std::move(profile), password))
    {
    }
    explicit OpenedSession(std::unique_ptr<StoreSession> session) : session_(std::move(session)) {}

    /// Waits until the connection is ready, or cannot be.
    LinkState::Phase settled()
    {
        EXPECT_TRUE(until([this] { return link().phase != LinkState::Phase::Connecting; }))
            << link().step.toStdString();
        return link().phase;
    }

    template <class T>
    Result<T> answer(const std::function<void(Reply<T>)>& ask)
    {
        std::optional<Result<T>> got;
        ask({&receiver_, [&](Result<T> result) { got = std::move(result); }});
        EXPECT_TRUE(until([&] { return got.has_value(); }));
        return got ? std::move(*got) : failure(ErrorCode::Unavailable, "no answer");
    }
    Result<BulkReport> runBulk(const BulkRequest& order)
    {
        return answer<BulkReport>(
            [&](auto reply) { session_->commands().runBulk(order, {}, std::move(reply)); });
    }

    const LinkState& link() const { return session_->link(); }
    std::string problem() const { return link().problem.toStdString(); }
    JobSource& source() { return session_->source(); }
    JobCommands& commands() { return session_->commands(); }
    StoreSession& session() { return *session_; }
    StoreSession& operator*() { return *session_; }
    StoreSession* operator->() { return session_.get(); }

private:
    QObject receiver_;
    std::unique_ptr<StoreSession> session_;
};

/// Of the Redis at this URL.
inline ConnectionProfile redisProfile(const std::string& url)
{
    ConnectionProfile profile;
    profile.id = QStringLiteral("test");
    profile.name = QStringLiteral("test");
    profile.kind = ConnectionProfile::Kind::Redis;
    profile.url = QString::fromStdString(url);
    return profile;
}

}  // namespace restante::gui::test
