#pragma once

#include "core/queue/attempt_forecast.h"
#include "core/queue/job_inspector.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace restante {

/// The facts besides the job itself that explain why it waits; none = unknown. *Value.*
struct WaitingFacts {
    /// The topic of the job; one that the store does not list is neither paused nor limited.
    std::optional<TopicView> topic = {};
    /// Whether a living daemon delivers on the job's channel.
    std::optional<bool> isChannelServed = {};
    Reachability recipient = Reachability::Unknown;  ///< of a message in a mailbox
    /// Start of the current value of `recipient`.
    std::optional<TimePoint> recipientSince = {};
};

/// Why a job is in its state, and what happens next: the facts for a sentence. *Value.*
struct WaitingReason {
    enum class Why {
        Delivered,           ///< it is done, since `since`
        Trashed,             ///< nothing happens until it is restored
        Dead,                ///< given up at `since`, with `error`
        Expired,             ///< at `since` its time was over
        BeingDelivered,      ///< until `next` at the latest
        BeingWorkedOn,       ///< by a consumer, until `next`; then it is given out again
        HeldOutsideMailbox,  ///< until somebody releases it; then it is due at `next`, or at once
        NotDue,              ///< its time comes at `next`
        Retrying,            ///< an attempt failed with `error`; the next one is at `next`
        TopicPaused,         ///< since `since`, by `actor`, for `reason`; due at `next`
        TopicFull,           ///< the topic's concurrency limit, `count`, is reached
        TopicPaced,          ///< the topic's `rate` is used up for now
        NobodyDelivers,      ///< no daemon that lives serves its channel; due at `next`
        AwaitsConsumer,      ///< due since `since`: nobody has pulled it
        InTurn,              ///< due since `since`; it waits for the jobs before it
        NoDevice,            ///< its recipient has none registered, since `since`; tried at `next`
        InTurnOfMailbox,     ///< its recipient is registered; tried at `next` at the latest
        DeviceFailed,     ///< there is one, the last attempt failed with `error`; tried at `next`
        AwaitsRecipient,  ///< tried at `next`, or when a device registers
    };
    Why why = Why::InTurn;
    Channel channel = Channel::Pull;
    std::string topic = {};
    std::string recipient = {};
    std::string error = {};
    std::string actor = {};
    std::string reason = {};
    TimePoint since{};                      ///< epoch 0 = not known
    TimePoint next{};                       ///< epoch 0 = unknown, or nothing happens by itself
    std::optional<TimePoint> expires = {};  ///< only of a live job
    std::uint32_t attempts = 0;             ///< those that count
    std::uint32_t attemptsAllowed = 0;      ///< by its own schedule: attemptCountOf()
    std::uint32_t count = 0;
    Rate rate = {};
};

/// The most important reason: first those that somebody has to change, then those that end by
/// themselves. *Pure function.*
WaitingReason whyItWaits(const JobView& view, const WaitingFacts& facts, TimePoint now);

/// The duty that a daemon must have to deliver jobs of the channel (DaemonView::duties).
std::string_view dutyOf(Channel channel) noexcept;

}  // namespace restante
