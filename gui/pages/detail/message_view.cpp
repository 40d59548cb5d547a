#include "gui/pages/detail/message_view.h"

#include "gui/base/text_piece.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/pages/page_parts.h"
#include "gui/session/job_preview.h"
#include "gui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// The tab Payload shows longer bodies, in chunks.
constexpr std::size_t kMaxBytes = 65'536;
constexpr qsizetype kMaxChars = 4'000;
constexpr int kMaxLines = 8;

/// Replaces control characters by symbols.
QString withVisibleControls(QString text)
{
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    for (auto& c : text) {
        c = c == u'\n' || c == u'\t' ? c : visibleSymbol(c);
    }
    return text;
}

QString subjectOf(const MessageText& message)
{
    QStringList lines;
    for (const auto& [name, value] : message.headers) {
        if (name == "Subject") {
            lines.append(withVisibleControls(textOf(value)).simplified());
        }
    }
    return lines.join(u'\n');
}

}  // namespace

MessageView::MessageView(QWidget* parent)
    : QWidget(parent),
      text_(makeWidget<QPlainTextEdit>("messageText", this)),
      subjectLabel_(wrappedLabel(this, "messageHead")),
      notesLabel_(wrappedLabel(this, "messageOthers"))
{
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    text_->setTabChangesFocus(true);
    text_->setBackgroundVisible(false);
    auto bold = font();
    bold.setBold(true);
    subjectLabel_->setFont(bold);
    auto* column = new QVBoxLayout(this);
    const auto gap = fontMetrics().height() / 4;
    column->setContentsMargins(2 * gap, gap, 2 * gap, gap);
    column->setSpacing(gap);
    column->addWidget(subjectLabel_);
    column->addWidget(text_);
    column->addWidget(notesLabel_);
    connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            this, &MessageView::updateHeight);
    retranslate();
    clear();
}

void MessageView::retranslate()
{
    text_->setAccessibleName(tr("What the job says"));
}

QString MessageView::text() const
{
    return text_->toPlainText();
}

void MessageView::clear()
{
    shownBody_.clear();
    text_->clear();
    hide();
}

void MessageView::setJob(const Job& job)
{
    const auto message = readMessage(
        job.contentType, std::string_view(job.body).substr(0, kMaxBytes), job.body.size());
    const auto* main = mainPartOf(message);
    if (main == nullptr) {
        return clear();
    }
    QString body;
    if (main->isText()) {
        body = textOf(*main);
        body = main->isJson() && main->complete ? indentJson(body) : body;
    }
    QStringList notes;
    for (const auto& part : message.parts) {
        if (&part != main || !part.isText()) {
            const auto name = nameOf(part);
            const auto shownName = name.isEmpty() ? tr("bytes of an unknown type") : name;
            notes.append(part.complete ? tr("%1 (%2)").arg(shownName, sizeText(part.bytes.size()))
                                       : shownName);  // its size is not known
        }
    }
    const bool cut = job.body.size() > kMaxBytes || body.size() > kMaxChars;
    if (main->isText() && cut) {
        notes.prepend(tr("Cut here; all of it is on the tab Payload."));
    }
    body = withVisibleControls(beginningOf(body, kMaxChars));
    if (body != shownBody_ || text_->toPlainText().isEmpty()) {
        shownBody_ = body;
        text_->setPlainText(body);
    }
    const auto subject = subjectOf(message);
    subjectLabel_->setText(subject);
    subjectLabel_->setVisible(!subject.isEmpty());
    notesLabel_->setText(notes.join(u'\n'));
    notesLabel_->setVisible(!notes.isEmpty());
    text_->setVisible(!body.isEmpty());
    show();
    updateHeight();
}

/// Makes the field as high as its text, up to kMaxLines.
void MessageView::updateHeight()
{
    const auto lines = std::max(1, static_cast<int>(text_->document()->size().height()));
    const auto margins = 2 * static_cast<int>(text_->document()->documentMargin());
    text_->setFixedHeight(std::min(lines, kMaxLines) * text_->fontMetrics().lineSpacing() +
                          margins);
    text_->setVerticalScrollBarPolicy(lines > kMaxLines ? Qt::ScrollBarAsNeeded
                                                        : Qt::ScrollBarAlwaysOff);
}

}  // namespace restante::gui
