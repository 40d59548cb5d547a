#pragma once

#include "core/config/config.h"
#include "core/journal/sql/journal_url.h"
#include "core/redis/client/redis_url.h"
#include "gui/session/open_store.h"

#include <memory>
#include <optional>

namespace restante::gui {

/// A store in Redis, with its journal if it is known where that is. Reads and writes have a
/// connection each, so that a long search delays no click. Borrows the loop. *One loop.*
class RedisStore final : public OpenStore {
public:
    struct Settings {
        redis::RedisUrl url;
        Config config;  ///< with the prefix and the shards that the store has
        std::optional<journal::JournalUrl> journal = {};
        Millis timeout{5'000};
    };

    RedisStore(EventLoop& loop, Settings settings);
    ~RedisStore() override;

    /// Answers once both connections are there and the store has told its time. After that, `lost`
    /// is told once when one of them breaks.
    void awaitReady(Done<void> done, std::function<void()> lost);

    JobInspector& inspector() override;
    DelayQueue& queue() override;
    const Config& config() const override;
    void history(std::string id, Done<std::vector<HistoryRow>> done) override;
    void audit(AuditRequest request, Done<AuditBatch> done) override;
    void pulse(Done<redis::StoreActivity> done) override;
    void past(PastRequest request, Done<Past> done) override;
    void activity(Done<TopicActivity> done) override;
    void ping(Done<void> done) override;
    void follow(std::function<void(const StoreEvent&)> handler) override;

private:
    struct Parts;
    void pollReady();
    void tellReady(Result<void> result);

    std::unique_ptr<Parts> parts_;
};

}  // namespace restante::gui
