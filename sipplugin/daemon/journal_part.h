#pragma once

#include "core/config/config.h"
#include "core/journal/journal_service.h"
#include "core/redis/client/redis_url.h"
#include "sipplugin/sofia/su_loop.h"

#include <functional>
#include <memory>
#include <string>

namespace restante::daemon {

/// On threads of its own; what it hands out may be used by any thread. *One loop.*
class JournalPart {
public:
    struct Settings {
        redis::RedisUrl redis;
        bool soleOwner = false;  ///< no other daemon works on this store
    };

    /// Opens the journal of `config`, whose mode is not off, and recovers what a lost Redis had,
    /// turning the loop meanwhile. Ends early when `stopping` says so. The error says what to do.
    static Result<std::unique_ptr<JournalPart>> open(sip::SuLoop& loop,
                                                     const Config& config,
                                                     const Settings& settings,
                                                     const std::function<bool()>& stopping);

    JobHistory& history() noexcept { return service_; }
    JobRecovery& recovery() noexcept { return service_; }
    /// "sqlite:/var/lib/restante/journal.db", for the ready line; without a password.
    const std::string& shown() const noexcept { return shown_; }

private:
    JournalPart(journal::JournalService::Settings settings, std::string shown)
        : service_(std::move(settings)),
          shown_(std::move(shown))
    {
    }

    journal::JournalService service_;
    std::string shown_;
};

}  // namespace restante::daemon
