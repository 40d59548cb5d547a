#include "gui/pages/detail/message_view.h"

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

/// More is read on the page Payload, which shows it in parts.
constexpr std::size_t kMostBytes = 65'536;
constexpr qsizetype kMostLetters = 4'000;
constexpr int kMostLines = 8;

/// Controls as symbols, so that none of them does anything.
QString harmless(QString text)
{
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    for (auto& letter : text) {
        letter = letter == u'\n' || letter == u'\t' ? letter : shownAs(letter);
    }
    return text;
}

QString headOf(const MessageText& message)
{
    QStringList lines;
    for (const auto& [name, value] : message.headers) {
        if (name == "Subject") {
            lines.append(harmless(textOf(value)).simplified());
        }
    }
    return lines.join(u'\n');
}

}  // namespace

MessageView::MessageView(QWidget* parent)
    : QWidget(parent),
      text_(makeWidget<QPlainTextEdit>("messageText", this)),
      head_(wrappedLabel(this, "messageHead")),
      others_(wrappedLabel(this, "messageOthers"))
{
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    text_->setTabChangesFocus(true);
    text_->setBackgroundVisible(false);
    auto bold = font();
    bold.setBold(true);
    head_->setFont(bold);
    auto* column = new QVBoxLayout(this);
    const auto gap = fontMetrics().height() / 4;
    column->setContentsMargins(2 * gap, gap, 2 * gap, gap);
    column->setSpacing(gap);
    column->addWidget(head_);
    column->addWidget(text_);
    column->addWidget(others_);
    connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            this, &MessageView::setLines);
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
    body_.clear();
    text_->clear();
    hide();
}

void MessageView::setJob(const Job& job)
{
    const auto message = readMessage(
        job.contentType, std::string_view(job.body).substr(0, kMostBytes), job.body.size());
    const auto* main = mainPartOf(message);
    if (main == nullptr) {
        return clear();
    }
    QString body;
    if (main->isText()) {
        body = textOf(*main);
        body = main->isJson() && main->complete ? indentJson(body) : body;
    }
    QStringList others;
    for (const auto& part : message.parts) {
        if (&part != main || !part.isText()) {
            const auto name = nameOf(part);
            others.append(tr("%1 (%2)").arg(name.isEmpty() ? tr("bytes of an unknown type") : name,
                                            sizeOf(part.bytes.size())));
        }
    }
    const bool cut = !main->complete || body.size() > kMostLetters;
    if (main->isText() && cut) {
        others.prepend(tr("Cut here; all of it is on the tab Payload."));
    }
    body = harmless(body.left(kMostLetters));
    if (body != body_ || text_->toPlainText().isEmpty()) {
        body_ = body;
        text_->setPlainText(body);
    }
    const auto head = headOf(message);
    head_->setText(head);
    head_->setVisible(!head.isEmpty());
    others_->setText(others.join(u'\n'));
    others_->setVisible(!others.isEmpty());
    text_->setVisible(!body.isEmpty());
    show();
    setLines();
}

/// As high as its text; a long one is scrolled.
void MessageView::setLines()
{
    const auto lines = std::max(1, static_cast<int>(text_->document()->size().height()));
    const auto margins = 2 * static_cast<int>(text_->document()->documentMargin());
    text_->setFixedHeight(std::min(lines, kMostLines) * text_->fontMetrics().lineSpacing() +
                          margins);
    text_->setVerticalScrollBarPolicy(lines > kMostLines ? Qt::ScrollBarAsNeeded
                                                         : Qt::ScrollBarAlwaysOff);
}

}  // namespace restante::gui
