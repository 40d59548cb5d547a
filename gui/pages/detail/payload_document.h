#pragma once

#include "core/job/job.h"
#include "gui/base/preferences.h"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// How a body is shown.
enum class PayloadForm {
    Sip,   ///< the MESSAGE that is sent, as far as the store knows it
    Json,  ///< indented
    Text,  ///< decoded
    Hex,
    Raw,  ///< what is not printable ASCII as \xNN
};

/// Properties of a body that decide how it is shown. *Value.*
struct PayloadTraits {
    bool readable = true;  ///< it is text in its charset, without NUL
    QString encoding;      ///< "UTF-8", or "not text"
    PayloadForm bestForm = PayloadForm::Text;
};
PayloadTraits traitsOf(const Job& job);

/// A body in one form, split into chunks and lines that a text field can show, whatever it
/// contains: a line of megabytes, NULs, invalid UTF-8, bidirectional control characters. *Value.*
class PayloadDocument {
    Q_DECLARE_TR_FUNCTIONS(PayloadDocument)

public:
    PayloadDocument() = default;
    PayloadDocument(const Job& job, PayloadForm form, PayloadLimits limits);

    PayloadForm form() const noexcept { return form_; }
    int chunkCount() const noexcept { return static_cast<int>(chunkStarts_.size()); }
    /// The text of a chunk as shown; control characters are replaced by symbols.
    QString chunk(int index) const;
    /// The whole text, unchanged, for the clipboard.
    QString fullText() const;
    /// Sentences that say what is shown differently from the body.
    const QStringList& notices() const noexcept { return notices_; }

    /// A range in the shown text of a chunk.
    struct Hit {
        int chunk = 0;
        qsizetype begin = 0;
        qsizetype end = 0;
    };
    enum class Direction { Forward, Backward };
    struct Search {
        QString text;
        Direction direction = Direction::Forward;
        Qt::CaseSensitivity caseSensitivity = Qt::CaseInsensitive;
    };
    /// The next match after (or before) `from`, wrapping around; nullopt = no match. In the form
    /// Hex the search text is bytes, "0d 0a" or "0x0d0a", or text.
    std::optional<Hit> find(const Search& search, const Hit& from) const;

private:
    struct Line {
        qsizetype sourceStart;
        qsizetype shownStart;
    };
    struct WrappedText {
        QString text;
        std::vector<Line> lines;  ///< where each line begins, in the source and in the shown text
    };

    void readText(const Job& job);
    void readJson(const Job& job);
    void readSip(const Job& job);
    void splitIntoChunks();
    WrappedText wrapChunk(int index) const;
    QString hexChunk(int index) const;
    Hit hitAt(qsizetype begin, qsizetype length) const;
    qsizetype sourceOffsetOf(const Hit& hit) const;

    PayloadForm form_ = PayloadForm::Text;
    PayloadLimits limits_;
    QString source_;     ///< for all forms but Hex
    std::string bytes_;  ///< for the form Hex
    std::vector<qsizetype> chunkStarts_{0};
    QStringList notices_;
};

}  // namespace restante::gui
