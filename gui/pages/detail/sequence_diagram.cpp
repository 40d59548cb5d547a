#include "gui/pages/detail/sequence_diagram.h"

#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <array>

namespace restante::gui {

namespace {

/// More would be too narrow; the last lifeline then stands for the remaining hosts.
constexpr int kMaxParties = 4;

/// "10.0.0.7:5060" of "sip:bob@10.0.0.7:5060;transport=udp", "example.org" of
/// "POST https://example.org/hook".
QString hostOf(const QString& uri)
{
    const auto web = uri.indexOf(QLatin1String("://"));
    auto rest = web >= 0             ? uri.mid(web + 3)
                : uri.contains(u'@') ? uri.section(u'@', 1)
                                     : uri.section(u':', 1);
    rest = rest.section(u'/', 0, 0).section(u';', 0, 0).section(u'?', 0, 0);
    return rest.isEmpty() ? uri : rest;
}

}  // namespace

OutcomeStyle styleOf(DeliveryStep::Outcome outcome)
{
    struct Entry {
        const char* icon;
        JobState colorState;
        const char* word;
    };
    static constexpr std::array<Entry, 5> kEntries{{
        {"state-done", JobState::Done, QT_TRANSLATE_NOOP("StepsModel", "Delivered")},
        {"state-dead", JobState::Dead, QT_TRANSLATE_NOOP("StepsModel", "Failed")},
        {"dialog-warning", JobState::Held, QT_TRANSLATE_NOOP("StepsModel", "No answer")},
        {"state-leased", JobState::Leased, QT_TRANSLATE_NOOP("StepsModel", "Under way")},
        {"dialog-information", JobState::Trashed, QT_TRANSLATE_NOOP("StepsModel", "Unknown")},
    }};
    const auto& entry = kEntries[static_cast<std::size_t>(outcome)];
    return {QString::fromLatin1(entry.icon), Theme::style(entry.colorState).foreground,
            QCoreApplication::translate("StepsModel", entry.word)};
}

SequenceDiagram::SequenceDiagram(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setBackgroundRole(QPalette::Base);
}

void SequenceDiagram::setContent(const std::vector<DeliveryStep>& steps,
                                 const QString& request,
                                 std::function<QString(TimePoint)> formatTime)
{
    steps_ = steps;
    request_ = request;
    formatTime_ = std::move(formatTime);
    parties_.clear();
    for (const auto& step : steps_) {
        const auto host = hostOf(step.target);
        if (!parties_.contains(host)) {
            parties_.append(host);
        }
    }
    if (parties_.size() > kMaxParties) {
        parties_ = parties_.mid(0, kMaxParties - 1);
        parties_.append(tr("others"));
    }
    updateScrollRange();
    viewport()->update();
}

void SequenceDiagram::highlight(const std::vector<int>& steps)
{
    highlighted_ = steps;
    viewport()->update();
}

QSize SequenceDiagram::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 70, rowHeight() * 4};
}

int SequenceDiagram::gutter() const
{
    return fontMetrics().horizontalAdvance(QStringLiteral("00:00:00.000")) + fontMetrics().height();
}

int SequenceDiagram::lifelineX(int party) const
{
    const int parties = static_cast<int>(parties_.size());
    const int availableWidth = viewport()->width() - gutter() - 4 * fontMetrics().height();
    return gutter() + 2 * fontMetrics().height() +
           (parties == 0 ? 0 : availableWidth * party / parties);
}

int SequenceDiagram::partyOf(const DeliveryStep& step) const
{
    const auto at = static_cast<int>(parties_.indexOf(hostOf(step.target)));
    return 1 + (at < 0 ? static_cast<int>(parties_.size()) - 1 : at);
}

void SequenceDiagram::updateScrollRange()
{
    const int contentHeight = headerHeight() + rowHeight() * static_cast<int>(steps_.size());
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight() / 2);
    verticalScrollBar()->setRange(0, std::max(0, contentHeight - viewport()->height()));
}

void SequenceDiagram::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollRange();
}

void SequenceDiagram::mousePressEvent(QMouseEvent* event)
{
    const int below = event->position().toPoint().y() - headerHeight();  // the header stays
    const int step = below < 0 ? -1 : (below + verticalScrollBar()->value()) / rowHeight();
    if (event->button() == Qt::LeftButton && step >= 0 && step < static_cast<int>(steps_.size())) {
        emit stepClicked(step, event->modifiers());
    }
}

void SequenceDiagram::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    if (steps_.empty()) {
        return;
    }
    const int scrolled = verticalScrollBar()->value();
    painter.setPen(palette().color(QPalette::Mid));
    for (int party = 0; party <= parties_.size(); ++party) {
        painter.drawLine(lifelineX(party), headerHeight(), lifelineX(party), viewport()->height());
    }
    const int count = static_cast<int>(steps_.size());
    const int first = std::max(0, scrolled / rowHeight() - 1);
    const int end = std::min(count, (scrolled + viewport()->height()) / rowHeight() + 1);
    for (int step = first; step < end; ++step) {
        paintStep(painter, step, headerHeight() + step * rowHeight() - scrolled);
    }
    paintHeader(painter);
}

void SequenceDiagram::paintHeader(QPainter& painter)
{
    painter.fillRect(0, 0, viewport()->width(), headerHeight(), palette().color(QPalette::Base));
    auto bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    const QFontMetrics metrics(bold);
    const int availableWidth =
        parties_.isEmpty() ? viewport()->width() : (lifelineX(1) - lifelineX(0)) - metrics.height();
    for (int party = 0; party <= parties_.size(); ++party) {
        const auto fullText = party == 0 ? tr("Restante") : parties_[party - 1];
        const auto text = metrics.elidedText(fullText, Qt::ElideMiddle, availableWidth);
        const int width = metrics.horizontalAdvance(text);
        const int left = std::clamp(lifelineX(party) - width / 2, 0,
                                    std::max(0, viewport()->width() - width - 4));
        painter.drawText(left, headerHeight() - metrics.height() / 2, text);
    }
    painter.setFont(font());
}

void SequenceDiagram::paintStep(QPainter& painter, int step, int top)
{
    const auto& delivery = steps_[static_cast<std::size_t>(step)];
    const auto metrics = fontMetrics();
    const int from = lifelineX(0);
    const int to = lifelineX(partyOf(delivery));
    if (std::find(highlighted_.begin(), highlighted_.end(), step) != highlighted_.end()) {
        auto band = palette().color(QPalette::Highlight);
        band.setAlphaF(0.18F);
        painter.fillRect(0, top, viewport()->width(), rowHeight(), band);
    }
    const int requestY = top + metrics.height() * 3 / 2;
    const int answerY = requestY + metrics.height() * 3 / 2;
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(metrics.height() / 2, requestY + metrics.ascent() / 2,
                     formatTime_(delivery.sent));
    if (delivery.took) {
        painter.drawText(metrics.height() / 2, answerY + metrics.ascent() / 2,
                         tr("+ %1").arg(TimeText::duration(*delivery.took)));
    }

    const auto drawLabel = [&](const QString& text, int y) {
        const int availableWidth = to - from - metrics.height();
        painter.drawText(QRect(from + metrics.height() / 2, y - metrics.height(), availableWidth,
                               metrics.height()),
                         Qt::AlignCenter, metrics.elidedText(text, Qt::ElideRight, availableWidth));
    };
    // A delivery report has no request.
    if (delivery.target != QLatin1String("delivery-report")) {
        painter.setPen(palette().color(QPalette::Text));
        paintArrow(painter, from, to, requestY);
        drawLabel(tr("%1, attempt %2").arg(request_).arg(delivery.attempt), requestY);
    }

    const auto outcomeStyle = styleOf(delivery.outcome);
    auto text = delivery.answer.isEmpty() ? outcomeStyle.word : delivery.answer;
    if (delivery.outcome == DeliveryStep::Outcome::NoAnswer) {
        text = outcomeStyle.word;
    }
    const bool isUnanswered = delivery.outcome == DeliveryStep::Outcome::NoAnswer ||
                              delivery.outcome == DeliveryStep::Outcome::UnderWay;
    QPen pen(outcomeStyle.foreground);
    pen.setStyle(isUnanswered ? Qt::DashLine : Qt::SolidLine);
    painter.setPen(pen);
    if (isUnanswered) {
        painter.drawLine(from, answerY, to, answerY);
    } else {
        paintArrow(painter, to, from, answerY);
    }
    drawLabel(text, answerY);
}

void SequenceDiagram::paintArrow(QPainter& painter, int from, int to, int y)
{
    const int size = fontMetrics().height() / 3;
    const int back = to > from ? -size : size;
    painter.drawLine(from, y, to, y);
    painter.setBrush(painter.pen().color());
    painter.drawPolygon(QPolygon({{to, y}, {to + 2 * back, y - size}, {to + 2 * back, y + size}}));
    painter.setBrush(Qt::NoBrush);
}

}  // namespace restante::gui
