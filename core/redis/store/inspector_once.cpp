#include "core/base/text.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::string_view kKeysPerScan = "1000";
constexpr std::string_view kFieldsPerScan = "1000";

/// "<onceFor ms>:<generation>", behind the shard's prefix and "once:".
std::optional<OnceKey> spanOf(std::string_view name)
{
    const auto colon = name.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const auto ms = leadingNumber<std::int64_t>(name.substr(0, colon));
    const auto generation = leadingNumber<std::int64_t>(name.substr(colon + 1));
    if (ms < 1 || generation < 0) {
        return std::nullopt;
    }
    return OnceKey{.onceFor = Millis{ms}, .since = fromEpochMs(ms * generation)};
}

/// Goes through the hashes of once keys, shard by shard.
class OnceLook : public std::enable_shared_from_this<OnceLook> {
public:
    using Some = std::function<void(std::vector<OnceKey>)>;

    OnceLook(Connection& connection,
             RedisJobInspector::Settings settings,
             Some some,
             Done<void> done)
        : connection_(connection),
          settings_(std::move(settings)),
          some_(std::move(some)),
          done_(std::move(done))
    {
    }

    void nextShard()
    {
        if (shard_ == settings_.shards) {
            return done_({});
        }
        front_ = shardPrefix(settings_.prefix, shard_++) + "once:";
        cursor_ = "0";
        scan();
    }

private:
    using Step = void (OnceLook::*)(std::vector<std::string>);

    Done<Reply> then(Step step)
    {
        return [self = shared_from_this(), step](const Result<Reply>& reply) {
            auto page = reply.and_then(&scanPageOf);
            if (!page) {
                return self->done_(tl::unexpected(page.error()));
            }
            self->cursor_ = page->cursor;
            (self.get()->*step)(std::move(page->texts));
        };
    }

    void scan()
    {
        connection_.command(
            {"SCAN", cursor_, "MATCH", front_ + "*", "COUNT", kKeysPerScan, "TYPE", "hash"},
            then(&OnceLook::scanned));
    }

    void scanned(std::vector<std::string> keys)
    {
        std::ranges::move(keys, std::back_inserter(hashes_));
        if (cursor_ != "0") {
            return scan();
        }
        // SCAN may name a key twice.
        std::ranges::sort(hashes_, std::greater<>());
        hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
        readHash();
    }

    /// The last one; its cursor is "0" at its beginning.
    void readHash()
    {
        if (hashes_.empty()) {
            return nextShard();
        }
        connection_.command({"HSCAN", hashes_.back(), cursor_, "COUNT", kFieldsPerScan},
                            then(&OnceLook::readSome));
    }

    void readSome(std::vector<std::string> texts)
    {
        const auto span = spanOf(std::string_view(hashes_.back()).substr(front_.size()));
        for (std::size_t i = 0; span && i + 1 < texts.size(); i += 2) {
            OnceKey once = *span;
            once.key = std::move(texts[i]);
            once.id = std::move(texts[i + 1]);
            found_.push_back(std::move(once));
        }
        if (cursor_ != "0") {
            return readHash();
        }
        std::ranges::sort(found_, {}, &OnceKey::key);
        found_.erase(std::ranges::unique(found_, {}, &OnceKey::key).begin(), found_.end());
        hashes_.pop_back();
        if (auto found = std::exchange(found_, {}); !found.empty()) {
            some_(std::move(found));
        }
        readHash();
    }

    Connection& connection_;
    RedisJobInspector::Settings settings_;
    Some some_;
    Done<void> done_;
    std::uint32_t shard_ = 0;
    std::string front_;
    std::string cursor_;
    std::vector<std::string> hashes_;
    std::vector<OnceKey> found_;
};

}  // namespace

void RedisJobInspector::onceKeys(std::function<void(std::vector<OnceKey>)> some, Done<void> done)
{
    std::make_shared<OnceLook>(connection_, settings_, std::move(some), std::move(done))
        ->nextShard();
}

}  // namespace restante::redis
