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

/// What is wrong with a body, before it is shown. *Value.*
struct PayloadTraits {
    bool readable = true;  ///< as text in its charset, without NUL
    QString encoding;      ///< "UTF-8", or "not text"
    PayloadForm best = PayloadForm::Text;
};
PayloadTraits traitsOf(const Job& job);

/// A body in one form, cut into parts and lines that a text field can bear, whatever is in it: one
/// line of megabytes, NULs, broken UTF-8, characters that turn the direction of writing. *Value.*
class PayloadDocument {
    Q_DECLARE_TR_FUNCTIONS(PayloadDocument)

public:
    PayloadDocument() = default;
    PayloadDocument(const Job& job, PayloadForm form, PayloadLimits limits);

    PayloadForm form() const noexcept { return form_; }
    int parts() const noexcept { return static_cast<int>(partStarts_.size()); }
    /// What the field shows; control characters are symbols.
    QString part(int index) const;
    /// All of it as it is, for the clipboard.
    QString fullText() const;
    /// Sentences about what is shown differently from what it is.
    const QStringList& notices() const noexcept { return notices_; }

    /// A place in the text of a part.
    struct Hit {
        int part = 0;
        qsizetype begin = 0;
        qsizetype end = 0;
    };
    enum class Direction { Forward, Backward };
    struct Search {
        QString text;
        Direction direction = Direction::Forward;
        Qt::CaseSensitivity letters = Qt::CaseInsensitive;
    };
    /// The next place after (or before) `from`, from the other end when there is none; nothing when
    /// there is none at all. Of Hex: bytes, "0d 0a" or "0x0d0a", or text.
    std::optional<Hit> find(const Search& search, const Hit& from) const;

private:
    struct Line {
        qsizetype source;
        qsizetype shown;
    };
    struct WrappedText {
        QString text;
        std::vector<Line> lines;  ///< where each begins, in the source and in what is shown
    };

    void readText(const Job& job);
    void readJson(const Job& job);
    void readSip(const Job& job);
    void splitIntoParts();
    WrappedText wrapPart(int index) const;
    QString hexPart(int index) const;
    Hit hitAt(qsizetype begin, qsizetype length) const;
    qsizetype sourceOffsetOf(const Hit& hit) const;

    PayloadForm form_ = PayloadForm::Text;
    PayloadLimits limits_;
    QString source_;     ///< of all but Hex
    std::string bytes_;  ///< of Hex
    std::vector<qsizetype> partStarts_{0};
    QStringList notices_;
};

}  // namespace restante::gui
