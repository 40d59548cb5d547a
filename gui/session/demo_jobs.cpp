#include "gui/session/demo_jobs.h"

#include "core/base/timestamp.h"
#include "core/job/job_id.h"

#include <array>
#include <fmt/format.h>

namespace restante::gui {

namespace {

constexpr std::array kPeople{"alice",  "bob",     "carol", "dmitri", "elena", "farid",  "grace",
                             "hiro",   "ines",    "jonas", "kira",   "liwei", "marta",  "nils",
                             "olivia", "pavel",   "quinn", "rosa",   "sven",  "tomasz", "uma",
                             "viktor", "wanjiku", "xu",    "yara",   "zoe"};
constexpr std::array kMessages{
    "Are you there? The meeting has moved to 15:30.",
    "Thanks, got it.",
    "Please call me back when you are home.",
    "火车晚点二十分钟，我们在站台见。",
    "The parcel is at the neighbour's.",
    "Can you send me the drawing again? The last one came without the legend.",
    "Bin um acht da. Soll ich Brot mitbringen?",
    "On call tonight: rosa. Gate code is unchanged.",
    "Server room door was left open, please check before you leave.",
    "Happy birthday! 🎂",
    "Ok",
};
constexpr std::array kTextMessages{
    "Your membership ends on 31 December. Renew it at the desk or online.",
    "Your code is 482913. It is valid for ten minutes.",
    "Dr. Haas: your appointment is tomorrow at 9:40.",
    "Your table for four is reserved for Friday, 19:00.",
};
constexpr std::array kHooks{
    "https://shop.example.com/hooks/order",       "https://crm.example.net/api/v2/events",
    "https://billing.example.org/restante",       "https://hooks.example.io/T024/B77/notify",
    "https://warehouse.example.com/pick/confirm",
};
constexpr std::array kHookTopics{"order", "crm", "invoice", "notify", "warehouse"};
constexpr std::array kFetchedTopics{"order.close", "thumbnail", "report", "mail.digest"};
constexpr std::array kSipFailures{"480 Temporarily Unavailable", "408 Request Timeout",
                                  "503 Service Unavailable", "486 Busy Here"};
constexpr std::array kSipRefusals{"415 Unsupported Media Type", "603 Decline", "404 Not Found",
                                  "expired"};
constexpr std::array kSmsFailures{"gateway: 503 Service Unavailable",
                                  "gateway: no answer in 10000 ms", "gateway: throttled"};
constexpr std::array kSmsRefusals{"gateway: number is not in use", "gateway: rejected by operator"};
constexpr std::array kHookFailures{"503 Service Unavailable", "502 Bad Gateway",
                                   "no answer in 10000 ms", "429 Too Many Requests"};
constexpr std::array kHookRefusals{"410 Gone", "400 Bad Request", "attempts used up: 500"};

}  // namespace

std::string DemoJobs::newId(TimePoint at)
{
    class FixedClock final : public Clock {
    public:
        explicit FixedClock(TimePoint at) : at_(at) {}
        TimePoint now() const noexcept override { return at_; }

    private:
        TimePoint at_;
    };
    const FixedClock clock(at);
    JobIdGenerator ids(clock, [this] {
        const auto high = std::uint64_t{random_()} << 32U;
        return high | random_();
    });
    return ids.generate(0);
}

Millis DemoJobs::randomBetween(Millis least, Millis most)
{
    return Millis{
        std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_)};
}

Job DemoJobs::message(TimePoint at)
{
    Job job;
    const std::string from = randomElement(kPeople);
    std::string to = randomElement(kPeople);
    if (to == from) {
        to = "reception";
    }
    job.id = newId(at);
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.sender = "sip:" + from + "@example.org";
    job.recipient = randomBelow(6) == 0
                        ? fmt::format("sip:+86135{:08}@example.org", randomBelow(4'000))
                        : "sip:" + to + "@example.org";
    job.body = randomElement(kMessages);
    job.contentType = "text/plain;charset=UTF-8";
    job.bizKey = fmt::format("{:08x}@{}.example.org", random_(), from);
    job.headers = {{"From", "<" + job.sender + ">"},
                   {"To", "<" + job.recipient + ">"},
                   {"User-Agent", randomBelow(2) == 0 ? "baresip v1.0.0" : "Linphone/5.1"}};
    job.created = at;
    job.expires = at + std::chrono::hours{24 * 14};
    return job;
}

Job DemoJobs::textMessage(TimePoint at)
{
    Job job;
    job.id = newId(at);
    job.topic = randomBelow(3) == 0 ? "reminder" : "sms";
    job.channel = Channel::Sms;
    job.sender = "Restante";
    job.recipient = fmt::format("+49170{:07}", randomBelow(9'999'999));
    job.body = randomElement(kTextMessages);
    job.contentType = "text/plain;charset=UTF-8";
    job.bizKey = fmt::format("member-{}", 10'000 + randomBelow(900));
    job.findByKey = true;
    job.retry = RetrySchedule::parse("0s,2m,10m,10m,1h,2h,6h,15h").value_or(RetrySchedule{});
    job.created = at;
    return job;
}

Job DemoJobs::webhook(TimePoint at)
{
    Job job;
    const auto index = randomBelow(static_cast<std::uint32_t>(kHooks.size()));
    const auto number = 700'000 + randomBelow(60'000);
    job.id = newId(at);
    job.topic = kHookTopics[index];
    job.channel = Channel::Webhook;
    job.sender = "shop";
    job.recipient = kHooks[index];
    job.body =
        fmt::format(R"({{"order":{},"event":"{}","total":"{}.{:02}","currency":"EUR",)"
                    R"("lines":[{{"sku":"A-{}","count":{}}},{{"sku":"B-{}","count":1}}]}})",
                    number, randomBelow(2) == 0 ? "paid" : "shipped", 5 + randomBelow(400),
                    randomBelow(100), randomBelow(900), 1 + randomBelow(4), randomBelow(900));
    job.contentType = "application/json";
    job.bizKey = fmt::format("order-{}", number);
    job.findByKey = true;
    job.priority = index == 2 ? 3 : 5;
    job.retry = RetrySchedule::parse("0s,2m,10m,10m,1h,2h,6h,15h").value_or(RetrySchedule{});
    job.created = at;
    return job;
}

Job DemoJobs::fetchedJob(TimePoint at)
{
    Job job;
    const auto number = 700'000 + randomBelow(60'000);
    job.id = newId(at);
    job.topic = randomElement(kFetchedTopics);
    job.channel = Channel::Pull;
    job.sender = "shop";
    job.body = fmt::format(R"({{"order":{},"close_at":"{}"}})", number,
                           formatRfc3339(at + std::chrono::minutes{30}));
    job.contentType = "application/json";
    job.bizKey = fmt::format("order-{}", number);
    job.findByKey = true;
    job.created = at;
    return job;
}

std::vector<std::string> DemoJobs::fetchedTopics()
{
    return {kFetchedTopics.begin(), kFetchedTopics.end()};
}

Job DemoJobs::randomJob(TimePoint at)
{
    const auto dice = randomBelow(10);
    return dice < 4   ? message(at)
           : dice < 6 ? textMessage(at)
           : dice < 9 ? webhook(at)
                      : fetchedJob(at);
}

std::string DemoJobs::failureOf(const Job& job)
{
    switch (job.channel) {
    case Channel::Sip: return randomElement(kSipFailures);
    case Channel::Sms: return randomElement(kSmsFailures);
    case Channel::Webhook: return randomElement(kHookFailures);
    case Channel::Pull: break;
    }
    return "the worker went away";
}

std::string DemoJobs::refusalOf(const Job& job)
{
    switch (job.channel) {
    case Channel::Sip: return randomElement(kSipRefusals);
    case Channel::Sms: return randomElement(kSmsRefusals);
    case Channel::Webhook: return randomElement(kHookRefusals);
    case Channel::Pull: break;
    }
    return "attempts used up: the worker went away";
}

std::string DemoJobs::successOf(const Job& job)
{
    return job.channel == Channel::Webhook ? "204 No Content" : "200 OK";
}

std::string
DemoJobs::noteOf(const Job& job, std::uint32_t attempt, TimePoint at, std::string_view answer)
{
    if (job.channel == Channel::Pull) {
        return {};
    }
    const bool timedOut = answer.starts_with("408") || answer.starts_with("no answer");
    const auto duration =
        timedOut ? std::string("no answer, 32000 ms") : fmt::format("{} ms", 4 + randomBelow(90));
    std::string target = "POST " + job.recipient;
    if (job.channel == Channel::Sip) {
        target = fmt::format("{}@10.0.{}.{}:5060", job.recipient.substr(0, job.recipient.find('@')),
                             randomBelow(4), 1 + randomBelow(250));
    } else if (job.channel == Channel::Sms) {
        target = "sms:" + job.recipient + " via 127.0.0.1:13013";
    }
    return fmt::format("attempt {}: {} {} {} ({})", attempt, formatRfc3339(at), target, answer,
                       duration);
}

}  // namespace restante::gui
