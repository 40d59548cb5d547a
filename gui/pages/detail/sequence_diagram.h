#pragma once

#include "gui/pages/detail/delivery_step.h"

#include <QAbstractScrollArea>
#include <QColor>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace restante::gui {

/// Icon, colour and name of an outcome. *Value.*
struct OutcomeStyle {
    QString icon;
    QColor foreground;
    QString word;
};
OutcomeStyle styleOf(DeliveryStep::Outcome outcome);

/// The requests and their answers as a sequence diagram: Restante on the left, the other parties on
/// the right, time running down. The table beside it has the same data. *Thread of the window.*
class SequenceDiagram : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit SequenceDiagram(QWidget* parent = nullptr);

    /// `request` is what is sent: "MESSAGE", "POST". `formatTime` writes a time of day.
    void setContent(const std::vector<DeliveryStep>& steps,
                    const QString& request,
                    std::function<QString(TimePoint)> formatTime);
    /// Which steps are highlighted.
    void highlight(const std::vector<int>& steps);
    QSize sizeHint() const override;

signals:
    void stepClicked(int step, Qt::KeyboardModifiers modifiers);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int rowHeight() const { return fontMetrics().height() * 4; }
    int headerHeight() const { return fontMetrics().height() * 2; }
    int gutter() const;
    /// The x coordinate of that party's lifeline; 0 = Restante.
    int lifelineX(int party) const;
    int partyOf(const DeliveryStep& step) const;
    void updateScrollRange();
    void paintHeader(QPainter& painter);
    void paintStep(QPainter& painter, int step, int top);
    void paintArrow(QPainter& painter, int from, int to, int y);

    std::vector<DeliveryStep> steps_;
    QString request_;
    std::function<QString(TimePoint)> formatTime_;
    QStringList parties_;  ///< hosts by their first request; the last may be "others"
    std::vector<int> highlighted_;
};

}  // namespace restante::gui
