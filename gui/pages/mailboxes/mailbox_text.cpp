#include "gui/pages/mailboxes/mailbox_text.h"

#include "core/base/text.h"
#include "core/job/message_text.h"
#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/session/job_preview.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr qsizetype kMaxLetters = 800;
constexpr int kMaxLines = 12;
/// Only this much of a part is decoded: the rest would not be shown in any charset.
constexpr std::size_t kMaxPartBytes = 16'384;

/// Name or type and size of a part that is not text.
QString attachmentText(const MessageText::Part& part)
{
    const auto name = nameOf(part).trimmed();
    const auto size = sizeText(part.bytes.size());
    return name.isEmpty() ? MailboxText::tr("[%1 that are not text]").arg(size)
                          : MailboxText::tr("[%1, %2]").arg(name.left(60), size);
}

QString partText(const MessageText::Part& part)
{
    if (!part.isText()) {
        return attachmentText(part);
    }
    const auto bytes = part.bytes.substr(0, kMaxPartBytes);
    const auto charset = QString::fromStdString(part.charset).toUpper();
    // The cut may have split a character.
    const bool isReadableText = part.bytes.size() > kMaxPartBytes || isReadable(bytes, charset);
    return isReadableText ? decodeText(bytes, charset) : attachmentText(part);
}

}  // namespace

QString MailboxText::personOf(const std::string& recipient)
{
    std::string_view person = recipient;
    for (const std::string_view scheme : {"sip:", "sips:"}) {
        if (startsWithIgnoringCase(person, scheme) && person.size() > scheme.size()) {
            person.remove_prefix(scheme.size());
            break;
        }
    }
    auto text = textOf(std::string(person));
    std::transform(text.begin(), text.end(), text.begin(), visibleSymbol);
    return text;
}

QString MailboxText::clock(TimePoint at) const
{
    const auto zone = zoneOf(preferences_);
    const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zone);
    const auto today = QDateTime::fromMSecsSinceEpoch(toEpochMs(now_), zone).date();
    const auto timeFormat =
        preferences_.clock24() ? QStringLiteral("HH:mm") : QStringLiteral("hh:mm AP");
    const auto days = time.date().daysTo(today);
    if (days == 0) {
        return time.toString(timeFormat);
    }
    constexpr int kWeek = 7;
    return days > -kWeek && days < kWeek
               ? QLocale().toString(time, QStringLiteral("ddd ") + timeFormat)
               : time.toString(QStringLiteral("yyyy-MM-dd ") + timeFormat);
}

QString MailboxText::reachability(const MailboxView& mailbox) const
{
    const auto registered = std::ranges::count_if(mailbox.devices, &RegisteredDevice::registered);
    if (registered > 0) {
        return tr("%Ln device(s) registered", "", static_cast<int>(registered));
    }
    const auto awaySince = mailbox.awaySince();
    return awaySince ? tr("away since %1").arg(clock(*awaySince)) : tr("no device is known here");
}

QString MailboxText::nextAttemptSentence(const MailboxContent& content) const
{
    const auto& mailbox = content.mailbox;
    const bool isLeaving = std::ranges::any_of(
        content.messages, [](const JobView& message) { return message.state == JobState::Leased; });
    if (isLeaving) {
        return tr("A message is on its way at this moment.");
    }
    if (!mailbox.next) {
        return tr("Delivered when a device registers.");
    }
    if (*mailbox.next <= now_) {
        return tr("Due now.");
    }
    return mailbox.isRegistered()
               ? tr("Tried again at %1.").arg(clock(*mailbox.next))
               : tr("Tried again at %1, and delivered at once when a device registers.")
                     .arg(clock(*mailbox.next));
}

QString MailboxText::nextAttemptAndExpiry(const MailboxContent& content) const
{
    const auto& mailbox = content.mailbox;
    if (mailbox.waiting == 0) {
        return tr("Nothing waits for this person.");
    }
    auto text = nextAttemptSentence(content);
    if (mailbox.expires && *mailbox.expires > now_) {
        text += u' ' + tr("The oldest message expires in %1.")
                           .arg(TimeText::duration(*mailbox.expires - now_));
    }
    return text;
}

void MailboxText::setIconAndColor(Entry& entry, const MailboxView& mailbox)
{
    const auto state = mailbox.isRegistered()     ? JobState::Done
                       : !mailbox.devices.empty() ? JobState::Held
                                                  : JobState::Trashed;
    entry.foreground = Theme::style(state).foreground;
    entry.icon = mailbox.isRegistered()    ? QStringLiteral("person-here")
                 : mailbox.devices.empty() ? QStringLiteral("person-unknown")
                                           : QStringLiteral("person-away");
}

Entry MailboxText::entryOf(const MailboxView& mailbox) const
{
    Entry entry;
    entry.key = mailbox.recipient;
    entry.title = personOf(mailbox.recipient);
    entry.badge = numberText(mailbox.waiting);
    entry.detail = reachability(mailbox);
    setIconAndColor(entry, mailbox);
    entry.tip = textOf(mailbox.recipient) + u'\n' +
                tr("%Ln message(s) waiting", "", static_cast<int>(mailbox.waiting));
    if (mailbox.oldest) {
        entry.tip +=
            u'\n' + tr("the oldest since %1").arg(TimeText(preferences_).absolute(*mailbox.oldest));
    }
    return entry;
}

Entry MailboxText::entryOf(const RegisteredDevice& device) const
{
    const TimeText times(preferences_);
    const auto contact = personOf(device.contact);
    Entry entry;
    entry.key = device.device;
    entry.title = device.agent.empty() ? contact : textOf(device.agent);
    std::transform(entry.title.begin(), entry.title.end(), entry.title.begin(), visibleSymbol);
    const auto standing = !device.registered ? tr("gone since %1").arg(clock(device.until))
                          : device.since     ? tr("registered since %1").arg(clock(*device.since))
                                             : tr("registered");
    entry.detail = device.agent.empty() ? standing : tr("%1 · %2").arg(standing, contact);
    entry.foreground =
        Theme::style(device.registered ? JobState::Done : JobState::Trashed).foreground;
    entry.icon = device.registered ? QStringLiteral("person-here") : QStringLiteral("person-away");
    entry.tip = textOf(device.device) + u'\n' + textOf(device.contact) + u'\n' +
                tr("last registration: %1").arg(times.absolute(device.seen)) + u'\n' +
                (device.registered ? tr("registered until %1").arg(times.absolute(device.until))
                                   : tr("gone since %1").arg(times.absolute(device.until)));
    return entry;
}

MailboxText::MessageExcerpt MailboxText::excerptOf(const Job& job)
{
    MessageExcerpt excerpt;
    QStringList texts;
    for (const auto& part : readMessage(job.contentType, job.body, job.body.size()).parts) {
        texts.append(partText(part));
    }
    auto text = texts.join(u'\n');
    excerpt.isTruncated = text.size() > kMaxLetters;
    text.truncate(kMaxLetters);
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    std::transform(text.begin(), text.end(), text.begin(), visibleSymbol);
    const auto lines = text.split(u'\n');
    if (lines.size() > kMaxLines) {
        text = lines.mid(0, kMaxLines).join(u'\n');
        excerpt.isTruncated = true;
    }
    excerpt.text = text.trimmed();
    if (excerpt.text.isEmpty() && !excerpt.isTruncated) {
        excerpt.text = tr("[empty]");
    }
    return excerpt;
}

}  // namespace restante::gui
