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

/// A connection that takes longer is not worth a slot; the whole exchange has `timeout`.
constexpr Millis kConnectTimeout{5'000};
/// Only the status and the headers of an answer count; but one that is not read to its end costs
/// the connection.
constexpr std::size_t kAnswerLimit = 65'536;

/// What one POST carries at most.
constexpr std::size_t kLargestGroup = 100;
constexpr std::size_t kLargestGroupBody = 1'048'576;

/// Who waits longer for its host's turn waits in the store.
constexpr Millis kLongestWait{2'000};
/// ... until about its turn, but not so long that a host which is well again notices. One that has
/// given no answer for long gets longer, or a backlog of many thousands would go to and fro.
constexpr Millis kAbsence{30'000};
constexpr Millis kLongestAbsence{600'000};
/// How often slow hosts are noticed, and how long an idle host's pace is remembered.
constexpr Millis kLook{250};
constexpr Millis kMemory{60'000};

/// Jobs that travel in one POST.
struct Shipment {
    std::vector<ClaimedJob> jobs;
    WebUrl url;
    Courier::Report report;
    TimePoint sent{};
};

/// What goes to one host and port.
struct HostQueue {
    std::deque<Shipment> waiting;
    std::size_t onTheWay = 0;
    double pace = 0;       ///< ms between two turns while somebody waited, smoothed
    TimePoint turnAt{};    ///< when somebody last had a turn, or began to wait for one
    TimePoint promised{};  ///< until then its turns are given to jobs that were sent back
    TimePoint lastUsed{};
    std::size_t unanswered = 0;  ///< exchanges without an answer since the last with one
};

std::string hostOf(const WebUrl& url)
{
    return (url.tls ? "https://" : "http://") + url.authority();
}

}  // namespace

class WebhookCourier::Impl : public std::enable_shared_from_this<WebhookCourier::Impl> {
public:
    Impl(EventLoop& loop, const Clock& clock, Settings settings)
        : loop_(loop),
          clock_(clock),
          settings_(std::move(settings)),
          look_(loop),
          client_(loop,
                  {.policy = settings_.policy,
                   .idle = settings_.concurrency,
                   .caFile = settings_.caFile})
    {
    }

    std::size_t capacity() const noexcept
    {
        return isDraining_ ? 0 : settings_.concurrency - std::min(inHand_, settings_.concurrency);
    }

    void carry(std::vector<ClaimedJob> jobs, Report report)
    {
        inHand_ += jobs.size();
        auto url = parseWebUrl(jobs.front().job.recipient);
        Shipment shipment{std::move(jobs), url.value_or(WebUrl{}), std::move(report)};
        if (!url) {
            return tellLater(std::move(shipment),
                             {.kind = Kind::Dead, .reason = "recipient: " + url.error().message});
        }
        if (isDraining_) {
            return tellLater(std::move(shipment), {.kind = Kind::Returned});
        }
        auto& queue = queues_[hostOf(shipment.url)];
        queue.lastUsed = clock_.now();
        keepLooking();
        if (queue.onTheWay < settings_.perHost) {
            return send(queue, std::move(shipment));
        }
        wait(queue, std::move(shipment));
        shed(queue);
    }

    bool joins(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const
    {
        const auto& first = group.front().job;
        if (!settings_.groups || group.size() >= kLargestGroup ||
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

    void setSecrets(WebhookSecrets secrets) { settings_.secrets = std::move(secrets); }

    void drain()
    {
        isDraining_ = true;
        for (auto& [host, queue] : queues_) {
            for (auto& shipment : std::exchange(queue.waiting, {})) {
                tellLater(std::move(shipment), {.kind = Kind::Returned});
            }
        }
    }

private:
    void send(HostQueue& queue, Shipment shipment)
    {
        auto request = webhookRequest(shipment.jobs, settings_.secrets, clock_.now());
        request.timeout = settings_.timeout;
        request.connectTimeout = std::min(kConnectTimeout, settings_.timeout);
        request.answerLimit = kAnswerLimit;
        // The handler goes with the client, which is a member.
        auto number = std::make_shared<HttpClient::RequestId>(0);
        *number = client_.send(std::move(request), [this, number](const HttpResult& result) {
            arrived(*number, result);
        });
        ++queue.onTheWay;
        shipment.sent = clock_.now();
        sent_.emplace(*number, std::move(shipment));
    }

    void arrived(HttpClient::RequestId number, const HttpResult& result)
    {
        const auto self = shared_from_this();  // a report may destroy the courier
        auto shipment = std::move(sent_.extract(number).mapped());
        const auto host = hostOf(shipment.url);
        auto& queue = queues_.at(host);
        const auto now = clock_.now();
        --queue.onTheWay;
        queue.unanswered = result ? 0 : queue.unanswered + 1;
        turned(queue, now);
        const auto outcome = judge(result, shipment.url, now);
        if (result && outcome.kind == Kind::Dead && shipment.jobs.size() > 1) {
            split(queue, std::move(shipment));
        } else {
            tell(shipment, outcome, &result);
        }
        sendNext(host);
    }

    void wait(HostQueue& queue, Shipment shipment)
    {
        if (queue.waiting.empty()) {
            queue.turnAt = clock_.now();
        }
        queue.waiting.push_back(std::move(shipment));
    }

    /// Learns how often the host takes one, from the turns for which somebody waited.
    void turned(HostQueue& queue, TimePoint now) const
    {
        if (!queue.waiting.empty()) {
            // Answers may come in bursts as wide as the host has slots: look at two of them.
            const auto newest = 0.5 / static_cast<double>(settings_.perHost);
            const auto waited = static_cast<double>((now - queue.turnAt).count());
            queue.pace += (waited - queue.pace) * newest;
        }
        queue.turnAt = now;
        queue.lastUsed = now;
    }

    void sendNext(const std::string& host)
    {
        auto& queue = queues_.at(host);
        while (queue.onTheWay < settings_.perHost && !queue.waiting.empty()) {
            auto next = std::move(queue.waiting.front());
            queue.waiting.pop_front();
            send(queue, std::move(next));
        }
    }

    /// A receiver that refuses a group for good may have meant one of its jobs: each by itself.
    void split(HostQueue& queue, Shipment shipment)
    {
        const auto count = shipment.jobs.size();
        const auto gathered = std::make_shared<std::vector<Outcome>>(count);
        const auto answered = countDown(
            count, [gathered, report = std::move(shipment.report)] { report(*gathered); });
        for (std::size_t i = 0; i < count; ++i) {
            auto report = [gathered, answered, i](std::vector<Outcome> outcomes) {
                (*gathered)[i] = std::move(outcomes.front());
                answered();
            };
            std::vector<ClaimedJob> single;
            single.push_back(std::move(shipment.jobs[i]));
            Shipment one{std::move(single), shipment.url, std::move(report)};
            if (isDraining_) {
                tellLater(std::move(one), {.kind = Kind::Returned});
            } else {
                wait(queue, std::move(one));
            }
        }
    }

    /// `result` is null when nothing was sent.
    void tell(const Shipment& shipment, const Outcome& outcome, const HttpResult* result = nullptr)
    {
        inHand_ -= shipment.jobs.size();
        std::vector<Outcome> outcomes(shipment.jobs.size(), outcome);
        for (std::size_t i = 0; result != nullptr && i < outcomes.size(); ++i) {
            outcomes[i].note = noteOf(shipment, shipment.jobs[i], *result);
        }
        shipment.report(std::move(outcomes));
    }

    std::string
    noteOf(const Shipment& shipment, const ClaimedJob& claimed, const HttpResult& result) const
    {
        AttemptLine line{.attempt = claimed.attempt, .sent = shipment.sent};
        line.request = "POST " + withoutQuery(claimed.job.recipient);
        tellExchange(line, result, std::max(Millis{0}, clock_.now() - shipment.sent));
        return print(line);
    }

    void tellLater(Shipment shipment, Outcome outcome)
    {
        const auto shared = std::make_shared<Shipment>(std::move(shipment));
        loop_.post(whileAlive(*this, [shared, outcome = std::move(outcome)](Impl& self) {
            self.tell(*shared, outcome);
        }));
    }

    /// ms a turn: as before, or more when all slots have been busy for longer.
    double paceOf(const HostQueue& queue) const
    {
        const auto sinceTurn = static_cast<double>((clock_.now() - queue.turnAt).count());
        return std::max(queue.pace, sinceTurn / static_cast<double>(settings_.perHost));
    }

    /// Sends back from the end of the queue who would wait too long, each for a moment of its own.
    /// That is at half of what the wait seems to be: who comes back too early is sent back again,
    /// but a host must not stand idle because it was slow once.
    void shed(HostQueue& queue)
    {
        constexpr double kHope = 0.5;
        const auto now = clock_.now();
        const auto pace = paceOf(queue);
        const auto behind = [pace](double others) {
            return Millis{static_cast<Millis::rep>(pace * others)};
        };
        const auto rounds = static_cast<Millis::rep>(1 + queue.unanswered / settings_.perHost);
        const auto latest = now + std::min(kAbsence * rounds, kLongestAbsence);
        while (!queue.waiting.empty()) {
            const auto place = static_cast<double>(queue.waiting.size());
            if (behind(place) <= kLongestWait) {
                return;
            }
            const auto turn = std::max(queue.promised + behind(kHope), now + behind(place * kHope));
            queue.promised = std::min(turn, latest);
            tellLater(std::move(queue.waiting.back()),
                      {.kind = Kind::Returned, .wait = queue.promised - now});
            queue.waiting.pop_back();
        }
    }

    void keepLooking()
    {
        if (!look_.armed()) {
            look_.arm(kLook, [this] { look(); });
        }
    }

    void look()
    {
        const auto now = clock_.now();
        std::erase_if(queues_, [&](const auto& named) {
            const auto& queue = named.second;
            return queue.onTheWay == 0 && queue.waiting.empty() && now - queue.lastUsed > kMemory;
        });
        for (auto& [host, queue] : queues_) {
            shed(queue);
        }
        if (!queues_.empty()) {
            keepLooking();
        }
    }

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    Timer look_;
    HttpClient client_;
    std::map<std::string, HostQueue> queues_;
    std::map<HttpClient::RequestId, Shipment> sent_;
    std::size_t inHand_ = 0;  ///< jobs
    bool isDraining_ = false;
};

WebhookCourier::WebhookCourier(EventLoop& loop, const Clock& clock, Settings settings)
    : impl_(std::make_shared<Impl>(loop, clock, std::move(settings)))
{
}

WebhookCourier::~WebhookCourier() = default;

std::size_t WebhookCourier::capacity() const noexcept
{
    return impl_->capacity();
}

void WebhookCourier::carry(std::vector<ClaimedJob> jobs, Report report)
{
    impl_->carry(std::move(jobs), std::move(report));
}

bool WebhookCourier::joins(const std::vector<ClaimedJob>& group, const ClaimedJob& next) const
{
    return impl_->joins(group, next);
}

void WebhookCourier::setSecrets(WebhookSecrets secrets)
{
    impl_->setSecrets(std::move(secrets));
}

void WebhookCourier::drain()
{
    impl_->drain();
}

}  // namespace restante::delivery
