#include "core/redis/disciplined_clock.h"

#include "core/base/log.h"
#include "core/redis/clock_discipline.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>

namespace restante::redis {

namespace {

using Span = ClockDiscipline::Span;

constexpr Millis kBetweenSamples{10'000};

Span localNow() noexcept
{
    return std::chrono::floor<Span>(std::chrono::steady_clock::now().time_since_epoch());
}

Span wallOffset() noexcept
{
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::floor<Span>(wall) - localNow();
}

bool readNumber(const Reply& reply, std::int64_t& number)
{
    const auto* text = reply.text();
    return text != nullptr &&
           std::from_chars(text->data(), text->data() + text->size(), number).ec == std::errc{};
}

/// The answer of TIME: seconds and microseconds, as texts.
std::optional<Span> readTime(const Result<Reply>& reply)
{
    const auto* parts = reply ? reply->array() : nullptr;
    std::int64_t seconds = 0;
    std::int64_t micros = 0;
    if (parts == nullptr || parts->size() != 2 || !readNumber((*parts)[0], seconds) ||
        !readNumber((*parts)[1], micros)) {
        return std::nullopt;
    }
    return std::chrono::seconds{seconds} + Span{micros};
}

}  // namespace

class DisciplinedClock::Impl {
public:
    Impl(EventLoop& loop, Connection& connection) : connection_(connection), next_(loop)
    {
        connection.onReady([this, life = std::weak_ptr(life_)](bool ready) {
            if (ready && !life.expired()) {
                sample();
            }
        });
        if (connection.ready()) {
            sample();
        }
    }

    TimePoint now() const noexcept
    {
        const Span offset{offset_.load(std::memory_order_relaxed)};
        const auto seen = std::chrono::floor<Millis>(localNow() + offset).count();
        auto latest = latest_.load(std::memory_order_relaxed);
        while (latest < seen &&
               !latest_.compare_exchange_weak(latest, seen, std::memory_order_relaxed)) {
        }
        return fromEpochMs(std::max(latest, seen));
    }

    bool disciplined() const noexcept { return discipline_.offset().has_value(); }

private:
    void sample()
    {
        next_.arm(kBetweenSamples, [this] { sample(); });
        connection_.command({"TIME"}, [this, life = std::weak_ptr(life_),
                                       sent = localNow()](const Result<Reply>& reply) {
            const auto received = localNow();
            const auto time = readTime(reply);
            if (time && !life.expired()) {
                learn({sent, received, *time});
            }
        });
    }

    void learn(const ClockDiscipline::Sample& sample)
    {
        const bool first = !disciplined();
        const auto wrong = discipline_.learn(sample);
        if (std::chrono::abs(wrong) > ClockDiscipline::kLargestCorrection) {
            log::warning("redis", "the clock of Redis was stepped by {} ms; followed slowly",
                         std::chrono::floor<Millis>(wrong).count());
        }
        offset_ = discipline_.offset()->count();
        if (first) {
            latest_ = 0;
        }
    }

    Connection& connection_;
    ClockDiscipline discipline_;
    std::atomic<std::int64_t> offset_{wallOffset().count()};  // us
    mutable std::atomic<std::int64_t> latest_{0};             // ms
    Timer next_;
    /// Expires with this: the connection keeps its handlers longer.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

DisciplinedClock::DisciplinedClock(EventLoop& loop, Connection& connection)
    : impl_(std::make_unique<Impl>(loop, connection))
{
}

DisciplinedClock::~DisciplinedClock() = default;

TimePoint DisciplinedClock::now() const noexcept
{
    return impl_->now();
}

bool DisciplinedClock::disciplined() const noexcept
{
    return impl_->disciplined();
}

}  // namespace restante::redis
