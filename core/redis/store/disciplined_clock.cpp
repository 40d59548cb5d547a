#include "core/redis/store/disciplined_clock.h"

#include "core/base/log.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

using Span = ClockDiscipline::Span;

/// Two clocks drift apart by a fifth of a millisecond in this time (kDriftDivisor).
constexpr Millis kSampleInterval{2'000};

/// The first answer on a new connection may be slow, because the server or the machine is starting.
/// So samples follow quickly until an answer was quick, at most this many.
constexpr int kFirstSamples = 16;
constexpr Millis kFirstSampleInterval{5};
constexpr Span kQuickAnswer{300};

/// Every number here is rounded down to a whole microsecond.
constexpr Span kRounding{2};

/// CLOCK_BOOTTIME goes on while the machine is suspended, as Redis' clock does; the steady clock
/// stands still, and what is shown would be behind by that time.
Span localNow() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::floor<Span>(std::chrono::seconds{now.tv_sec} +
                                    std::chrono::nanoseconds{now.tv_nsec});
}

Span wallOffset() noexcept
{
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::floor<Span>(wall) - localNow();
}

/// The answer of TIME: seconds and microseconds, as texts.
std::optional<Span> readTime(const Result<Reply>& reply)
{
    const bool isPair = reply && reply->size() == 2;
    const auto seconds =
        isPair ? wholeNumber<std::int64_t>(reply->at(0).textOrEmpty()) : std::nullopt;
    const auto micros =
        isPair ? wholeNumber<std::int64_t>(reply->at(1).textOrEmpty()) : std::nullopt;
    return seconds && micros ? std::optional(std::chrono::seconds{*seconds} + Span{*micros})
                             : std::nullopt;
}

}  // namespace

ClockDiscipline::Span ClockDiscipline::addSample(const Sample& sample) noexcept
{
    const auto sampleLow = sample.time - sample.received;
    const auto sampleHigh = sample.time - sample.sent;
    const bool isStale = std::exchange(isStale_, false);
    if (!offset_) {
        offset_ = lowOffset_ = sampleLow;
        highOffset_ = sampleHigh;
        lastSampleTime_ = sample.sent;
        return Span{0};
    }
    earnAllowance(sample.received);
    const auto low = lowest(sample.received);
    const auto high = highest(sample.received);
    const bool agrees = !isStale && low <= sampleHigh && sampleLow <= high;
    lastSampleTime_ = sample.sent;
    const auto estimateError = sampleLow - *offset_;
    const bool isWithinSample = sampleLow <= *offset_ && *offset_ <= sampleHigh;
    hasStepped_ = !agrees && !isWithinSample;
    if (!agrees) {
        followStep(estimateError, sampleHigh - sampleLow);
        return estimateError;
    }
    // A quick answer narrows the bounds; a slow one does not widen them.
    lowOffset_ = std::max(low, sampleLow);
    highOffset_ = std::min(high, sampleHigh);
    if (isWithinSample) {
        return Span{0};
    }
    offset_ = sampleLow;
    return estimateError;
}

void ClockDiscipline::earnAllowance(Span at) noexcept
{
    const auto earned = std::max(at - lastSampleTime_, Span{0}) /
                        (kAllowanceEvery.count() / kLargestCorrection.count());
    allowance_ = std::min(allowance_ + earned, kLargestCorrection);
}

void ClockDiscipline::followStep(Span estimateError, Span width) noexcept
{
    const auto followed = std::clamp(estimateError, -allowance_, allowance_);
    allowance_ -= std::chrono::abs(followed);
    *offset_ += followed;
    lowOffset_ = *offset_;
    highOffset_ = lowOffset_ + width;
}

DisciplinedClock::DisciplinedClock(EventLoop& loop, Connection& connection)
    : connection_(connection),
      lowOffset_(wallOffset().count() + localNow().count() / ClockDiscipline::kDriftDivisor),
      highOffset_(wallOffset().count() - localNow().count() / ClockDiscipline::kDriftDivisor),
      sampleTimer_(loop)
{
    connection.onReady(callbackGuard_.guard([this](bool ready) {
        if (ready) {
            startSampling();
        }
    }));
    if (connection.ready()) {
        startSampling();
    }
}

TimePoint DisciplinedClock::now() const noexcept
{
    const auto local = localNow();
    const Span low{lowOffset_.load(std::memory_order_relaxed)};
    const auto lowestMs =
        std::chrono::floor<Millis>(local - local / ClockDiscipline::kDriftDivisor + low).count();
    auto shownMs = lastShownMs_.load(std::memory_order_relaxed);
    while (shownMs < lowestMs &&
           !lastShownMs_.compare_exchange_weak(shownMs, lowestMs, std::memory_order_relaxed)) {
    }
    return fromEpochMs(std::max(shownMs, lowestMs));
}

TimePoint DisciplinedClock::latest() const noexcept
{
    const auto local = localNow();
    const Span high{highOffset_.load(std::memory_order_relaxed)};
    const auto most =
        std::chrono::ceil<Millis>(local + local / ClockDiscipline::kDriftDivisor + high);
    return std::max(now(), fromEpochMs(most.count()));
}

/// On a new connection another server may answer than before.
void DisciplinedClock::startSampling()
{
    discipline_.restart();
    firstSamplesLeft_ = kFirstSamples;
    sample();
}

void DisciplinedClock::sample()
{
    sampleTimer_.arm(kSampleInterval, [this] { sample(); });
    connection_.command({"TIME"},
                        callbackGuard_.guard([this, sent = localNow()](const Result<Reply>& reply) {
                            const auto received = localNow();
                            if (const auto time = readTime(reply)) {
                                addSample({sent, received, *time});
                            }
                        }));
}

void DisciplinedClock::addSample(const ClockDiscipline::Sample& sample)
{
    const bool first = !disciplined();
    const auto estimateError = discipline_.addSample(sample);
    if (discipline_.hasStepped() &&
        std::chrono::abs(estimateError) > ClockDiscipline::kLargestCorrection) {
        log::warning("redis", "the clock of Redis was stepped by {} ms; followed slowly",
                     std::chrono::floor<Millis>(estimateError).count());
    }
    // The bounds at local time t, so that reading them takes one number each:
    // low(t) = low(s) - (t - s) / drift = (low(s) + s / drift) - t / drift.
    const auto at = sample.received;
    const auto driftSinceZero = at / ClockDiscipline::kDriftDivisor;
    lowOffset_ = (discipline_.lowest(at) + driftSinceZero - kRounding).count();
    highOffset_ = (discipline_.highest(at) - driftSinceZero + kRounding).count();
    if (first) {
        lastShownMs_ = 0;
    }
    const bool isQuick = sample.received - sample.sent <= kQuickAnswer;
    firstSamplesLeft_ = isQuick ? 0 : std::max(0, firstSamplesLeft_ - 1);
    if (firstSamplesLeft_ > 0) {
        sampleTimer_.arm(kFirstSampleInterval, [this] { this->sample(); });
    }
    if (const auto tell = first ? std::exchange(onDisciplined_, {}) : nullptr) {
        tell();  // the last thing: it may destroy this
    }
}

}  // namespace restante::redis
