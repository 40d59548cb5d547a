#pragma once

#include "core/auth/user_directory.h"
#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_thread.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace restante::journal {

/// Users from a database (`sip.auth.sql`), queried on a thread of its own and cached for a short
/// time, unknown ones too, so that a flood of requests does not become a flood of queries. While
/// the database is away, find() answers Unavailable for users that are not cached, and Busy when
/// too many are being asked for. *One loop.*
class SqlUsers final : public auth::UserDirectory {
public:
    /// Selects the SHA-256 and the MD5 HA1 of {user} in {realm}, either of which may be empty.
    static constexpr const char* kDefaultQuery =
        "SELECT sha256, md5 FROM restante_user WHERE name = {user} AND realm = {realm}";

    struct Settings {
        JournalUrl url;
        std::string query = kDefaultQuery;  ///< {user} and {realm} are bound as values
        Millis cacheTime{30'000};           ///< a changed password takes effect after this
        std::size_t maxCached = 10'000;     ///< users in the cache
    };
    /// The first query creates the table if it is the default query and there is none. `loop` and
    /// `clock` outlive it.
    SqlUsers(EventLoop& loop, const Clock& clock, Settings settings);
    /// Waits for the running query.
    ~SqlUsers() override;

    void find(const std::string& user,
              const std::string& realm,
              Done<std::optional<auth::Ha1>> done) override;
    /// Empties the cache: the next find() queries the database.
    void clearCache() override { cache_.clear(); }
    /// The number of cached users.
    std::size_t size() const noexcept { return cache_.size(); }

private:
    class Table;
    struct UserKey {
        std::string user;
        std::string realm;
    };
    struct CachedUser {
        std::optional<auth::Ha1> ha1;
        TimePoint until{};
    };
    using Answer = Result<std::optional<auth::Ha1>>;

    void ask(const std::string& key, UserKey userKey);
    void handleAnswer(const std::string& key, const Answer& answer);
    void cacheUser(const std::string& key, const std::optional<auth::Ha1>& ha1);

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    std::unordered_map<std::string, CachedUser> cache_;
    std::unordered_map<std::string, std::vector<Done<std::optional<auth::Ha1>>>> pendingFinds_;
    TimePoint nextWarningTime_{};
    CallbackGuard callbackGuard_;
    std::unique_ptr<Table> table_;
    TaskThread thread_;
};

}  // namespace restante::journal
