#include "gui/pages/detail/payload_text.h"

#include "core/base/text.h"
#include "gui/pages/detail/detail_text.h"

#include <QStringDecoder>

#include <algorithm>
#include <array>
#include <cctype>

namespace restante::gui {

namespace {

constexpr qsizetype kBytesPerLine = 16;
constexpr qsizetype kOffsetWidth = 10;                  ///< "00000010  "
constexpr qsizetype kHexWidth = kBytesPerLine * 3 + 1;  ///< and a gap in the middle
constexpr qsizetype kLineWidth = kOffsetWidth + kHexWidth + 1 + kBytesPerLine + 1;
constexpr std::array kHexDigits{'0', '1', '2', '3', '4', '5', '6', '7',
                                '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

bool isPrintable(unsigned char c)
{
    return c >= ' ' && c < 0x7f;
}

void appendHeader(QString& text, const QString& name, const QString& value)
{
    text += name + QStringLiteral(": ") + value + u'\n';
}

/// Indentation stops growing here: a body of brackets must not become a thousand times as long.
constexpr int kMaxIndentDepth = 32;

bool isClosingBracket(QChar c)
{
    return c == u'}' || c == u']';
}

}  // namespace

QString charsetOf(const std::string& contentType)
{
    const auto type = textOf(contentType);
    const auto at = type.indexOf(QStringLiteral("charset="), 0, Qt::CaseInsensitive);
    if (at < 0) {
        return QStringLiteral("UTF-8");
    }
    auto name = type.mid(at + 8).section(u';', 0, 0).trimmed().toUpper();
    name.remove(u'"');
    return name.isEmpty() ? QStringLiteral("UTF-8") : name;
}

bool isReadable(const std::string& bytes, const QString& charset)
{
    const bool utf8 = isUtf8OrAscii(charset);
    if (utf8 || !QStringConverter::encodingForName(charset.toLatin1().constData())) {
        return isUtf8(bytes) && bytes.find('\0') == std::string::npos;
    }
    QStringDecoder decoder(charset.toLatin1().constData(), QStringDecoder::Flag::Stateless);
    const QString text = decoder(QByteArrayView(bytes));
    return !decoder.hasError() && !text.contains(QChar(u'\0'));
}

QString indentJson(const QString& json)
{
    QString out;
    out.reserve(json.size() * 5 / 4);
    int depth = 0;
    bool inString = false;
    bool escaped = false;
    const auto newLine = [&] {
        out += u'\n';
        out.append(QString(qsizetype{2} * std::clamp(depth, 0, kMaxIndentDepth), u' '));
    };
    for (auto at = json.begin(); at != json.end(); ++at) {
        const auto c = *at;
        if (inString) {
            out += c;
            inString = escaped || c != u'"';
            escaped = !escaped && c == u'\\';
            continue;
        }
        if (c == u' ' || c == u'\t' || c == u'\r' || c == u'\n') {
            continue;
        }
        if (isClosingBracket(c)) {
            --depth;
            newLine();
        }
        out += c;
        inString = c == u'"';
        if (c == u',') {
            newLine();
        } else if (c == u':') {
            out += u' ';
        } else if (c == u'{' || c == u'[') {
            const auto next = std::find_if_not(at + 1, json.end(),
                                               [](QChar character) { return character.isSpace(); });
            if (next != json.end() && isClosingBracket(*next)) {
                out += *next;  // an empty object or array
                at = next;
            } else {
                ++depth;
                newLine();
            }
        }
    }
    return out;
}

QString escapedBytes(const std::string& bytes)
{
    QString text;
    text.reserve(static_cast<qsizetype>(bytes.size()));
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (isPrintable(byte)) {
            text += QLatin1Char(c);
        } else if (c == '\n') {
            text += QStringLiteral("\\n\n");
        } else if (c == '\r') {
            text += QStringLiteral("\\r");
        } else if (c == '\t') {
            text += QStringLiteral("\\t");
        } else {
            text += QStringLiteral("\\x");
            text += QLatin1Char(kHexDigits[byte >> 4U]);
            text += QLatin1Char(kHexDigits[byte & 0xfU]);
        }
    }
    return text;
}

QString hexDump(std::string_view bytes, std::size_t offset)
{
    std::string text;
    text.reserve((bytes.size() / kBytesPerLine + 1) * (kLineWidth + 1));
    for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
        const auto line = bytes.substr(at, kBytesPerLine);
        for (int digit = 7; digit >= 0; --digit) {
            text += kHexDigits[((offset + at) >> (4U * static_cast<unsigned>(digit))) & 0xfU];
        }
        text += "  ";
        std::string letters;
        for (std::size_t i = 0; i < kBytesPerLine; ++i) {
            const bool isInData = i < line.size();
            const auto byte = static_cast<unsigned char>(isInData ? line[i] : 0);
            text += isInData ? kHexDigits[byte >> 4U] : ' ';
            text += isInData ? kHexDigits[byte & 0xfU] : ' ';
            text += i == 7 ? "  " : " ";
            letters += isInData ? (isPrintable(byte) ? static_cast<char>(byte) : '.') : ' ';
        }
        text += ' ' + letters + '\n';
    }
    if (!text.empty()) {
        text.pop_back();
    }
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

qsizetype hexPositionOf(qsizetype byte)
{
    const auto inLine = byte % kBytesPerLine;
    return byte / kBytesPerLine * kLineWidth + kOffsetWidth + inLine * 3 + (inLine > 7 ? 1 : 0);
}

qsizetype hexByteAt(qsizetype position)
{
    const auto line = position / kLineWidth;
    const auto inHex =
        std::clamp<qsizetype>(position % kLineWidth - kOffsetWidth, 0, kHexWidth - 1);
    const auto inLine = (inHex - (inHex > 8 * 3 ? 1 : 0)) / 3;
    return line * kBytesPerLine + std::min(inLine, kBytesPerLine - 1);
}

std::string parseSearchBytes(const QString& text)
{
    const auto trimmed = text.trimmed();
    const bool hasHexPrefix = trimmed.startsWith(QStringLiteral("0x"), Qt::CaseInsensitive);
    auto digits = hasHexPrefix ? trimmed.mid(2) : trimmed;
    const bool hasSpaces = digits.contains(u' ');
    digits.remove(u' ');
    const bool hex = (hasHexPrefix || hasSpaces) && digits.size() % 2 == 0 && !digits.isEmpty() &&
                     std::all_of(digits.begin(), digits.end(), [](QChar c) {
                         return c.unicode() < 0x80 && std::isxdigit(c.unicode()) != 0;
                     });
    return hex ? QByteArray::fromHex(digits.toLatin1()).toStdString() : text.toStdString();
}

qsizetype
findBytes(const std::string& bytes, const std::string& pattern, qsizetype from, bool forward)
{
    if (from < 0) {
        return -1;
    }
    const auto at = forward ? bytes.find(pattern, static_cast<std::size_t>(from))
                            : bytes.rfind(pattern, static_cast<std::size_t>(from));
    return at == std::string::npos ? -1 : static_cast<qsizetype>(at);
}

QString sipHead(const Job& job)
{
    const auto hasHeader = [&](const char* name) {
        return std::any_of(job.headers.begin(), job.headers.end(), [&](const auto& header) {
            return textOf(header.first).compare(QLatin1String(name), Qt::CaseInsensitive) == 0;
        });
    };
    auto text = QStringLiteral("MESSAGE %1 SIP/2.0\n").arg(textOf(job.recipient));
    if (!hasHeader("From") && !job.sender.empty()) {
        appendHeader(text, QStringLiteral("From"), u'<' + textOf(job.sender) + u'>');
    }
    if (!hasHeader("To")) {
        appendHeader(text, QStringLiteral("To"), u'<' + textOf(job.recipient) + u'>');
    }
    // Of a job that did not come as a MESSAGE, or with a key that is no Call-ID, the daemon makes
    // one.
    const bool isCallId = !job.bizKey.empty() && std::ranges::all_of(job.bizKey, [](char c) {
        return c > ' ' && c < '\x7f';  // visible ASCII
    });
    if (hasHeader("From") && isCallId) {
        appendHeader(text, QStringLiteral("Call-ID"), textOf(job.bizKey));
    }
    for (const auto& [name, value] : job.headers) {
        appendHeader(text, textOf(name), textOf(value));
    }
    if (!job.contentType.empty()) {
        appendHeader(text, QStringLiteral("Content-Type"), textOf(job.contentType));
    }
    appendHeader(text, QStringLiteral("Content-Length"), QString::number(job.body.size()));
    return text + u'\n';
}

bool isLineEnd(QChar c)
{
    return c == u'\n' || c == u'\r' || c == QChar::LineSeparator || c == QChar::ParagraphSeparator;
}

QChar visibleSymbol(QChar c)
{
    constexpr char16_t kSymbols = 0x2400;  // Unicode's block of control pictures
    const auto code = c.unicode();
    if (code == u'\t' || isLineEnd(c)) {
        return c;
    }
    if (code < 0x20) {
        return QChar(static_cast<char16_t>(kSymbols + code));
    }
    if (code == 0x7f) {
        return QChar(u'\u2421');
    }
    const bool isHidden = (code >= 0x202a && code <= 0x202e) ||
                          (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f ||
                          (code >= 0x80 && code < 0xa0);
    return isHidden ? QChar(u'\u2426') : c;
}

bool hasControlCharacters(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return visibleSymbol(c) != c; });
}

bool hasLongLine(const QString& text, qsizetype longest)
{
    qsizetype length = 0;
    for (const auto c : text) {
        length = isLineEnd(c) ? 0 : length + 1;
        if (length > longest) {
            return true;
        }
    }
    return false;
}

}  // namespace restante::gui
