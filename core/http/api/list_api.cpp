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

constexpr std::int64_t kMostOnAPage = 1'000;
constexpr std::int64_t kUsualPage = 100;
/// Jobs that counting looks at before it answers with what it has: some seconds of Redis' time, in
/// pieces between which others are served.
constexpr std::uint64_t kMostCounted = 1'000'000;
/// A page of an export, and what may wait for a slow reader before the next is read.
constexpr std::uint32_t kExportPage = 200;
constexpr std::size_t kExportBacklog = std::size_t{1} << 20U;
constexpr Millis kExportPause{20};
constexpr auto kJsonLines = "application/x-ndjson";

const std::vector<std::string_view> kParameters{"filter", "state", "topic",  "biz_key", "recipient",
                                                "sender", "sort",  "cursor", "limit",   "count"};

struct ListQuery {
    JobSearch search;
    bool count = false;
};

json::Parsed<ListQuery> listQueryOf(const Request& request)
{
    if (auto problem = wrongParameter(request, kParameters)) {
        return tl::unexpected(std::move(*problem));
    }
    auto selection =
        TRY(selectionOf([&request](std::string_view name) -> std::optional<std::string> {
            const auto text = request.parameter(name);
            return text ? std::optional<std::string>(*text) : std::nullopt;
        }));
    const auto sort = request.parameter("sort").value_or("due");
    if (sort != "due" && sort != "-due") {
        return wrong("sort", "is due or -due");
    }
    const auto limit = TRY(numberIn(request, "limit", 1, kMostOnAPage, kUsualPage));
    const auto count = TRY(flagIn(request, "count"));
    ListQuery query;
    query.search.filter = std::move(selection.filter);
    query.search.states = std::move(selection.states);
    query.search.order = sort == "due" ? JobSearch::Order::Ascending : JobSearch::Order::Descending;
    query.search.cursor = request.parameter("cursor").value_or("");
    query.search.limit = static_cast<std::uint32_t>(limit);
    query.count = count;
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

/// Counts on and on until the end, the bound, or the client's going.
class Counting : public std::enable_shared_from_this<Counting> {
public:
    Counting(const V1Services& services, HttpCallPtr call, JobSearch search, SearchPage page)
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
            return call_->respond(refused(count.error()));
        }
        for (const auto& [state, jobs] : count->states) {
            total_ += jobs;
        }
        examined_ += count->examined;
        search_.cursor = count->cursor;
        const bool more = !search_.cursor.empty();
        if (more && examined_ < kMostCounted) {
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

/// Every matching job, a line each, as fast as the client reads.
class Export : public std::enable_shared_from_this<Export> {
public:
    Export(const V1Services& services, HttpCallPtr call, JobSearch search)
        : services_(services),
          call_(std::move(call)),
          search_(std::move(search)),
          pause_(services.loop)
    {
        search_.limit = kExportPage;
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
        if (!begun_ && !call_->beginStream(kJsonLines)) {
            return;
        }
        begun_ = true;
        std::string lines;
        for (const auto& view : page->jobs) {
            lines += json::print(json::exportOf(view)) + "\n";
        }
        if (!lines.empty()) {
            call_->send(std::move(lines));
        }
        search_.cursor = page->cursor;
        page->hasMore() ? advance() : call_->endStream();
    }

    /// In the middle of an answer there is no status any more: the last line is the problem, which
    /// no import takes for a job.
    void fail(const Error& error)
    {
        const auto refusal = refused(error);
        if (!begun_) {
            return call_->respond(refusal);
        }
        call_->send(refusal.body + "\n");
        call_->endStream();
    }

    void advance()
    {
        if (call_->closed()) {
            return fail({ErrorCode::Unavailable, "the export was cut off: the server is stopping"});
        }
        if (call_->backlog() < kExportBacklog) {
            return next();
        }
        pause_.arm(kExportPause, [self = shared_from_this()] { self->advance(); });
    }

    const V1Services& services_;
    HttpCallPtr call_;
    JobSearch search_;
    Timer pause_;
    bool begun_ = false;
};

void listJobs(const V1Services& services, const HttpCallPtr& call)
{
    auto query = listQueryOf(call->request());
    if (!query) {
        return call->respond(refused(query.error()));
    }
    if (call->request().header("Accept").value_or("").find(kJsonLines) != std::string_view::npos) {
        return std::make_shared<Export>(services, call, std::move(query->search))->next();
    }
    services.inspector.search(
        query->search, [&services, call, query = *query](const Result<SearchPage>& page) {
            if (!page) {
                return call->respond(refused(page.error()));
            }
            if (!query.count) {
                return call->respond(jsonReply(200, pageOf(*page)));
            }
            std::make_shared<Counting>(services, call, query.search, *page)->next();
        });
}

}  // namespace

void addListRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/jobs", Scope::Admin, Dialect::V1, servedBy(services, listJobs)});
}

}  // namespace restante::http
