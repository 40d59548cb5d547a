#include "core/journal/shard_recorder.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/journal/journal_reading.h"
#include "core/journal/store_scan.h"
#include "core/redis/keys.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::journal {

namespace {

constexpr Millis kRetry{500};    // to a database or Redis that did not answer
constexpr Millis kBlock{1'000};  // how long a read waits; a look at the connection now and then
/// Of a command that waits: longer than kBlock.
constexpr Millis kReadTimeout{8'000};
/// An entry holds up to a hundred jobs, so this is one commit of up to 6,400 rows and some ten MB.
constexpr std::string_view kEntriesAtOnce = "64";
constexpr std::string_view kEntriesKept = "1000";  // for whoever watches events

redis::Connection::Settings readerOf(const ShardRecorder::Settings& settings)
{
    redis::Connection::Settings connection;
    connection.url = settings.url;
    connection.timeout = kReadTimeout;
    connection.name = fmt::format("restante-journal-{}", settings.shard);
    return connection;
}

}  // namespace

class ShardRecorder::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(Parts parts, Settings settings)
        : parts_(parts),
          settings_(std::move(settings)),
          prefix_(redis::shardPrefix(settings_.prefix, settings_.shard)),
          events_(prefix_ + "events"),
          committed_(redis::committedChannel(prefix_)),
          token_(fmt::format("{}.{}", toEpochMs(parts.clock.now()), settings_.owner)),
          leaseMs_(std::to_string(settings_.lease.count())),
          backlog_(std::to_string(settings_.backlog)),
          scripts_(parts.loop, parts.commands, parts.clock, {.shardPrefix = prefix_}),
          reader_(parts.loop, readerOf(settings_)),
          pulse_(parts.loop),
          again_(parts.loop),
          lagEntries_(metrics::gauge("restante_journal_lag_entries", label())),
          lagSeconds_(metrics::gauge("restante_journal_lag_seconds", label())),
          recorded_(metrics::counter("restante_journal_events_total", label())),
          rebuilt_(metrics::counter("restante_journal_rebuilds_total", label()))
    {
    }

    void start() { pulse(); }

    void stop(std::function<void()> stopped)
    {
        const bool owned = step_ != Step::Waiting && step_ != Step::Stopped;
        const auto cursor = hasCursor() ? cursor_.print() : std::string();
        const auto* const word = step_ == Step::Stuck ? "down" : "";
        ++epoch_;
        pulse_.cancel();
        again_.cancel();
        setStep(Step::Stopped);
        if (!owned || !parts_.commands.ready()) {
            return parts_.loop.post(std::move(stopped));
        }
        scripts_.add(redis::script("journal_commit"), {},
                     {settings_.owner, "0", cursor, kEntriesKept, word},
                     [stopped = std::move(stopped)](const auto&) { stopped(); });
    }

    Step step() const noexcept { return step_; }
    void onListening(std::function<void()> handler) { onListening_ = std::move(handler); }
    void onRebuilt(std::function<void(Rebuilt)> handler) { onRebuilt_ = std::move(handler); }

private:
    std::vector<std::string> label() const { return {std::to_string(settings_.shard)}; }

    /// `call` unless this is gone, or the lease was lost, or it was stopped in the meantime.
    template <class T>
    std::function<void(Result<T>)> onlyNow(void (Impl::*call)(Result<T>))
    {
        return [weak = weak_from_this(), epoch = epoch_, call](Result<T> result) {
            auto self = weak.lock();
            if (self && self->epoch_ == epoch) {
                (self.get()->*call)(std::move(result));
            }
        };
    }

    void later(void (Impl::*call)())
    {
        again_.arm(kRetry, [this, call] { (this->*call)(); });
    }

    void setStep(Step step) { step_ = step; }

    /// Whether everything up to cursor_ is committed: not while it is looked for.
    bool hasCursor() const { return step_ == Step::Recording || (step_ == Step::Stuck && batch_); }

    /// A third of the lease: two of them may get lost.
    void pulse()
    {
        pulse_.arm(settings_.lease / 3, [this] { pulse(); });
        if (hasCursor()) {
            return tellCommitted();
        }
        if (step_ == Step::Stuck) {
            tellDown();
        }
        scripts_.add(redis::script("journal_take"), {},
                     {settings_.owner, leaseMs_, backlog_, token_},
                     onlyNow<redis::Reply>(&Impl::taken));
    }

    void taken(Result<redis::Reply> reply)
    {
        const auto* words = reply ? reply->array() : nullptr;
        if (words == nullptr || words->size() != 5 || !(*words)[0].text() || !(*words)[1].text()) {
            return;  // the next pulse asks again
        }
        const bool isOurs = *(*words)[0].text() == "taken";
        if (!isOurs || !settings_.durable) {
            tellListening();
        }
        if (!isOurs) {
            return lose();
        }
        const auto* committed = (*words)[2].text();
        begun_ =
            committed != nullptr ? StreamId::parse(*committed).value_or(StreamId{}) : StreamId{};
        if (step_ == Step::Waiting || *(*words)[1].text() != since_) {
            ++epoch_;
            since_ = *(*words)[1].text();
            prepare();
        }
    }

    void tellListening()
    {
        if (auto tell = std::exchange(onListening_, nullptr)) {
            tell();
        }
    }

    void lose()
    {
        if (step_ != Step::Waiting) {
            log::warning("journal", "shard {}: another program records it now", settings_.shard);
            ++epoch_;
            again_.cancel();
            setStep(Step::Waiting);
            lagEntries_.set(0);
            lagSeconds_.set(0);
        }
    }

    // Where to go on.

    void prepare()
    {
        batch_.reset();
        if (step_ != Step::Stuck) {
            setStep(Step::Preparing);
        }
        parts_.sql.ask<std::optional<Position>>(
            parts_.loop, [shard = settings_.shard](auto& sql) { return sql.position(shard); },
            onlyNow<std::optional<Position>>(&Impl::positioned));
    }

    void positioned(Result<std::optional<Position>> found)
    {
        if (!found) {
            stuck(found.error());
            return later(&Impl::prepare);
        }
        cursor_ = {};
        why_ = Rebuilt::New;
        if (!*found || (*found)->since != since_) {
            return rebuild();
        }
        cursor_ = (*found)->cursor;
        const auto id = cursor_.print();
        parts_.commands.command({"XRANGE", events_, id, id},
                                onlyNow<redis::Reply>(&Impl::foundCursor));
    }

    void foundCursor(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::prepare);
        }
        if (reply->array() == nullptr || reply->array()->empty()) {
            return parts_.commands.command(
                {"XREVRANGE", events_, cursor_.print(), "-", "COUNT", "1"},
                onlyNow<redis::Reply>(&Impl::foundBefore));
        }
        record();
    }

    /// Streams are cut off from the beginning: where something older than the missing entry is
    /// left, it was not cut off. Redis has forgotten it, whatever it has written since.
    void foundBefore(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::prepare);
        }
        why_ = entriesOf(*reply).empty() ? Rebuilt::Gap : Rebuilt::RolledBack;
        const auto* what = why_ == Rebuilt::Gap ? "cut off too early (see journal.backlog)"
                                                : "forgotten by Redis, with what came before it";
        log::warning("journal", "shard {}: the event {} was {}", settings_.shard, cursor_.print(),
                     what);
        rebuild();
    }

    // Everything that is in Redis.

    void rebuild()
    {
        rebuilt_.add();
        // Nothing is confirmed until all of it has been read.
        parts_.commands.command({"HDEL", prefix_ + "journal", "told"}, [](const auto&) {});
        tellDown();
        log::info("journal", "shard {}: begins anew with what is in Redis", settings_.shard);
        parts_.commands.command({"XREVRANGE", events_, "+", "-", "COUNT", "1"},
                                onlyNow<redis::Reply>(&Impl::foundNewest));
    }

    void foundNewest(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::prepare);
        }
        const auto entries = entriesOf(*reply);
        // The stream goes on from here; what happens while the jobs are read is read twice, which
        // is harmless.
        cursor_ = entries.empty() ? StreamId{} : entries.back().id;
        const auto id = begun_.print();
        parts_.commands.command({"XRANGE", events_, id, id},
                                onlyNow<redis::Reply>(&Impl::foundBeginning));
    }

    void foundBeginning(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::prepare);
        }
        if (reply->array() != nullptr && !reply->array()->empty()) {
            cursor_ = begun_;  // everything behind it carries what the journal needs
        }
        scan_ = std::make_unique<StoreScan>(
            StoreScan::Parts{parts_.loop, parts_.clock, parts_.sql, parts_.commands, scripts_},
            StoreScan::Settings{prefix_, settings_.shard});
        scan_->run(onlyNow<void>(&Impl::scanned));
    }

    void scanned(Result<void> read)
    {
        if (!read) {
            stuck(read.error());
            return later(&Impl::prepare);
        }
        parts_.sql.ask<void>(
            parts_.loop,
            [shard = settings_.shard, position = Position{since_, cursor_}](auto& sql) {
                return sql.setPosition(shard, position);
            },
            onlyNow<void>(&Impl::wrotePosition));
    }

    void wrotePosition(Result<void> written)
    {
        if (!written) {
            stuck(written.error());
            return later(&Impl::prepare);
        }
        record();
        if (onRebuilt_) {
            onRebuilt_(why_);
        }
    }

    // Entry by entry.

    void record()
    {
        if (step_ != Step::Recording) {
            log::info("journal", "shard {}: recording behind {}", settings_.shard, cursor_.print());
        }
        lastProblem_.clear();
        setStep(Step::Recording);
        tellCommitted();
        tellListening();
        read();
    }

    void read()
    {
        if (!reader_.ready()) {
            return later(&Impl::read);
        }
        const auto block = std::to_string(kBlock.count());
        const auto id = cursor_.print();
        reader_.command({"XREAD", "COUNT", kEntriesAtOnce, "BLOCK", block, "STREAMS", events_, id},
                        onlyNow<redis::Reply>(&Impl::gotEntries));
    }

    void gotEntries(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::read);
        }
        entries_ = entriesOfStream(*reply);
        if (entries_.empty()) {
            return read();
        }
        if (cursor_ == StreamId{}) {
            return commitEntries();
        }
        // Asked after the read: if the entry at the cursor is there now, nothing behind it had been
        // cut off when it was read.
        const auto id = cursor_.print();
        reader_.command({"XRANGE", events_, id, id}, onlyNow<redis::Reply>(&Impl::sawCursor));
    }

    void sawCursor(Result<redis::Reply> reply)
    {
        if (!reply) {
            return later(&Impl::read);
        }
        if (reply->array() == nullptr || reply->array()->empty()) {
            return prepare();
        }
        commitEntries();
    }

    void commitEntries()
    {
        batch_ = std::make_shared<ShardBatch>();
        batch_->shard = settings_.shard;
        batch_->since = since_;
        batch_->from = cursor_;
        batch_->to = entries_.back().id;
        for (const auto& entry : entries_) {
            auto event = parseEvent(entry.id, entry.fields);
            if (!event) {
                log::error("journal", "shard {}: passed over: {}", settings_.shard,
                           event.error().message);
            } else if (!event->jobs.empty() || !event->topic.empty()) {
                batch_->events.push_back(std::move(*event));
            }
        }
        entries_.clear();
        commit();
    }

    void commit()
    {
        parts_.sql.ask<void>(
            parts_.loop, [batch = batch_](auto& sql) { return sql.commit(*batch); },
            onlyNow<void>(&Impl::committed));
    }

    void committed(Result<void> written)
    {
        if (!written && written.error().code == ErrorCode::Conflict) {
            // Ours, committed while the answer was lost; or another program's. SQL knows.
            return prepare();
        }
        if (!written) {
            stuck(written.error());
            return later(&Impl::commit);
        }
        if (step_ == Step::Stuck) {
            log::info("journal", "shard {}: the database answers again", settings_.shard);
            lastProblem_.clear();
        }
        setStep(Step::Recording);
        recorded_.add(batch_->events.size());
        cursor_ = batch_->to;
        batch_.reset();
        tellCommitted();
        read();
    }

    void tellDown()
    {
        parts_.commands.command({"PUBLISH", committed_, "down"}, [](const auto&) {});
    }

    void tellCommitted()
    {
        const auto* const word = step_ == Step::Stuck ? "down" : "";
        scripts_.add(redis::script("journal_commit"), {},
                     {settings_.owner, leaseMs_, cursor_.print(), kEntriesKept, word},
                     onlyNow<redis::Reply>(&Impl::toldCommitted));
    }

    void toldCommitted(Result<redis::Reply> reply)
    {
        if (!reply) {
            return;  // the next pulse tells it again
        }
        if (reply->text() != nullptr && *reply->text() == "missing") {
            if (step_ == Step::Recording) {  // else the database is away, and this has time
                ++epoch_;
                again_.cancel();
                prepare();
            }
            return;
        }
        const auto* words = reply->array();
        if (words == nullptr || words->size() != 2 || !(*words)[0].text() ||
            !(*words)[1].integer()) {
            return lose();
        }
        const auto oldest = StreamId::parse(*(*words)[0].text());
        const auto now = toEpochMs(parts_.clock.now());
        const auto since = oldest ? static_cast<std::int64_t>(oldest->ms) : now;
        lagEntries_.set(static_cast<double>(*(*words)[1].integer()));
        lagSeconds_.set(static_cast<double>(std::max<std::int64_t>(now - since, 0)) / 1'000);
    }

    void stuck(const Error& why)
    {
        if (why.message != lastProblem_) {
            log::error("journal", "shard {}: {}; events wait in Redis", settings_.shard,
                       why.message);
            lastProblem_ = why.message;
        }
        if (step_ != Step::Stuck) {
            tellDown();
        }
        setStep(Step::Stuck);
    }

    Parts parts_;
    Settings settings_;
    std::string prefix_;
    std::string events_;
    std::string committed_;
    std::string token_;
    std::string leaseMs_;
    std::string backlog_;
    redis::ScriptQueue scripts_;
    redis::Connection reader_;
    Timer pulse_;
    Timer again_;
    metrics::Gauge& lagEntries_;
    metrics::Gauge& lagSeconds_;
    metrics::Counter& recorded_;
    metrics::Counter& rebuilt_;
    Step step_ = Step::Waiting;
    std::function<void()> onListening_;
    std::function<void(Rebuilt)> onRebuilt_;
    Rebuilt why_ = Rebuilt::New;
    std::uint64_t epoch_ = 0;  ///< answers of an older one are dropped
    std::string since_;
    StreamId cursor_;  ///< of what is committed
    StreamId begun_;   ///< where the listening began, or what was committed before us
    std::string lastProblem_;
    std::unique_ptr<StoreScan> scan_;
    std::vector<StreamEntry> entries_;
    std::shared_ptr<ShardBatch> batch_;
};

ShardRecorder::ShardRecorder(Parts parts, Settings settings)
    : impl_(std::make_shared<Impl>(parts, std::move(settings)))
{
    impl_->start();
}

ShardRecorder::~ShardRecorder() = default;

void ShardRecorder::stop(std::function<void()> stopped)
{
    impl_->stop(std::move(stopped));
}

ShardRecorder::Step ShardRecorder::step() const noexcept
{
    return impl_->step();
}

void ShardRecorder::onListening(std::function<void()> handler)
{
    impl_->onListening(std::move(handler));
}

void ShardRecorder::onRebuilt(std::function<void(Rebuilt)> handler)
{
    impl_->onRebuilt(std::move(handler));
}

}  // namespace restante::journal
