#pragma once

#include "gui/pages/overview/figure.h"
#include "gui/pages/overview/fullest_mailboxes.h"
#include "gui/pages/overview/reason_list.h"
#include "gui/pages/overview/topic_list.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/link_button.h"
#include "gui/theme/sparkline.h"
#include "tests/gui/support/page_object.h"

#include <QLabel>
#include <QToolButton>

namespace restante::gui::test {

class OverviewPageObject : public PageObject {
public:
    explicit OverviewPageObject(const QWidget& page) : PageObject(&page), page_(&page) {}

    QLabel* daemons() const { return named<QLabel>("overviewDaemons"); }
    QWidget* notice() const { return named<QWidget>("overviewNotice"); }
    Figure* delivered() const { return named<Figure>("overviewDelivered"); }
    Figure* failed() const { return named<Figure>("overviewFailed"); }
    Figure* waiting() const { return named<Figure>("overviewWaiting"); }
    Figure* late() const { return named<Figure>("overviewLate"); }
    ReasonList* reasons() const { return named<ReasonList>("overviewReasons"); }
    FullestMailboxes* mailboxes() const { return named<FullestMailboxes>("overviewMailboxes"); }
    TopicList* topics() const { return named<TopicList>("overviewTopics"); }

    /// The link of a figure, which is its number.
    static LinkButton* number(const Figure* figure)
    {
        return required(figure->findChild<LinkButton*>(), "number", figure->objectName());
    }
    static Sparkline* day(const Figure* figure)
    {
        return required(figure->findChild<Sparkline*>(), "sparkline", figure->objectName());
    }
    /// Everything that is on the screen below `part`, line by line.
    static QStringList textsOf(const QWidget* part)
    {
        QStringList texts;
        for (auto* widget : part->findChildren<QWidget*>()) {
            if (!widget->isVisible()) {
                continue;
            }
            if (const auto* elided = qobject_cast<ElidedLabel*>(widget)) {
                texts.append(elided->fullText());
            } else if (const auto* label = qobject_cast<QLabel*>(widget)) {
                texts.append(label->text());
            } else if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
                texts.append(button->text());
            }
        }
        return texts;
    }
    /// The button or link whose name for a reader begins so.
    QAbstractButton* called(const char* name) const
    {
        for (auto* button : page_->findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->accessibleName().startsWith(QLatin1String(name))) {
                return button;
            }
        }
        return required<QAbstractButton>(nullptr, name, page_->objectName());
    }

private:
    const QWidget* page_;
};

}  // namespace restante::gui::test
