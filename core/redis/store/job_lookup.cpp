#include "core/redis/store/job_lookup.h"

#include "core/job/job_id.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// Jobs shown in one turn: with bodies of the largest size a few megabytes.
constexpr std::size_t kAtOnce = 100;

/// Where ids come from: given, or a shard's index.
struct Source {
    std::vector<std::string> ids;
    std::size_t shard = 0;
    std::string front;
};

struct Place {
    std::size_t source = 0;
    std::string after;  ///< the last id seen, or empty

    std::string print() const { return fmt::format("found {} {}", source, after); }
    static std::optional<Place> parse(std::string_view text)
    {
        constexpr std::string_view kWord = "found ";
        if (!text.starts_with(kWord)) {
            return std::nullopt;
        }
        text.remove_prefix(kWord.size());
        Place place;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), place.source);
        const auto length = static_cast<std::size_t>(end - text.data());
        if (error != std::errc{} || length >= text.size() || text[length] != ' ') {
            return std::nullopt;
        }
        place.after = text.substr(length + 1);
        return place.after.empty() || checkedJobId(place.after) ? std::optional(place)
                                                                : std::nullopt;
    }
};

/// A look-up on its way. Shared by the answers it waits for.
class Run : public std::enable_shared_from_this<Run> {
public:
    Run(const ShardQueues& shards,
        const Clock& clock,
        JobLookup lookup,
        std::vector<Source> sources,
        Place place,
        Done<ScannedJobs> done)
        : shards_(shards),
          clock_(clock),
          lookup_(std::move(lookup)),
          sources_(std::move(sources)),
          place_(std::move(place)),
          done_(std::move(done))
    {
    }

    void goOn()
    {
        if (place_.source >= sources_.size()) {
            return done_(std::move(found_));
        }
        const auto& source = sources_[place_.source];
        if (source.front.empty()) {
            const auto first = std::upper_bound(source.ids.begin(), source.ids.end(), place_.after);
            const auto count =
                std::min<std::size_t>(kAtOnce, static_cast<std::size_t>(source.ids.end() - first));
            return look({first, first + static_cast<std::ptrdiff_t>(count)});
        }
        shards_[source.shard]->add(script("index"), {},
                                   {source.front, place_.after, std::to_string(kAtOnce)},
                                   [self = shared_from_this()](const Result<Reply>& reply) {
                                       if (!reply) {
                                           return self->done_(tl::unexpected(reply.error()));
                                       }
                                       auto ids = textsOf(*reply);
                                       ids.erase(ids.begin(), ids.begin() + (ids.empty() ? 0 : 1));
                                       self->look(std::move(ids));
                                   });
    }

private:
    void look(std::vector<std::string> ids)
    {
        if (ids.empty()) {
            ++place_.source;
            place_.after.clear();
            return goOn();
        }
        ids_ = std::move(ids);
        views_.assign(ids_.size(), std::nullopt);
        missing_ = ids_.size();
        const auto shards = static_cast<std::uint32_t>(shards_.size());
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            shards_[shardOfId(ids_[i], shards)]->add(
                script("show"), ids_[i], {ids_[i]},
                [self = shared_from_this(), i](const Result<Reply>& reply) {
                    self->gather(i, reply);
                });
        }
    }

    void gather(std::size_t i, const Result<Reply>& reply)
    {
        if (!reply) {
            error_ = reply.error();
        } else if (auto view = shownJobOf(reply, ids_[i], clock_.now())) {
            views_[i] = std::move(*view);
        }  // else it has gone in the meantime, or is damaged
        if (--missing_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        if (take()) {
            found_.cursor = place_.print();
            return done_(std::move(found_));
        }
        goOn();
    }

    /// Whether that is enough.
    bool take()
    {
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            place_.after = ids_[i];
            ++found_.examined;
            auto& view = views_[i];
            if (view && lookup_.matches(*view)) {
                ++found_.counts[view->state];
                if (lookup_.limit != 0) {
                    found_.jobs.push_back(std::move(*view));
                }
            }
            if (lookup_.limit != 0 && found_.jobs.size() >= lookup_.limit) {
                return true;
            }
        }
        return found_.examined >= lookup_.budget;
    }

    const ShardQueues& shards_;
    const Clock& clock_;
    JobLookup lookup_;
    std::vector<Source> sources_;
    Place place_;
    Done<ScannedJobs> done_;
    std::vector<std::string> ids_;
    std::vector<std::optional<JobView>> views_;
    std::size_t missing_ = 0;
    std::optional<Error> error_;
    ScannedJobs found_;
};

std::vector<Source> sourcesOf(const JobLookup& lookup, std::size_t shards)
{
    std::vector<Source> sources;
    for (const auto& front : lookup.fronts) {
        for (std::size_t shard = 0; shard < shards; ++shard) {
            sources.push_back({.ids = {}, .shard = shard, .front = front});
        }
    }
    Source given;
    for (const auto& id : lookup.ids) {
        if (checkedJobId(id)) {  // what is no id is no job's
            given.ids.push_back(id);
        }
    }
    std::sort(given.ids.begin(), given.ids.end());
    given.ids.erase(std::unique(given.ids.begin(), given.ids.end()), given.ids.end());
    if (!given.ids.empty()) {
        sources.push_back(std::move(given));
    }
    return sources;
}

}  // namespace

std::string indexFront(IndexQuery::Kind kind, std::string_view value)
{
    std::string front(kind == IndexQuery::Kind::BizKey ? "b" : "s");
    front.append(1, '\0').append(value).append(1, '\0');
    return front;
}

void lookUpJobs(EventLoop& loop,
                const ShardQueues& shards,
                const Clock& clock,
                JobLookup lookup,
                Done<ScannedJobs> done)
{
    auto sources = sourcesOf(lookup, shards.size());
    Place place;
    if (!lookup.cursor.empty()) {
        auto read = Place::parse(lookup.cursor);
        if (!read || read->source >= sources.size()) {
            return loop.post([done = std::move(done)] {
                done(failure(ErrorCode::Invalid,
                             "cursor: belongs to another search; begin without it"));
            });
        }
        place = std::move(*read);
    }
    if (sources.empty()) {
        return loop.post([done = std::move(done)] { done(ScannedJobs{}); });
    }
    // Through the loop, because ids that are given and already behind the cursor end at once.
    if (sources[place.source].front.empty() && sources[place.source].ids.back() <= place.after) {
        return loop.post([done = std::move(done)] { done(ScannedJobs{}); });
    }
    std::make_shared<Run>(shards, clock, std::move(lookup), std::move(sources), std::move(place),
                          std::move(done))
        ->goOn();
}

void countInIndex(const ShardQueues& shards, const std::string& front, Done<std::uint64_t> done)
{
    struct Sum {
        std::size_t missing;
        std::uint64_t count = 0;
        std::optional<Error> error{};
    };
    auto sum = std::make_shared<Sum>(Sum{shards.size()});
    for (const auto& shard : shards) {
        shard->add(script("index"), {}, {front, "", "0"}, [sum, done](const Result<Reply>& reply) {
            const auto numbers = reply ? numbersOf(*reply) : std::vector<std::uint64_t>{};
            sum->count += numbers.empty() ? 0 : numbers.front();
            if (!reply) {
                sum->error = reply.error();
            }
            if (--sum->missing > 0) {
                return;
            }
            if (sum->error) {
                return done(tl::unexpected(*sum->error));
            }
            done(sum->count);
        });
    }
}

}  // namespace restante::redis
