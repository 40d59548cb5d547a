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

/// Users from a database (`sip.auth.sql`), asked on a thread of its own and kept for a short time,
/// unknown ones too, so that a flood of requests is no flood of queries. While the database is away
/// find() answers Unavailable for whom it does not keep. *One loop.*
class SqlUsers final : public auth::UserDirectory {
public:
    /// Answers the SHA-256 and the MD5 HA1 of {user} in {realm}, either of which may be empty.
    static constexpr const char* kDefaultQuery =
        "SELECT sha256, md5 FROM restante_user WHERE name = {user} AND realm = {realm}";

    struct Settings {
        JournalUrl url;
        std::string query = kDefaultQuery;  ///< {user} and {realm} are bound as values
        Millis keep{30'000};                ///< a changed password takes effect after this
        std::size_t most = 10'000;          ///< users that are kept
    };
    /// Makes the table of the default query when it is not there. `loop` and `clock` outlive it.
    SqlUsers(EventLoop& loop, const Clock& clock, Settings settings);
    /// Waits for the query that runs.
    ~SqlUsers() override;

    void find(const std::string& user,
              const std::string& realm,
              Done<std::optional<auth::Ha1>> done) override;
    /// What is kept is forgotten: the next find() asks the database.
    void clearCache() override { known_.clear(); }
    /// How many are kept.
    std::size_t size() const noexcept { return known_.size(); }

private:
    class Table;
    struct Question {
        std::string user;
        std::string realm;
    };
    struct Known {
        std::optional<auth::Ha1> ha1;
        TimePoint until{};
    };
    using Answer = Result<std::optional<auth::Ha1>>;

    void ask(const std::string& key, Question question);
    void take(const std::string& key, const Answer& answer);
    void keep(const std::string& key, const std::optional<auth::Ha1>& ha1);

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    std::unordered_map<std::string, Known> known_;
    std::unordered_map<std::string, std::vector<Done<std::optional<auth::Ha1>>>> waiting_;
    TimePoint nextComplaint_{};
    CallbackGuard callbackGuard_;
    std::unique_ptr<Table> table_;
    TaskThread thread_;
};

}  // namespace restante::journal
