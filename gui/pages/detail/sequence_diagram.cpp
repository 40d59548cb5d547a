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

/// More would be too narrow to be read; the last line then stands for the rest.
constexpr int kMostParties = 4;

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
        JobState coloured;
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
    return {QString::fromLatin1(entry.icon), Theme::style(entry.coloured).ink,
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
                                 std::function<QString(TimePoint)> moment)
{
    steps_ = steps;
    request_ = request;
    moment_ = std::move(moment);
    parties_.clear();
    for (const auto& step : steps_) {
        const auto host = hostOf(step.target);
        if (!parties_.contains(host)) {
            parties_.append(host);
        }
    }
    if (parties_.size() > kMostParties) {
        parties_ = parties_.mid(0, kMostParties - 1);
        parties_.append(tr("others"));
    }
    layOut();
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

int SequenceDiagram::lifeLine(int party) const
{
    const int parties = static_cast<int>(parties_.size());
    const int room = viewport()->width() - gutter() - 4 * fontMetrics().height();
    return gutter() + 2 * fontMetrics().height() + (parties == 0 ? 0 : room * party / parties);
}

int SequenceDiagram::partyOf(const DeliveryStep& step) const
{
    const auto at = static_cast<int>(parties_.indexOf(hostOf(step.target)));
    return 1 + (at < 0 ? static_cast<int>(parties_.size()) - 1 : at);
}

void SequenceDiagram::layOut()
{
    const int all = headHeight() + rowHeight() * static_cast<int>(steps_.size());
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight() / 2);
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
}

void SequenceDiagram::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void SequenceDiagram::mousePressEvent(QMouseEvent* event)
{
    const int y = event->position().toPoint().y() + verticalScrollBar()->value() - headHeight();
    const int step = y < 0 ? -1 : y / rowHeight();
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
        painter.drawLine(lifeLine(party), headHeight(), lifeLine(party), viewport()->height());
    }
    const int count = static_cast<int>(steps_.size());
    const int first = std::max(0, scrolled / rowHeight() - 1);
    const int last = std::min(count, (scrolled + viewport()->height()) / rowHeight() + 1);
    for (int step = first; step < last; ++step) {
        paintStep(painter, step, headHeight() + step * rowHeight() - scrolled);
    }
    paintHead(painter);
}

void SequenceDiagram::paintHead(QPainter& painter)
{
    painter.fillRect(0, 0, viewport()->width(), headHeight(), palette().color(QPalette::Base));
    auto bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    const QFontMetrics metrics(bold);
    const int room =
        parties_.isEmpty() ? viewport()->width() : (lifeLine(1) - lifeLine(0)) - metrics.height();
    for (int party = 0; party <= parties_.size(); ++party) {
        const auto whole = party == 0 ? tr("Restante") : parties_[party - 1];
        const auto text = metrics.elidedText(whole, Qt::ElideMiddle, room);
        const int width = metrics.horizontalAdvance(text);
        const int left = std::clamp(lifeLine(party) - width / 2, 0,
                                    std::max(0, viewport()->width() - width - 4));
        painter.drawText(left, headHeight() - metrics.height() / 2, text);
    }
    painter.setFont(font());
}

void SequenceDiagram::paintStep(QPainter& painter, int step, int top)
{
    const auto& one = steps_[static_cast<std::size_t>(step)];
    const auto metrics = fontMetrics();
    const int from = lifeLine(0);
    const int to = lifeLine(partyOf(one));
    if (std::find(highlighted_.begin(), highlighted_.end(), step) != highlighted_.end()) {
        auto band = palette().color(QPalette::Highlight);
        band.setAlphaF(0.18F);
        painter.fillRect(0, top, viewport()->width(), rowHeight(), band);
    }
    const int asked = top + metrics.height() * 3 / 2;
    const int answered = asked + metrics.height() * 3 / 2;
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(metrics.height() / 2, asked + metrics.ascent() / 2, moment_(one.sent));
    if (one.took) {
        painter.drawText(metrics.height() / 2, answered + metrics.ascent() / 2,
                         tr("+ %1").arg(TimeText::duration(*one.took)));
    }

    const auto label = [&](const QString& text, int y) {
        const int room = to - from - metrics.height();
        painter.drawText(
            QRect(from + metrics.height() / 2, y - metrics.height(), room, metrics.height()),
            Qt::AlignCenter, metrics.elidedText(text, Qt::ElideRight, room));
    };
    // A delivery report comes without having been asked for.
    if (one.target != QLatin1String("delivery-report")) {
        painter.setPen(palette().color(QPalette::Text));
        paintArrow(painter, from, to, asked);
        label(tr("%1, attempt %2").arg(request_).arg(one.attempt), asked);
    }

    const auto stateStyle = styleOf(one.outcome);
    auto text = one.answer.isEmpty() ? stateStyle.word : one.answer;
    if (one.outcome == DeliveryStep::Outcome::NoAnswer) {
        text = stateStyle.word;
    }
    const bool silent = one.outcome == DeliveryStep::Outcome::NoAnswer ||
                        one.outcome == DeliveryStep::Outcome::UnderWay;
    QPen pen(stateStyle.ink);
    pen.setStyle(silent ? Qt::DashLine : Qt::SolidLine);
    painter.setPen(pen);
    if (silent) {
        painter.drawLine(from, answered, to, answered);
    } else {
        paintArrow(painter, to, from, answered);
    }
    label(text, answered);
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
