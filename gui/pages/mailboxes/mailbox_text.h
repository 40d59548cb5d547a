#pragma once

#include "core/queue/mailbox.h"
#include "gui/theme/entry_list.h"

#include <QCoreApplication>
#include <QString>

namespace restante::gui {

class Preferences;

/// Texts of the mailboxes page about people, their devices and messages. Times are formatted as the
/// preferences say. *Thread of the window*; borrows the preferences.
class MailboxText {
    Q_DECLARE_TR_FUNCTIONS(MailboxText)

public:
    /// `now` is the store's time.
    MailboxText(const Preferences& preferences, TimePoint now)
        : preferences_(preferences),
          now_(now)
    {
    }

    /// "carol@example.org" of "sip:carol@example.org".
    static QString personOf(const std::string& recipient);
    /// "09:12" today, "Mon 09:12" within a week, else with the date.
    QString clock(TimePoint at) const;
    /// "away since 09:12", "2 devices registered", "no device is known here".
    QString reachability(const MailboxView& mailbox) const;
    /// When the waiting messages are tried again and when they expire, in whole sentences.
    QString nextAttemptAndExpiry(const MailboxContent& content) const;

    /// Sets icon and colour for registered, away or unknown.
    static void setIconAndColor(Entry& entry, const MailboxView& mailbox);
    Entry entryOf(const MailboxView& mailbox) const;
    Entry entryOf(const RegisteredDevice& device) const;

    /// The body as somebody would read it, decoded and without what no screen can show; of what is
    /// no text its name or kind and its size, in brackets. At most 800 characters and 12 lines:
    /// `isTruncated` says that there is more.
    struct MessageExcerpt {
        QString text;
        bool isTruncated = false;
    };
    static MessageExcerpt excerptOf(const Job& job);

private:
    QString nextAttemptSentence(const MailboxContent& content) const;

    const Preferences& preferences_;
    TimePoint now_;
};

}  // namespace restante::gui
