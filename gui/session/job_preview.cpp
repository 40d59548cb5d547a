#include "gui/session/job_preview.h"

#include "gui/base/charset.h"
#include "gui/base/text_piece.h"

#include <QStringList>

namespace restante::gui {

namespace {

/// More than a cell can show.
constexpr qsizetype kMaxLength = 300;
constexpr qsizetype kMaxOtherParts = 3;

bool isHtml(const MessageText::Part& part)
{
    return part.type == "text/html" || part.type == "application/xhtml+xml";
}

/// The text between the tags; sufficient for one line, and always shown as plain text.
QString withoutTags(const QString& html)
{
    QString text;
    bool inTag = false;
    for (const auto letter : html) {
        if (letter == u'<') {
            inTag = true;
            text += u' ';
        } else if (letter == u'>' && inTag) {
            inTag = false;
        } else if (!inTag) {
            text += letter;
        }
    }
    return text;
}

/// Runs of spaces, line ends and controls become one space.
QString inOneLine(const QString& text)
{
    QString line;
    for (const auto letter : text) {
        const bool isGap = letter.isSpace() || (!letter.isPrint() && !letter.isSurrogate());
        if (!isGap) {
            line += letter;
        } else if (!line.isEmpty() && !line.endsWith(u' ')) {
            line += u' ';
        }
        if (line.size() > kMaxLength) {
            break;
        }
    }
    return line.trimmed();
}

}  // namespace

QString textOf(const MessageText::Part& part)
{
    return part.isText() ? decodeText(part.bytes, QString::fromStdString(part.charset)) : QString();
}

QString nameOf(const MessageText::Part& part)
{
    const auto& name = !part.fileName.empty() ? part.fileName : part.type;
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString previewOf(const Job& job, std::uint64_t bodySize)
{
    const auto message = readMessage(job.contentType, job.body, bodySize);
    const auto* main = mainPartOf(message);
    if (main == nullptr) {
        return {};
    }
    QString line;
    QStringList otherNames;
    for (const auto& part : message.parts) {
        if (&part == main && part.isText()) {
            const auto text = textOf(part);
            line = inOneLine(isHtml(part) ? withoutTags(text) : text);
            // Removes a character that was split by the cut.
            while (!part.complete && line.endsWith(QChar::ReplacementCharacter)) {
                line.chop(1);
            }
            const bool isCut = !part.complete || line.size() > kMaxLength;
            line = beginningOf(line, kMaxLength) + (isCut ? QString(QChar(0x2026)) : QString());
        } else if (otherNames.size() < kMaxOtherParts && !(main->isText() && part.isText())) {
            // A second text part is usually the first one as HTML.
            const auto name = nameOf(part);
            otherNames.append(u'[' + inOneLine(name.isEmpty() ? QStringLiteral("…") : name) + u']');
        }
    }
    const auto othersText = otherNames.join(u' ');
    return line.isEmpty() || othersText.isEmpty() ? line + othersText : line + u' ' + othersText;
}

}  // namespace restante::gui
