#include "core/journal/store_scan.h"

#include "core/journal/journal_reading.h"

#include <utility>
#include <vector>

namespace restante::journal {

namespace {
constexpr std::string_view kKeysPerScan = "200";  // of up to sixteen jobs, so some megabyte
}

class StoreScan::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(Parts parts, Settings settings) : parts_(parts), settings_(std::move(settings)) {}

    void run(Done<void> done)
    {
        done_ = std::move(done);
        scan();
    }

private:
    template <class T>
    Done<T> step(void (Impl::*call)(T))
    {
        return [weak = weak_from_this(), call](Result<T> result) {
            auto self = weak.lock();
            if (!self || !self->done_) {
                return;
            }
            if (!result) {
                return self->answer(tl::unexpected(result.error()));
            }
            (self.get()->*call)(std::move(*result));
        };
    }

    void answer(Result<void> result)
    {
        auto done = std::exchange(done_, nullptr);
        done(std::move(result));
    }

    void scan()
    {
        const auto pattern = settings_.shardPrefix + "j:*";
        parts_.commands.command(
            {"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerScan, "TYPE", "hash"},
            step<redis::Reply>(&Impl::scanned));
    }

    void scanned(redis::Reply reply)
    {
        const auto* parts = reply.array();
        if (parts == nullptr || parts->size() != 2 || !(*parts)[0].text() || !(*parts)[1].array()) {
            return answer(failure(ErrorCode::Internal, "redis: its answer to SCAN is no such"));
        }
        cursor_ = *(*parts)[0].text();
        const auto& keys = *(*parts)[1].array();
        missing_ = keys.size();
        if (keys.empty()) {
            return wrote();
        }
        for (const auto& key : keys) {
            const auto front = key.text()->substr(settings_.shardPrefix.size() + 2);
            parts_.scripts.add(redis::script("journal_rows"), {}, {front},
                               step<redis::Reply>(&Impl::gotRows));
        }
    }

    void gotRows(redis::Reply reply)
    {
        for (auto& job : jobsOfRows(reply)) {
            jobs_.push_back(std::move(job));
        }
        if (--missing_ > 0) {
            return;
        }
        parts_.sql.ask<void>(
            parts_.loop,
            [shard = settings_.shard, jobs = std::exchange(jobs_, {}),
             now = parts_.clock.now()](auto& sql) { return sql.snapshot(shard, jobs, now); },
            [weak = weak_from_this()](Result<void> written) {
                if (auto self = weak.lock()) {
                    written ? self->wrote() : self->answer(std::move(written));
                }
            });
    }

    void wrote()
    {
        if (cursor_ != "0") {
            return scan();
        }
        answer({});
    }

    Parts parts_;
    Settings settings_;
    Done<void> done_;
    std::string cursor_ = "0";
    std::size_t missing_ = 0;
    std::vector<JobInEvent> jobs_;
};

StoreScan::StoreScan(Parts parts, Settings settings)
    : impl_(std::make_shared<Impl>(parts, std::move(settings)))
{
}

StoreScan::~StoreScan() = default;

void StoreScan::run(Done<void> done)
{
    impl_->run(std::move(done));
}

}  // namespace restante::journal
