#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_probe.h"
#include "gui/session/open_store.h"
#include "gui/session/redis_store.h"

#include <memory>
#include <string>

namespace restante::gui {

/// What a profile says, as values of core: made on the window's thread, read on the store's.
struct RedisPlace {
    bool isLocal = false;
    std::string configFile = {};  ///< of a local daemon; empty = the default places
    std::string url = {};
    std::string user = {};
    std::string password = {};
    std::string prefix = "rst";
    std::string journalUrl = {};
    Millis timeout{5'000};
    LinkProbe::Wants wants = LinkProbe::Wants::Writing;
};
RedisPlace redisPlaceOf(const ConnectionProfile& profile, const QString& password);

/// The same with the daemon's configuration read, ready to be opened.
struct RedisAim {
    RedisStore::Settings settings;
    LinkProblem whyNoJournal = {};
};
/// Reads files. The problem says what is wrong with the place.
tl::expected<RedisAim, LinkProblem> aimAt(const RedisPlace& place);

/// Opens a store in Redis: goes there step by step, then connects.
class RedisOpener final : public StoreOpener {
public:
    explicit RedisOpener(RedisPlace place) : place_(std::move(place)) {}

    void open(EventLoop& loop, Told told) override;
    void giveUp() override;

private:
    void begin();
    void connect(RedisAim aim, LinkFacts facts);

    RedisPlace place_;
    EventLoop* loop_ = nullptr;
    Told told_;
    std::unique_ptr<LinkProbe> probe_;
    std::shared_ptr<RedisStore> opening_;  ///< until it is ready
    std::shared_ptr<int> attempt_;         ///< expires when it is given up
};

}  // namespace restante::gui
