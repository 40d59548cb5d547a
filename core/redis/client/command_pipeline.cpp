#include "core/redis/client/command_pipeline.h"

#include "core/redis/client/request.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::size_t kReadSize = 64U << 10U;
// A buffer that has grown beyond this is freed after a flush.
constexpr std::size_t kKeptOutput = 1U << 20U;
// So much output goes out at once: Redis works on it during the rest of the turn.
constexpr std::size_t kEarlyOutput = 256;
// A reply that comes in parts may take its time-out and so many more.
constexpr int kMostExtensions = 9;
constexpr Readiness kReadableAndWritable = Readiness::Readable | Readiness::Writable;

}  // namespace

CommandPipeline::CommandPipeline(EventLoop& loop,
                                 ByteStream stream,
                                 Millis timeout,
                                 Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      timeout_(timeout),
      input_(kReadSize),
      watchdog_(loop),
      stream_(std::move(stream)),
      watch_(
          loop, stream_.descriptor(), Readiness::Readable, [this](Readiness r) { onReadiness(r); })
{
}

void CommandPipeline::send(std::span<const std::string_view> args, Done<Reply> done)
{
    appendRequest(output_, args);
    pending_.push_back({SteadyClock::now() + timeout_, std::move(done)});
    if (!watchdog_.armed()) {
        watchdog_.arm(timeout_, [this] { checkDeadline(); });
    }
    if (output_.size() - outputSent_ >= kEarlyOutput && !isWriteBlocked_) {
        writeEarly();
    }
    scheduleFlush();
}

/// What it cannot write, and what goes wrong, is left to flush(): nobody is called from here.
void CommandPipeline::writeEarly()
{
    const auto transfer = stream_.write(output_.data() + outputSent_, output_.size() - outputSent_);
    if (transfer.outcome == ByteStream::Outcome::Moved) {
        outputSent_ += transfer.size;
    } else {
        isWriteBlocked_ = true;
    }
}

std::vector<Done<Reply>> CommandPipeline::takeUnanswered()
{
    std::vector<Done<Reply>> callers;
    callers.reserve(pending_.size());
    for (auto& waiting : pending_) {
        callers.push_back(std::move(waiting.done));
    }
    pending_.clear();
    return callers;
}

void CommandPipeline::onReadiness(Readiness readiness)
{
    if (has(readiness, Readiness::Readable) && read() == Progress::Stop) {
        return;
    }
    if (has(readiness, Readiness::Writable)) {
        flush();
    }
}

CommandPipeline::Progress CommandPipeline::read()
{
    const auto transfer = stream_.read(input_.data(), input_.size());
    switch (transfer.outcome) {
    case ByteStream::Outcome::Later: return Progress::Continue;
    case ByteStream::Outcome::Ended: return breakOff("closed by Redis");
    case ByteStream::Outcome::Failed: return breakOff(stream_.failure());
    case ByteStream::Outcome::Moved: break;
    }
    received_ += transfer.size;
    const bool continues = reader_.isWithinReply();
    reader_.feed(input_.data(), transfer.size);
    if (deliverReplies() == Progress::Stop) {
        return Progress::Stop;
    }
    if (continues || reader_.isWithinReply()) {
        partReceivedAt_ = SteadyClock::now();
    }
    return Progress::Continue;
}

CommandPipeline::Progress CommandPipeline::deliverReplies()
{
    while (auto reply = reader_.next()) {
        if (deliver(std::move(*reply)) == Progress::Stop) {
            return Progress::Stop;
        }
    }
    return reader_.protocolError().empty() ? Progress::Continue
                                           : breakOff("not a Redis? " + reader_.protocolError());
}

CommandPipeline::Progress CommandPipeline::deliver(Result<Reply> reply)
{
    const auto life = callbackGuard_.watch();
    if (handlers_.interceptReply && handlers_.interceptReply(reply)) {
        return life.expired() ? Progress::Stop : Progress::Continue;
    }
    if (pending_.empty()) {
        return breakOff(reply ? "a reply that nobody asked for" : reply.error().message);
    }
    const auto done = std::move(pending_.front().done);
    pending_.pop_front();
    done(std::move(reply));
    return life.expired() ? Progress::Stop : Progress::Continue;
}

/// All commands of one turn of the loop go out in one write, but for what is so much that it went
/// early.
void CommandPipeline::scheduleFlush()
{
    if (std::exchange(isFlushScheduled_, true)) {
        return;
    }
    loop_.post([this, life = callbackGuard_.watch()] {
        if (!life.expired()) {
            flush();
        }
    });
}

CommandPipeline::Progress CommandPipeline::flush()
{
    while (outputSent_ < output_.size()) {
        const auto transfer =
            stream_.write(output_.data() + outputSent_, output_.size() - outputSent_);
        if (transfer.outcome == ByteStream::Outcome::Later) {
            watch_.change(
                kReadableAndWritable);  // isFlushScheduled_ stays true: onReadiness() goes on
            isWriteBlocked_ = true;
            return Progress::Continue;
        }
        if (transfer.outcome != ByteStream::Outcome::Moved) {
            return breakOff(stream_.failure());
        }
        outputSent_ += transfer.size;
    }
    output_.clear();
    outputSent_ = 0;
    if (output_.capacity() > kKeptOutput) {
        output_.shrink_to_fit();
    }
    isFlushScheduled_ = false;
    if (std::exchange(isWriteBlocked_, false)) {
        watch_.change(Readiness::Readable);
    }
    return Progress::Continue;
}

/// That of the first command without a reply. It is put off while its reply comes in parts, and
/// when it has passed while the reply before came so.
CommandPipeline::SteadyClock::time_point CommandPipeline::frontDeadline() const
{
    const auto deadline = pending_.front().deadline;
    if (!reader_.isWithinReply() && partReceivedAt_ <= deadline) {
        return deadline;
    }
    return std::clamp(partReceivedAt_ + timeout_, deadline, deadline + timeout_ * kMostExtensions);
}

void CommandPipeline::checkDeadline()
{
    // If this process was suspended, the answer may be in the socket already: read it first.
    while (!pending_.empty() && frontDeadline() <= SteadyClock::now()) {
        const auto before = received_;
        if (read() == Progress::Stop) {
            return;
        }
        if (received_ == before) {
            breakOff("no answer within " + std::to_string(timeout_.count()) + " ms");
            return;
        }
    }
    if (pending_.empty()) {
        return;
    }
    const auto left = std::chrono::ceil<Millis>(frontDeadline() - SteadyClock::now());
    watchdog_.arm(std::max(left, Millis{0}), [this] { checkDeadline(); });
}

CommandPipeline::Progress CommandPipeline::breakOff(std::string why)
{
    watch_.remove();
    watchdog_.cancel();
    std::exchange(handlers_.onBroken, {})(std::move(why));
    return Progress::Stop;
}

}  // namespace restante::redis
