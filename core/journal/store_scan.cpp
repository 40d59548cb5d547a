#include "core/journal/store_scan.h"

#include "core/base/async_task.h"
#include "core/journal/journal_reading.h"
#include "core/redis/store_answers.h"

#include <utility>
#include <vector>

namespace restante::journal {

namespace {
constexpr std::string_view kKeysPerScan = "200";  // of up to sixteen jobs, so some megabyte
}

class StoreScan::Impl : public AsyncTask<StoreScan::Impl, void> {
public:
    Impl(Parts parts, Settings settings) : parts_(parts), settings_(std::move(settings)) {}

    void run(Done<void> done)
    {
        begin(std::move(done));
        scan();
    }

private:
    void scan()
    {
        const auto pattern = settings_.shardPrefix + "j:*";
        parts_.commands.command(
            {"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerScan, "TYPE", "hash"},
            then<redis::Reply>(&Impl::scanned));
    }

    void scanned(redis::Reply reply)
    {
        const auto page = redis::scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        cursor_ = page->cursor;
        missing_ = page->texts.size();
        if (page->texts.empty()) {
            return wrote();
        }
        for (const auto& key : page->texts) {
            const auto front = key.substr(settings_.shardPrefix.size() + 2);
            parts_.scripts.add(redis::script("journal_rows"), {}, {front},
                               then<redis::Reply>(&Impl::gotRows));
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
            then<void>(&Impl::wrote));
    }

    void wrote()
    {
        if (cursor_ != "0") {
            return scan();
        }
        end({});
    }

    Parts parts_;
    Settings settings_;
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
