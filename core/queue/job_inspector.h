#pragma once

#include "core/base/interface.h"
#include "core/queue/job_store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante {

struct JobCount;
struct JobSearch;
struct MailboxContent;
struct MailboxPage;
struct MailboxQuery;
struct MailboxRequest;
struct RankPage;
struct RankQuery;
struct SearchPage;
struct TopicView;

/// The query of list(). Empty members do not restrict.
struct JobQuery {
    std::optional<JobState> state = {};
    std::string topic = {};
    std::optional<Channel> channel = {};
    std::string recipient = {};
    std::string sender = {};
    std::string bizKey = {};
    std::string cursor = {};    ///< from the page before, or empty
    std::uint32_t limit = 100;  ///< 1 - 1000
};

struct JobPage {
    /// Of list() by state, then JobView::due; of indexed() by id within a shard.
    std::vector<JobView> jobs;
    std::string cursor;  ///< of the next page, empty at the end
};

/// The secondary indexes: every job pushed with `Job::findByKey` is in the first, every job pushed
/// with `Job::findBySender` in the second, in whatever state, until its record is forgotten.
struct IndexQuery {
    enum class Kind { BizKey, Sender };
    Kind kind = Kind::BizKey;
    std::string value = {};
    std::string cursor = {};
    std::uint32_t limit = 100;  ///< 1 - 1000
};

struct TopicCounts {
    Channel channel = Channel::Pull;
    std::string topic;
    std::uint64_t scheduled = 0;
    std::uint64_t ready = 0;
};

/// Every state with a count of 0.
inline std::map<JobState, std::uint64_t> noJobs()
{
    std::map<JobState, std::uint64_t> counts;
    for (const auto state : kJobStates) {
        counts.emplace(state, 0);
    }
    return counts;
}

struct StoreCounts {
    std::map<JobState, std::uint64_t> states = noJobs();  ///< every state is named
    std::vector<TopicCounts> topics;
    std::uint64_t mailboxes = 0;
};

/// The interface for reading jobs without changing them: for command line, HTTP and console. A page
/// never blocks the store for more than one bounded command at a time. *One loop.*
class JobInspector : public Interface {
public:
    /// NotFound when there is no such job.
    virtual void show(std::string id, Done<JobView> done) = 0;
    virtual void list(JobQuery query, Done<JobPage> done) = 0;
    virtual void counts(Done<StoreCounts> done) = 0;

    /// A page of matching jobs; fewer than `limit`, even none, when the budget is used up: then the
    /// cursor continues. Invalid: the cursor belongs to another search.
    virtual void search(JobSearch search, Done<SearchPage> done) = 0;
    /// Any page, by its rank, for the cost of some look-ups in each set that has jobs of the
    /// states; it does not grow with the number of jobs before the page.
    virtual void ranked(RankQuery query, Done<RankPage> done) = 0;
    /// How many match, by state: all that search() would list. A filter that only names states, or
    /// topics and channels of scheduled and ready jobs, is counted without reading jobs; otherwise
    /// the budget bounds each call, and the cursor continues.
    virtual void count(JobSearch search, Done<JobCount> done) = 0;
    /// The jobs that an index has for one value, by id within a shard.
    virtual void indexed(IndexQuery query, Done<JobPage> done) = 0;
    /// How many jobs an index has for one value, in any state, for the cost of a look-up.
    virtual void
    countIndexed(IndexQuery::Kind kind, std::string value, Done<std::uint64_t> done) = 0;

    /// Calls `onBatch` with the remembered once keys, some at a time, by span and key within a
    /// shard.
    virtual void onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done) = 0;

    /// Every topic that has scheduled or ready jobs, is paused, or is limited; by name.
    virtual void topics(Done<std::vector<TopicView>> done) = 0;

    /// Recipients with waiting messages, the fullest mailboxes first. Each page scans all
    /// mailboxes, in bounded steps, and so is exact within the budget. Invalid: the cursor is not
    /// one of a page.
    virtual void mailboxes(MailboxQuery query, Done<MailboxPage> done) = 0;
    /// One mailbox with its newest messages; an empty one for a recipient without messages.
    virtual void mailbox(MailboxRequest request, Done<MailboxContent> done) = 0;
};

}  // namespace restante
