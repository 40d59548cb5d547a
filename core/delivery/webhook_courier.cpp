#include "core/delivery/webhook_courier.h"

#include "core/base/async_task.h"
#include "core/base/while_alive.h"
#include "core/delivery/attempt_line.h"
#include "core/delivery/webhook_response_policy.h"
#include "core/queue/job_search.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace restante::delivery {

namespace {

using Kind = Outcome::Kind;

/// A connection that takes longer gives up its slot; the whole exchange has `timeout`.
constexpr Millis kConnectTimeout{5'000};
/// Only the status and the headers of an answer count, but a connection can be reused only if the
/// body is read to its end.
constexpr std::size_t kAnswerLimit = 65'536;

/// The limits of one POST.
constexpr std::size_t kLargestGroup = 100;
constexpr std::size_t kLargestGroupBody = 1'048'576;

/// Jobs that would wait longer for their host are given back to the store.
constexpr Millis kLongestWait{2'000};
/// The most that such a job waits in the store, so that a host that has recovered is used soon. For
/// a host without answers it grows, or a backlog of many thousands would be claimed and given back
/// all the time.
constexpr Millis kLongestReturnWait{30'000};
constexpr Millis kLongestUnansweredWait{600'000};
/// How often queues are checked, and how long an idle host's interval is remembered.
constexpr Millis kCheckInterval{250};
constexpr Millis kIdleQueueLifetime{60'000};

/// Jobs that travel in one POST.
struct PostBatch {
    std::vector<ClaimedJob> jobs;
    WebUrl url;
    Courier::Report report;
    TimePoint sent{};
};

/// The jobs for one host and port. The end of a request is a turn: the next batch is sent then.
struct HostQueue {
    std::deque<PostBatch> waiting;
    std::size_t inFlight = 0;
    double turnInterval = 0;    ///< average ms between turns while somebody waited
    TimePoint lastTurnTime{};   ///< of the last turn, or when the first began to wait
    TimePoint promisedUntil{};  ///< turns until then belong to jobs given back
    TimePoint lastUsed{};
    std::size_t unanswered = 0;  ///< requests without an answer since the last answer
};

std::string hostUrlOf(const WebUrl& url)
{
    return (url.tls ? "https://" : "http://") + url.authority();
}

class WebhookCourierImpl final : public WebhookCourier,
                                 public std::enable_shared_from_this<WebhookCourierImpl> {
public:
    WebhookCourierImpl(EventLoop& loop, const Clock& clock, Settings settings)
        : loop_(loop),
          clock_(clock),
          settings_(std::move(settings)),
          checkTimer_(loop),
          client_(loop,
                  {.policy = settings_.policy,
                   .maxIdleConnections = settings_.concurrency,
                   .caFile = settings_.caFile})
    {
    }

    std::size_t capacity() const noexcept override
    {
        return isDraining_ ? 0
                           : settings_.concurrency - std::min(jobsInFlight_, settings_.concurrency);
    }

    void deliver(std::vector<ClaimedJob> jobs, Report report) override
    {
        jobsInFlight_ += jobs.size();
        auto url = parseWebUrl(jobs.front().job.recipient);
        PostBatch batch{std::move(jobs), url.value_or(WebUrl{}), std::move(report)};
        if (!url) {
            return reportLater(std::move(batch),
                               {.kind = Kind::Dead, .reason = "recipient: " + url.error().message});
        }
        if (isDraining_) {
            return reportLater(std::move(batch), {.kind = Kind::Returned});
        }
        auto& queue = queues_[hostUrlOf(batch.url)];
        queue.lastUsed = clock_.now();
        armCheck();
        if (queue.inFlight < settings_.maxRequestsPerHost) {
            return send(queue, std::move(batch));
        }
        enqueue(queue, std::move(batch));
        returnLateBatches(queue);
    }

    /// Of a topic that is grouped: the same URL and headers, at most 100 jobs and 1 MiB.
    bool mayJoin(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const override
    {
        const auto& first = group.front().job;
        if (!settings_.groupsJobs || group.size() >= kLargestGroup ||
            first.recipient != next.job.recipient || first.headers != next.job.headers ||
            !isWanted(settings_.groupTopics, first.topic)) {
            return false;
        }
        auto bytes = next.job.body.size();
        for (const auto& one : group) {
            bytes += one.job.body.size();
        }
        return bytes <= kLargestGroupBody;
    }

    void setSecrets(WebhookSecrets secrets) override { settings_.secrets = std::move(secrets); }

    void drain() override
    {
        isDraining_ = true;
        for (auto& [host, queue] : queues_) {
            for (auto& batch : std::exchange(queue.waiting, {})) {
                reportLater(std::move(batch), {.kind = Kind::Returned});
            }
        }
    }

private:
    void send(HostQueue& queue, PostBatch batch)
    {
        auto request = webhookRequest(batch.jobs, settings_.secrets, clock_.now());
        request.timeout = settings_.timeout;
        request.connectTimeout = std::min(kConnectTimeout, settings_.timeout);
        request.answerLimit = kAnswerLimit;
        // The client, which is a member, drops the handler when it is destroyed.
        auto number = std::make_shared<HttpClient::RequestId>(0);
        *number = client_.send(std::move(request), [this, number](const HttpResult& result) {
            handleResult(*number, result);
        });
        ++queue.inFlight;
        batch.sent = clock_.now();
        inFlight_.emplace(*number, std::move(batch));
    }

    void handleResult(HttpClient::RequestId number, const HttpResult& result)
    {
        const auto self = shared_from_this();  // a report may destroy the courier
        auto batch = std::move(inFlight_.extract(number).mapped());
        const auto host = hostUrlOf(batch.url);
        auto& queue = queues_.at(host);
        const auto now = clock_.now();
        --queue.inFlight;
        queue.unanswered = result ? 0 : queue.unanswered + 1;
        learnTurnInterval(queue, now);
        const auto outcome = outcomeOf(result, batch.url, now);
        if (result && outcome.kind == Kind::Dead && batch.jobs.size() > 1) {
            split(queue, std::move(batch));
        } else {
            reportOutcome(batch, outcome, &result);
        }
        sendNext(host);
    }

    void enqueue(HostQueue& queue, PostBatch batch)
    {
        if (queue.waiting.empty()) {
            queue.lastTurnTime = clock_.now();
        }
        queue.waiting.push_back(std::move(batch));
    }

    /// Updates the average interval between turns, from turns for which a batch waited.
    void learnTurnInterval(HostQueue& queue, TimePoint now) const
    {
        if (!queue.waiting.empty()) {
            // Answers may come in bursts of `maxRequestsPerHost`, so the average covers two bursts.
            const auto newestWeight = 0.5 / static_cast<double>(settings_.maxRequestsPerHost);
            const auto waited = static_cast<double>((now - queue.lastTurnTime).count());
            queue.turnInterval += (waited - queue.turnInterval) * newestWeight;
        }
        queue.lastTurnTime = now;
        queue.lastUsed = now;
    }

    void sendNext(const std::string& host)
    {
        auto& queue = queues_.at(host);
        while (queue.inFlight < settings_.maxRequestsPerHost && !queue.waiting.empty()) {
            auto next = std::move(queue.waiting.front());
            queue.waiting.pop_front();
            send(queue, std::move(next));
        }
    }

    /// A receiver that refuses a group for good may mean one of its jobs, so each is sent by
    /// itself.
    void split(HostQueue& queue, PostBatch batch)
    {
        const auto count = batch.jobs.size();
        const auto gatheredOutcomes = std::make_shared<std::vector<Outcome>>(count);
        const auto countAnswer =
            countDown(count, [gatheredOutcomes, report = std::move(batch.report)] {
                report(*gatheredOutcomes);
            });
        for (std::size_t i = 0; i < count; ++i) {
            auto report = [gatheredOutcomes, countAnswer, i](std::vector<Outcome> outcomes) {
                (*gatheredOutcomes)[i] = std::move(outcomes.front());
                countAnswer();
            };
            std::vector<ClaimedJob> single;
            single.push_back(std::move(batch.jobs[i]));
            PostBatch singleBatch{std::move(single), batch.url, std::move(report)};
            if (isDraining_) {
                reportLater(std::move(singleBatch), {.kind = Kind::Returned});
            } else {
                enqueue(queue, std::move(singleBatch));
            }
        }
    }

    /// `result` is null when nothing was sent.
    void reportOutcome(const PostBatch& batch,
                       const Outcome& outcome,
                       const HttpResult* result = nullptr)
    {
        jobsInFlight_ -= batch.jobs.size();
        std::vector<Outcome> outcomes(batch.jobs.size(), outcome);
        for (std::size_t i = 0; result != nullptr && i < outcomes.size(); ++i) {
            outcomes[i].note = noteOf(batch, batch.jobs[i], *result);
        }
        batch.report(std::move(outcomes));
    }

    std::string
    noteOf(const PostBatch& batch, const ClaimedJob& claimed, const HttpResult& result) const
    {
        AttemptLine line{.attempt = claimed.attempt, .sent = batch.sent};
        line.request = "POST " + withoutQuery(claimed.job.recipient);
        setHttpResult(line, result, std::max(Millis{0}, clock_.now() - batch.sent));
        return toString(line);
    }

    void reportLater(PostBatch batch, Outcome outcome)
    {
        const auto shared = std::make_shared<PostBatch>(std::move(batch));
        loop_.post(
            whileAlive(*this, [shared, outcome = std::move(outcome)](WebhookCourierImpl& self) {
                self.reportOutcome(*shared, outcome);
            }));
    }

    /// The interval in ms: the average, or more when all slots have been busy for longer.
    double turnIntervalOf(const HostQueue& queue) const
    {
        const auto sinceTurn = static_cast<double>((clock_.now() - queue.lastTurnTime).count());
        return std::max(queue.turnInterval,
                        sinceTurn / static_cast<double>(settings_.maxRequestsPerHost));
    }

    /// Gives back, from the end of the queue, the batches that would wait too long, each with a
    /// due time of its own: half of the estimated wait. A job that comes back too early is given
    /// back again, but a host must not be idle because it was slow once.
    void returnLateBatches(HostQueue& queue)
    {
        constexpr double kShareOfWait = 0.5;
        const auto now = clock_.now();
        const auto turnInterval = turnIntervalOf(queue);
        const auto waitBehind = [turnInterval](double others) {
            return Millis{static_cast<Millis::rep>(turnInterval * others)};
        };
        const auto rounds =
            static_cast<Millis::rep>(1 + queue.unanswered / settings_.maxRequestsPerHost);
        const auto latest = now + std::min(kLongestReturnWait * rounds, kLongestUnansweredWait);
        while (!queue.waiting.empty()) {
            const auto position = static_cast<double>(queue.waiting.size());
            if (waitBehind(position) <= kLongestWait) {
                return;
            }
            const auto turn = std::max(queue.promisedUntil + waitBehind(kShareOfWait),
                                       now + waitBehind(position * kShareOfWait));
            queue.promisedUntil = std::min(turn, latest);
            reportLater(std::move(queue.waiting.back()),
                        {.kind = Kind::Returned, .wait = queue.promisedUntil - now});
            queue.waiting.pop_back();
        }
    }

    void armCheck()
    {
        if (!checkTimer_.armed()) {
            checkTimer_.arm(kCheckInterval, [this] { checkQueues(); });
        }
    }

    void checkQueues()
    {
        const auto now = clock_.now();
        std::erase_if(queues_, [&](const auto& entry) {
            const auto& queue = entry.second;
            return queue.inFlight == 0 && queue.waiting.empty() &&
                   now - queue.lastUsed > kIdleQueueLifetime;
        });
        for (auto& [host, queue] : queues_) {
            returnLateBatches(queue);
        }
        if (!queues_.empty()) {
            armCheck();
        }
    }

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    Timer checkTimer_;
    HttpClient client_;
    std::map<std::string, HostQueue> queues_;
    std::map<HttpClient::RequestId, PostBatch> inFlight_;
    std::size_t jobsInFlight_ = 0;
    bool isDraining_ = false;
};

}  // namespace

std::shared_ptr<WebhookCourier>
WebhookCourier::make(EventLoop& loop, const Clock& clock, Settings settings)
{
    return std::make_shared<WebhookCourierImpl>(loop, clock, std::move(settings));
}

}  // namespace restante::delivery
