#include "sipplugin/daemon/auth_part.h"

#include "core/journal/sql/sql_users.h"

namespace restante::daemon {

namespace {

Result<journal::JournalUrl> databaseOf(const Config& config)
{
    if (config.sip.auth.sql == "journal") {
        return journal::journalUrlOf(config);
    }
    auto url = journal::parseJournalUrl(config.sip.auth.sql);
    return url ? url : failure(ErrorCode::Invalid, "sip.auth.sql, as " + url.error().message);
}

}  // namespace

Result<std::unique_ptr<sip::DigestBackend>> openDigestBackend(sip::SuLoop& loop,
                                                              const Clock& clock,
                                                              redis::Connection& connection,
                                                              const Config& config)
{
    if (config.sip.auth.sql.empty()) {
        return sip::DigestBackend::open(config, connection);
    }
    if (!config.sip.auth.users.empty()) {
        return failure(ErrorCode::Invalid, "sip.auth.users and sip.auth.sql cannot both say who "
                                           "the users are; set one");
    }
    auto url = databaseOf(config);
    if (!url) {
        return tl::unexpected(url.error());
    }
    journal::SqlUsers::Settings settings;
    settings.url = std::move(*url);
    if (!config.sip.auth.query.empty()) {
        settings.query = config.sip.auth.query;
    }
    return std::make_unique<sip::DigestBackend>(
        std::make_unique<journal::SqlUsers>(loop, clock, std::move(settings)), connection,
        config.redis.prefix);
}

}  // namespace restante::daemon
