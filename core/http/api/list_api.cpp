#include "core/base/try.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/job_selection.h"
#include "core/http/api/v1_api.h"
#include "core/json/document.h"
#include "core/json/export_json.h"
#include "core/json/job_json.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

constexpr std::int64_t kMaxPageSize = 1'000;
constexpr std::int64_t kDefaultPageSize = 100;
/// The jobs that counting examines before it answers with an incomplete count. They take some
/// seconds of Redis' time, in pieces between which others are served.
constexpr std::uint64_t kMostExaminedJobs = 1'000'000;
/// The jobs of a page of an export, and the bytes that may wait for a slow reader before the next
/// page is read.
constexpr std::uint32_t kExportPageSize = 200;
constexpr std::size_t kExportBacklogBytes = std::size_t{1} << 20U;
constexpr Millis kExportPause{20};
constexpr auto kJsonLines = "application/x-ndjson";

const std::vector<std::string_view> kParameters{"filter", "state", "topic",  "biz_key", "recipient",
                                                "sender", "sort",  "cursor", "limit",   "count"};

struct ListQuery {
    JobSearch search;
    bool wantsCount = false;
};

json::Parsed<ListQuery> listQueryOf(const Request& request)
{
    if (auto problem = invalidParameter(request, kParameters)) {
        return tl::unexpected(std::move(*problem));
    }
    auto selection =
        TRY(selectionOf([&request](std::string_view name) -> std::optional<std::string> {
            const auto text = request.parameter(name);
            return text ? std::optional<std::string>(*text) : std::nullopt;
        }));
    const auto sort = request.parameter("sort").value_or("due");
    if (sort != "due" && sort != "-due") {
        return fieldError("sort", "is due or -due");
    }
    const auto limit = TRY(numberIn(request, "limit", 1, kMaxPageSize, kDefaultPageSize));
    const auto wantsCount = TRY(flagIn(request, "count"));
    ListQuery query;
    query.search.filter = std::move(selection.filter);
    query.search.states = std::move(selection.states);
    query.search.order = sort == "due" ? JobSearch::Order::Ascending : JobSearch::Order::Descending;
    query.search.cursor = request.parameter("cursor").value_or("");
    query.search.limit = static_cast<std::uint32_t>(limit);
    query.wantsCount = wantsCount;
    return query;
}

nlohmann::json pageOf(const SearchPage& page)
{
    nlohmann::json document{{"jobs", json::listOf(page.jobs)}, {"cursor", nullptr}};
    if (page.hasMore()) {
        document["cursor"] = page.cursor;
    }
    return document;
}

/// Counts until the end, the bound, or until the client disconnects.
class CountRun : public std::enable_shared_from_this<CountRun> {
public:
    CountRun(const V1Services& services, HttpCallPtr call, JobSearch search, SearchPage page)
        : services_(services),
          call_(std::move(call)),
          search_(std::move(search)),
          page_(std::move(page))
    {
        search_.cursor.clear();
    }

    void next()
    {
        services_.inspector.count(
            search_,
            [self = shared_from_this()](const Result<JobCount>& count) { self->handle(count); });
    }

private:
    void handle(const Result<JobCount>& count)
    {
        if (!count) {
            return call_->respond(errorResponse(count.error()));
        }
        for (const auto& [state, jobs] : count->states) {
            total_ += jobs;
        }
        examined_ += count->examined;
        search_.cursor = count->cursor;
        const bool more = !search_.cursor.empty();
        if (more && examined_ < kMostExaminedJobs) {
            return call_->closed() ? void() : next();
        }
        auto document = pageOf(page_);
        document["count"] = total_;
        document["count_complete"] = !more;
        call_->respond(jsonReply(200, document));
    }

    const V1Services& services_;
    HttpCallPtr call_;
    JobSearch search_;
    SearchPage page_;
    std::uint64_t total_ = 0;
    std::uint64_t examined_ = 0;
};

/// Sends every matching job as one line, as fast as the client reads.
class ExportStream : public std::enable_shared_from_this<ExportStream> {
public:
    ExportStream(const V1Services& services, HttpCallPtr call, JobSearch search)
        : services_(services),
          call_(std::move(call)),
          search_(std::move(search)),
          pauseTimer_(services.loop)
    {
        search_.limit = kExportPageSize;
    }

    void next()
    {
        services_.inspector.search(
            search_,
            [self = shared_from_this()](const Result<SearchPage>& page) { self->handle(page); });
    }

private:
    void handle(const Result<SearchPage>& page)
    {
        if (!page) {
            return fail(page.error());
        }
        if (!streamBegun_ && !call_->beginStream(kJsonLines)) {
            return;
        }
        streamBegun_ = true;
        std::string lines;
        for (const auto& view : page->jobs) {
            lines += json::toString(json::exportOf(view)) + "\n";
        }
        if (!lines.empty()) {
            call_->send(std::move(lines));
        }
        search_.cursor = page->cursor;
        page->hasMore() ? continueWhenRead() : call_->endStream();
    }

    /// Once the answer has begun, its status cannot change: the problem is the last line, which no
    /// import takes for a job.
    void fail(const Error& error)
    {
        const auto refusal = errorResponse(error);
        if (!streamBegun_) {
            return call_->respond(refusal);
        }
        call_->send(refusal.body + "\n");
        call_->endStream();
    }

    void continueWhenRead()
    {
        if (call_->closed()) {
            return fail({ErrorCode::Unavailable, "the export was cut off: the server is stopping"});
        }
        if (call_->backlog() < kExportBacklogBytes) {
            return next();
        }
        pauseTimer_.arm(kExportPause, [self = shared_from_this()] { self->continueWhenRead(); });
    }

    const V1Services& services_;
    HttpCallPtr call_;
    JobSearch search_;
    Timer pauseTimer_;
    bool streamBegun_ = false;
};

void listJobs(const V1Services& services, const HttpCallPtr& call)
{
    auto query = listQueryOf(call->request());
    if (!query) {
        return call->respond(errorResponse(query.error()));
    }
    if (call->request().header("Accept").value_or("").find(kJsonLines) != std::string_view::npos) {
        return std::make_shared<ExportStream>(services, call, std::move(query->search))->next();
    }
    services.inspector.search(
        query->search, [&services, call, query = *query](const Result<SearchPage>& page) {
            if (!page) {
                return call->respond(errorResponse(page.error()));
            }
            if (!query.wantsCount) {
                return call->respond(jsonReply(200, pageOf(*page)));
            }
            std::make_shared<CountRun>(services, call, query.search, *page)->next();
        });
}

}  // namespace

void addListRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/jobs", Scope::Admin, Dialect::V1, servedBy(services, listJobs)});
}

}  // namespace restante::http
