#pragma once

#include "core/base/clock.h"
#include "core/queue/job_store.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// A device of a recipient, as the registrar recorded it. *Value.*
struct RegisteredDevice {
    std::string device;   ///< its instance, else its contact
    std::string contact;  ///< where it was reached when it registered last
    std::string agent;    ///< "Linphone/5.2", as it called itself; empty = it did not
    /// Registered without a gap since then; none: unknown, or it is gone.
    std::optional<TimePoint> since = {};
    TimePoint seen{};  ///< its last registration
    /// When its registration ends unless it is renewed, or ended if it is gone.
    TimePoint until{};
    bool registered = false;

    friend bool operator==(const RegisteredDevice&, const RegisteredDevice&) = default;
};

/// The messages that wait for one recipient, and where they can be reached. *Value.*
struct MailboxView {
    std::string recipient;
    std::uint64_t waiting = 0;  ///< messages in the mailbox, those on their way out of it, too
    std::optional<TimePoint> oldest = {};  ///< when the first of them was pushed
    std::optional<TimePoint> newest = {};  ///< when the last of them was
    /// When they are tried again; none: only when the recipient registers.
    std::optional<TimePoint> next = {};
    std::optional<TimePoint> expires = {};  ///< of the oldest; none: never
    /// Registered ones first, then by when they were seen last; of those that are gone the last 20,
    /// for 30 days. Empty: none has registered here in that time.
    std::vector<RegisteredDevice> devices = {};

    bool isRegistered() const noexcept
    {
        return std::ranges::any_of(devices, &RegisteredDevice::registered);
    }
    /// Since when no device is registered; none: one is, or no device is known.
    std::optional<TimePoint> awaySince() const
    {
        if (devices.empty() || isRegistered()) {
            return std::nullopt;
        }
        return std::ranges::max(devices, {}, &RegisteredDevice::until).until;
    }
};

/// The query of JobInspector::mailboxes(). *Value.*
struct MailboxQuery {
    std::string name = {};      ///< contained in the recipient, whatever the case; empty = all
    std::string cursor = {};    ///< from the page before, or empty
    std::uint32_t limit = 100;  ///< 1 - 500
    std::uint64_t budget = 1'000'000;  ///< mailboxes looked at
};

/// The position of a mailbox in the order of the pages; cursors name it. *Value.*
struct MailboxRank {
    std::uint64_t waiting = 0;
    std::string recipient;

    /// "38 sip:carol@example.org": opaque to callers.
    std::string toString() const { return std::to_string(waiting) + " " + recipient; }
    /// None for a text that toString() does not make.
    static std::optional<MailboxRank> parse(std::string_view text);

    friend bool operator==(const MailboxRank&, const MailboxRank&) = default;
    friend bool operator<(const MailboxRank& a, const MailboxRank& b)
    {
        return a.waiting != b.waiting ? a.waiting > b.waiting : a.recipient < b.recipient;
    }
};

struct MailboxPage {
    std::vector<MailboxView> mailboxes;  ///< the fullest first, then by recipient
    std::string cursor;                  ///< of the next page, empty at the end
    std::uint64_t total = 0;             ///< mailboxes of that name that have messages
    std::uint64_t messages = 0;          ///< in all of these
    /// False: the budget was used up, so the numbers are at least these, and there may be fuller
    /// mailboxes than those of the page.
    bool complete = true;
};

/// The query of JobInspector::mailbox(). *Value.*
struct MailboxRequest {
    std::string recipient;
    std::uint32_t limit = 200;  ///< messages, 0 - 1000
};

struct MailboxContent {
    MailboxView mailbox;
    std::vector<JobView> messages;  ///< the newest of them, in the order in which they came
};

/// Whether the recipient matches MailboxQuery::name.
bool matchesName(std::string_view recipient, std::string_view name);

/// The error text for a cursor that toString() has not made.
inline constexpr std::string_view kBadMailboxCursor =
    "is none of a page of mailboxes; begin without it";

}  // namespace restante
