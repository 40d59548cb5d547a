#pragma once

#include "core/queue/attempt_forecast.h"
#include "core/queue/job_inspector.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace restante {

/// What is known around a job when somebody asks why it waits. What nobody knows is none. *Value.*
struct WaitingFacts {
    std::optional<TopicView> topic = {};  ///< of the job; one that the store does not list is open
    /// Whether a living daemon delivers on the job's channel.
    std::optional<bool> delivered = {};
    Reachability recipient = Reachability::Unknown;  ///< of a message in a mailbox
    /// Since when it has been so.
    std::optional<TimePoint> recipientSince = {};
};

/// Why a job is where it is, and what happens next: what a sentence is made of. *Value.*
struct WaitingReason {
    enum class Why {
        Delivered,        ///< it is done, since `since`
        Trashed,          ///< nothing happens until it is restored
        Dead,             ///< given up at `since`, with `error`
        Expired,          ///< at `since` its time was over
        BeingDelivered,   ///< until `next` at the latest
        BeingWorkedOn,    ///< by a consumer, until `next`; then it is given out again
        HeldByItself,     ///< until somebody releases it; then it is due at `next`, or at once
        NotDue,           ///< its time comes at `next`
        Retrying,         ///< an attempt failed with `error`; the next one is at `next`
        TopicPaused,      ///< since `since`, by `actor`, for `reason`; due at `next`
        TopicFull,        ///< as many as `count` are delivered at a time, and so many are
        TopicPaced,       ///< the topic's `rate` is used up for now
        NobodyDelivers,   ///< no daemon that lives serves its channel; due at `next`
        AwaitsConsumer,   ///< due since `since`: nobody has pulled it
        InTurn,           ///< due since `since`: it is delivered in its turn
        NoDevice,         ///< its recipient has none registered, since `since`; tried at `next`
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
    TimePoint next{};                       ///< epoch 0 = nobody knows, or nothing comes by itself
    std::optional<TimePoint> expires = {};  ///< of one that lives
    std::uint32_t attempts = 0;             ///< that count
    std::uint32_t allowed = 0;              ///< by its own schedule, 0 = it has none or no end
    std::uint32_t count = 0;
    Rate rate = {};
};

/// The one that matters most: what has to be changed before anything else can happen, then what
/// comes by itself. *Pure function.*
WaitingReason whyItWaits(const JobView& view, const WaitingFacts& facts, TimePoint now);

/// What a daemon has to do for jobs of the channel to be delivered: a word of DaemonView::duties.
std::string_view dutyOf(Channel channel) noexcept;

}  // namespace restante
