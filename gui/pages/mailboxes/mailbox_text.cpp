#include "gui/pages/mailboxes/mailbox_text.h"

#include "core/base/text.h"
#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr qsizetype kMostLetters = 800;
constexpr int kMostLines = 12;
/// Looked at: what is behind it would not be shown.
constexpr std::size_t kMostBytes = 16'384;

/// What stands before the empty line, and what behind it. False: there is none.
bool splitHead(std::string_view text, std::string_view& head, std::string_view& body)
{
    for (const std::string_view gap : {"\r\n\r\n", "\n\n"}) {
        if (const auto at = text.find(gap); at != std::string_view::npos) {
            head = text.substr(0, at);
            body = text.substr(at + gap.size());
            return true;
        }
    }
    return false;
}

/// The value of a header line; empty = there is none.
std::string headerIn(std::string_view head, std::string_view name)
{
    for (auto line : split(head, '\n')) {
        line = trimmed(line, " \t\r");
        if (startsWithIgnoringCase(line, name) && line.substr(name.size()).starts_with(':')) {
            return std::string(trimmed(line.substr(name.size() + 1)));
        }
    }
    return {};
}

bool hasType(std::string_view contentType, std::string_view front)
{
    return startsWithIgnoringCase(trimmed(contentType), front) &&
           contentType.size() >= front.size();
}

QString bracketed(const std::string& contentType, std::size_t bytes)
{
    const auto type = textOf(contentType.substr(0, contentType.find(';'))).trimmed();
    return type.isEmpty() ? MailboxText::tr("[%1 that are not text]").arg(sizeOf(bytes))
                          : MailboxText::tr("[%1, %2]").arg(type.left(60), sizeOf(bytes));
}

QString partText(const std::string& contentType, std::string_view body, int depth);

/// The parts of a multipart body, each on its own lines.
QString partsText(const std::string& contentType, std::string_view body, int depth)
{
    const auto at = lowered(contentType).find("boundary=");
    auto boundary = contentType.substr(std::min(at + 9, contentType.size()));
    boundary = at == std::string::npos ? "" : boundary.substr(0, boundary.find(';'));
    boundary = std::string(trimmed(boundary, " \t\""));
    if (boundary.empty()) {
        return bracketed(contentType, body.size());
    }
    QStringList texts;
    constexpr int kMostParts = 16;
    const auto mark = "--" + boundary;
    auto begin = body.find(mark);
    while (begin != std::string_view::npos && texts.size() < kMostParts) {
        const auto from = begin + mark.size();
        const auto end = body.find(mark, from);
        auto part = body.substr(from, end == std::string_view::npos ? end : end - from);
        part = trimmedAtEnd(part, "\r\n");
        std::string_view head;
        std::string_view inside;
        if (splitHead(part, head, inside)) {
            texts.append(partText(headerIn(head, "Content-Type"), inside, depth));
        }
        begin = end;
    }
    return texts.isEmpty() ? bracketed(contentType, body.size()) : texts.join(u'\n');
}

QString partText(const std::string& contentType, std::string_view body, int depth)
{
    constexpr int kDeepest = 4;
    std::string_view head;
    std::string_view inside;
    if (depth < kDeepest && hasType(contentType, "message/cpim") && splitHead(body, head, inside)) {
        std::string_view content;
        if (splitHead(inside, head, content)) {
            return partText(headerIn(head, "Content-Type"), content, depth + 1);
        }
    }
    if (depth < kDeepest && hasType(contentType, "multipart/")) {
        return partsText(contentType, body, depth + 1);
    }
    const bool isText = contentType.empty() || hasType(contentType, "text/") ||
                        lowered(contentType).find("json") != std::string::npos ||
                        lowered(contentType).find("xml") != std::string::npos;
    const std::string bytes(body.substr(0, kMostBytes));
    const auto charset = charsetOf(contentType);
    // A character may be cut in two where the rest is left out.
    const bool isReadableText = body.size() > kMostBytes || isReadable(bytes, charset);
    return isText && isReadableText ? decoded(bytes, charset) : bracketed(contentType, body.size());
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
    std::transform(text.begin(), text.end(), text.begin(), shownAs);
    return text;
}

QString MailboxText::clock(TimePoint at) const
{
    const auto zone = zoneOf(preferences_);
    const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zone);
    const auto today = QDateTime::fromMSecsSinceEpoch(toEpochMs(now_), zone).date();
    const auto hours =
        preferences_.clock24() ? QStringLiteral("HH:mm") : QStringLiteral("hh:mm AP");
    const auto days = time.date().daysTo(today);
    if (days == 0) {
        return time.toString(hours);
    }
    constexpr int kWeek = 7;
    return days > -kWeek && days < kWeek ? QLocale().toString(time, QStringLiteral("ddd ") + hours)
                                         : time.toString(QStringLiteral("yyyy-MM-dd ") + hours);
}

QString MailboxText::state(const MailboxView& mailbox) const
{
    const auto registered = std::ranges::count_if(mailbox.devices, &RegisteredDevice::registered);
    if (registered > 0) {
        return tr("%Ln device(s) registered", "", static_cast<int>(registered));
    }
    const auto away = mailbox.awaySince();
    return away ? tr("away since %1").arg(clock(*away)) : tr("no device is known here");
}

QString MailboxText::nextSentence(const MailboxContent& content) const
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

QString MailboxText::outlook(const MailboxContent& content) const
{
    const auto& mailbox = content.mailbox;
    if (mailbox.waiting == 0) {
        return tr("Nothing waits for this person.");
    }
    auto text = nextSentence(content);
    if (mailbox.expires && *mailbox.expires > now_) {
        text += u' ' + tr("The oldest message expires in %1.")
                           .arg(TimeText::duration(*mailbox.expires - now_));
    }
    return text;
}

void MailboxText::dress(Entry& entry, const MailboxView& mailbox)
{
    const auto state = mailbox.isRegistered()     ? JobState::Done
                       : !mailbox.devices.empty() ? JobState::Held
                                                  : JobState::Trashed;
    entry.ink = Theme::style(state).ink;
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
    entry.detail = state(mailbox);
    dress(entry, mailbox);
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
    std::transform(entry.title.begin(), entry.title.end(), entry.title.begin(), shownAs);
    const auto standing = !device.registered ? tr("gone since %1").arg(clock(device.until))
                          : device.since     ? tr("registered since %1").arg(clock(*device.since))
                                             : tr("registered");
    entry.detail = device.agent.empty() ? standing : tr("%1 · %2").arg(standing, contact);
    entry.ink = Theme::style(device.registered ? JobState::Done : JobState::Trashed).ink;
    entry.icon = device.registered ? QStringLiteral("person-here") : QStringLiteral("person-away");
    entry.tip = textOf(device.device) + u'\n' + textOf(device.contact) + u'\n' +
                tr("last registration: %1").arg(times.absolute(device.seen)) + u'\n' +
                (device.registered ? tr("registered until %1").arg(times.absolute(device.until))
                                   : tr("gone since %1").arg(times.absolute(device.until)));
    return entry;
}

MailboxText::Shown MailboxText::messageText(const Job& job)
{
    Shown shown;
    auto text = partText(job.contentType, job.body, 0);
    shown.cut = text.size() > kMostLetters || job.body.size() > kMostBytes;
    text.truncate(kMostLetters);
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    std::transform(text.begin(), text.end(), text.begin(), shownAs);
    const auto lines = text.split(u'\n');
    if (lines.size() > kMostLines) {
        text = lines.mid(0, kMostLines).join(u'\n');
        shown.cut = true;
    }
    shown.text = text.trimmed();
    if (shown.text.isEmpty() && !shown.cut) {
        shown.text = tr("[empty]");
    }
    return shown;
}

}  // namespace restante::gui
