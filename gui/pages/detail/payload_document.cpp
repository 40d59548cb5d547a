#include "gui/pages/detail/payload_document.h"

#include "gui/pages/detail/payload_text.h"

#include <QJsonDocument>
#include <QLocale>

#include <algorithm>

namespace restante::gui {

namespace {

/// Parsing more would block the window noticeably.
constexpr std::size_t kMaxBytesToIndent = 1'024 * 1'024;
constexpr qsizetype kHexCharsPerByte = 4;  // 77 for 16 bytes, rounded down

bool looksLikeJson(const Job& job)
{
    if (job.contentType.find("json") != std::string::npos) {
        return true;
    }
    const auto first = job.body.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || (job.body[first] != '{' && job.body[first] != '[') ||
        job.body.size() > kMaxBytesToIndent) {
        return false;
    }
    return !QJsonDocument::fromJson(QByteArray::fromStdString(job.body)).isNull();
}

}  // namespace

PayloadTraits traitsOf(const Job& job)
{
    PayloadTraits traits;
    const auto charset = charsetOf(job.contentType);
    traits.readable = isReadable(job.body, charset);
    traits.encoding = traits.readable ? charset : PayloadDocument::tr("not text");
    if (!traits.readable) {
        traits.bestForm = PayloadForm::Hex;
    } else if (job.channel == Channel::Sip) {
        traits.bestForm = PayloadForm::Sip;
    } else if (looksLikeJson(job)) {
        traits.bestForm = PayloadForm::Json;
    }
    return traits;
}

PayloadDocument::PayloadDocument(const Job& job, PayloadForm form, PayloadLimits limits)
    : form_(form),
      limits_(limits)
{
    switch (form) {
    case PayloadForm::Sip: readSip(job); break;
    case PayloadForm::Json: readJson(job); break;
    case PayloadForm::Text: readText(job); break;
    case PayloadForm::Hex: bytes_ = job.body; break;
    case PayloadForm::Raw: source_ = escapedBytes(job.body); break;
    }
    splitIntoChunks();
    if (form != PayloadForm::Hex && hasLongLine(source_, limits_.line)) {
        notices_ << tr("Lines over %1 characters are broken where ↩ stands.")
                        .arg(QLocale().toString(static_cast<qlonglong>(limits_.line)));
    }
    if (form != PayloadForm::Hex && hasControlCharacters(source_)) {
        notices_ << tr("Control characters are shown as symbols.");
    }
}

void PayloadDocument::readText(const Job& job)
{
    const auto charset = charsetOf(job.contentType);
    source_ = decodeText(job.body, charset);
    if (!isReadable(job.body, charset)) {
        notices_ << tr("This is not text in %1; Hex shows every byte.").arg(charset);
    }
}

void PayloadDocument::readJson(const Job& job)
{
    readText(job);
    if (job.body.size() > kMaxBytesToIndent) {
        notices_ << tr("Too large to be indented; shown as it is.");
        return;
    }
    QJsonParseError problem;
    QJsonDocument::fromJson(QByteArray::fromStdString(job.body), &problem);
    if (problem.error != QJsonParseError::NoError) {
        notices_ << tr("This is not JSON (byte %1: %2); shown as it is.")
                        .arg(QLocale().toString(problem.offset), problem.errorString());
        return;
    }
    source_ = indentJson(source_);
}

void PayloadDocument::readSip(const Job& job)
{
    const auto head = sipHead(job);
    readText(job);
    if (!isReadable(job.body, charsetOf(job.contentType))) {
        source_ = tr("[%1 that are not text: see Hex]")
                      .arg(QLocale().formattedDataSize(static_cast<qint64>(job.body.size())));
        notices_.clear();
    }
    source_.prepend(head);
}

void PayloadDocument::splitIntoChunks()
{
    if (form_ == PayloadForm::Hex) {
        const auto chunkBytes =
            std::max<qsizetype>(limits_.chunkSize / kHexCharsPerByte / 16 * 16, 16);
        for (auto at = chunkBytes; at < static_cast<qsizetype>(bytes_.size()); at += chunkBytes) {
            chunkStarts_.push_back(at);
        }
        return;
    }
    // A chunk preferably ends at the end of a line.
    constexpr qsizetype kLineEndSearchChars = 4'096;
    auto at = limits_.chunkSize;
    while (at < source_.size()) {
        const auto end = source_.lastIndexOf(u'\n', at - 1);
        if (end > at - kLineEndSearchChars && end >= chunkStarts_.back()) {
            at = end + 1;
        } else if (source_[at].isLowSurrogate()) {
            ++at;
        }
        chunkStarts_.push_back(at);
        at += limits_.chunkSize;
    }
}

PayloadDocument::WrappedText PayloadDocument::wrapChunk(int index) const
{
    const auto start = chunkStarts_[static_cast<std::size_t>(index)];
    const auto end = index + 1 < chunkCount() ? chunkStarts_[static_cast<std::size_t>(index) + 1]
                                              : source_.size();
    WrappedText wrapped;
    wrapped.text.reserve(end - start);
    wrapped.lines.push_back({start, 0});
    qsizetype length = 0;
    for (auto at = start; at < end; ++at) {
        const auto c = source_[at];
        const bool isCrLf = c == u'\r' && at + 1 < end && source_[at + 1] == u'\n';
        if (isCrLf || isLineEnd(c)) {
            at += isCrLf ? 1 : 0;
            if (at + 1 < end) {
                wrapped.text += u'\n';
                wrapped.lines.push_back({at + 1, wrapped.text.size()});
            }
            length = 0;
            continue;
        }
        if (length >= limits_.line && !c.isLowSurrogate()) {
            wrapped.text += QStringLiteral("↩\n");
            wrapped.lines.push_back({at, wrapped.text.size()});
            length = 0;
        }
        wrapped.text += visibleSymbol(c);
        ++length;
    }
    return wrapped;
}

QString PayloadDocument::hexChunk(int index) const
{
    const auto start = static_cast<std::size_t>(chunkStarts_[static_cast<std::size_t>(index)]);
    const auto end =
        index + 1 < chunkCount()
            ? static_cast<std::size_t>(chunkStarts_[static_cast<std::size_t>(index) + 1])
            : bytes_.size();
    return hexDump(std::string_view(bytes_).substr(start, end - start), start);
}

QString PayloadDocument::chunk(int index) const
{
    return form_ == PayloadForm::Hex ? hexChunk(index) : wrapChunk(index).text;
}

QString PayloadDocument::fullText() const
{
    return form_ == PayloadForm::Hex ? hexDump(bytes_, 0) : source_;
}

PayloadDocument::Hit PayloadDocument::hitAt(qsizetype begin, qsizetype length) const
{
    Hit hit;
    const auto next = std::upper_bound(chunkStarts_.begin(), chunkStarts_.end(), begin);
    hit.chunk = static_cast<int>(next - chunkStarts_.begin()) - 1;
    const auto start = chunkStarts_[static_cast<std::size_t>(hit.chunk)];
    if (form_ == PayloadForm::Hex) {
        hit.begin = hexPositionOf(begin - start);
        hit.end = hexPositionOf(begin - start + length - 1) + 2;
        return hit;
    }
    const auto wrapped = wrapChunk(hit.chunk);
    const auto shownOffsetOf = [&](qsizetype sourceOffset) {
        auto found =
            std::upper_bound(wrapped.lines.begin(), wrapped.lines.end(), sourceOffset,
                             [](qsizetype at, const Line& line) { return at < line.sourceStart; });
        --found;
        return std::min(found->shownStart + sourceOffset - found->sourceStart, wrapped.text.size());
    };
    hit.begin = shownOffsetOf(begin);
    hit.end = shownOffsetOf(begin + length);
    return hit;
}

qsizetype PayloadDocument::sourceOffsetOf(const Hit& hit) const
{
    const auto start =
        chunkStarts_[static_cast<std::size_t>(std::clamp(hit.chunk, 0, chunkCount() - 1))];
    if (form_ == PayloadForm::Hex) {
        return start + hexByteAt(hit.begin);
    }
    const auto wrapped = wrapChunk(std::clamp(hit.chunk, 0, chunkCount() - 1));
    auto found =
        std::upper_bound(wrapped.lines.begin(), wrapped.lines.end(), hit.begin,
                         [](qsizetype at, const Line& line) { return at < line.shownStart; });
    --found;
    return found->sourceStart + hit.begin - found->shownStart;
}

std::optional<PayloadDocument::Hit> PayloadDocument::find(const Search& search,
                                                          const Hit& from) const
{
    if (search.text.isEmpty()) {
        return std::nullopt;
    }
    const bool forward = search.direction == Direction::Forward;
    const auto currentStart = sourceOffsetOf(from);
    // Starts one position beyond the current match, so that it is not found again.
    const auto begin = from.end > from.begin ? currentStart + (forward ? 1 : -1) : currentStart;
    const auto findFrom = [&](qsizetype at) -> qsizetype {
        if (form_ == PayloadForm::Hex) {
            return findBytes(bytes_, parseSearchBytes(search.text), at, forward);
        }
        if (!forward && at < 0) {
            return -1;
        }
        return forward ? source_.indexOf(search.text, at, search.caseSensitivity)
                       : source_.lastIndexOf(search.text, at, search.caseSensitivity);
    };
    auto found = findFrom(begin);
    if (found < 0) {
        const auto size =
            form_ == PayloadForm::Hex ? static_cast<qsizetype>(bytes_.size()) : source_.size();
        found = findFrom(forward ? 0 : size);
    }
    if (found < 0) {
        return std::nullopt;
    }
    const auto length = form_ == PayloadForm::Hex
                            ? static_cast<qsizetype>(parseSearchBytes(search.text).size())
                            : search.text.size();
    return hitAt(found, length);
}

}  // namespace restante::gui
