#include "tests/soak/delayed_jobs.h"

#include "tests/support/http_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

namespace restante::test {

using namespace std::chrono_literals;

namespace {

constexpr auto kLongestDelay = 20'000;
/// What a daemon that is killed had taken comes back after this.
constexpr auto kLease = "10s";
/// Claims, and answers, that a kill may meet.
constexpr auto kAroundADisturbance = 2s;

}  // namespace

/// A connection that is made again after an error.
class DelayedJobs::Line {
public:
    explicit Line(std::uint16_t port) : port_(port) {}

    /// Status 0 when nobody answers.
    HttpAnswer ask(std::string_view path, const nlohmann::json& body)
    {
        try {
            if (!http_) {
                http_.emplace(port_);
            }
            auto answer = http_->ask("POST", path, body.dump());
            if (answer.status == 0) {
                http_.reset();
            }
            return answer;
        } catch (const std::runtime_error&) {
            http_.reset();
            return {};
        }
    }

private:
    std::uint16_t port_;
    std::optional<HttpClient> http_;
};

DelayedJobs::DelayedJobs(Settings settings) : settings_(std::move(settings))
{
    threads_.emplace_back([this] { pushAll(std::mt19937{settings_.seed}); });
    for (const auto port : settings_.httpPorts) {
        threads_.emplace_back([this, port] { workOff(port); });
    }
}

DelayedJobs::~DelayedJobs()
{
    pushing_ = false;
    working_ = false;
    for (auto& thread : threads_) {
        thread.join();
    }
}

void DelayedJobs::pushAll(std::mt19937 random)
{
    std::vector<Line> lines;
    for (const auto port : settings_.httpPorts) {
        lines.emplace_back(port);
    }
    std::uniform_int_distribution delay(100, kLongestDelay);
    for (std::uint64_t number = 0; pushing_; ++number) {
        const auto id = "soak-" + std::to_string(number);
        const Millis wait{delay(random)};
        const nlohmann::json job{{"topic", "soak"},
                                 {"id", id},
                                 {"delay", std::to_string(wait.count()) + "ms"},
                                 {"ttr", kLease},
                                 {"body", "soak"}};
        {
            // Before the push: it may be taken before its answer has come.
            const std::lock_guard lock(mutex_);
            open_[id] = {Clock::now() + wait};
        }
        // A push without an answer may have been stored: the same id through the next daemon is
        // stored once, or refused as a duplicate of itself.
        bool stored = false;
        for (std::size_t i = number; pushing_ && !stored; ++i) {
            const auto status = lines[i % lines.size()].ask("/v1/jobs", job).status;
            stored = status == 200 || status == 201 || status == 409;
            if (!stored) {
                {
                    const std::lock_guard lock(mutex_);
                    open_[id].again = true;
                }
                std::this_thread::sleep_for(100ms);
            }
        }
        if (!stored) {
            const std::lock_guard lock(mutex_);
            open_.erase(id);  // nobody has promised that one
        }
        std::this_thread::sleep_for(settings_.pause);
    }
}

void DelayedJobs::workOff(std::uint16_t port)
{
    Line line(port);
    while (working_) {
        const auto answer = line.ask("/v1/topics/soak/pop", {{"max", 10}, {"wait", "1s"}});
        const auto popped = nlohmann::json::parse(answer.body, nullptr, false);
        if (answer.status != 200 || !popped.contains("jobs")) {
            std::this_thread::sleep_for(100ms);
            continue;
        }
        for (const auto& job : popped["jobs"]) {
            const auto id = job.at("id").get<std::string>();
            taken(id);
            finish(line, id, job.at("attempt").get<std::uint32_t>());
        }
    }
}

void DelayedJobs::finish(Line& line, const std::string& id, std::uint32_t attempt)
{
    while (working_) {
        const auto status = line.ask("/v1/jobs/" + id + "/finish", {{"attempt", attempt}}).status;
        // Not there: an earlier request, whose answer was lost, has finished it.
        if (status / 100 == 2 || status == 404) {
            const std::lock_guard lock(mutex_);
            finished_ += open_.erase(id);
            return;
        }
        if (status == 409) {
            return;  // the lease has ended, and somebody gets it again
        }
        std::this_thread::sleep_for(100ms);
    }
}

void DelayedJobs::taken(const std::string& id)
{
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end() || found->second.taken) {
        ++report_.repeated;
        return;
    }
    found->second.taken = true;
    const auto late = std::chrono::duration_cast<Millis>(now - found->second.earliest);
    report_.early += late < 0ms ? 1 : 0;
    if (!found->second.again && !isDisturbed(found->second.earliest)) {
        report_.lateness.push_back(late);
    }
}

bool DelayedJobs::isDisturbed(Clock::time_point due) const
{
    return std::any_of(disturbances_.begin(), disturbances_.end(), [due](auto at) {
        return due > at - kAroundADisturbance && due < at + kAroundADisturbance;
    });
}

void DelayedJobs::disturbed()
{
    const std::lock_guard lock(mutex_);
    disturbances_.push_back(Clock::now());
}

DelayedJobs::Report DelayedJobs::take()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(report_, {});
}

std::uint64_t DelayedJobs::finished() const
{
    const std::lock_guard lock(mutex_);
    return finished_;
}

std::size_t DelayedJobs::settle(Millis timeout)
{
    const auto end = Clock::now() + timeout;
    pushing_ = false;
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (open_.empty() || Clock::now() >= end) {
                return open_.size();
            }
        }
        std::this_thread::sleep_for(100ms);
    }
}

}  // namespace restante::test
