#pragma once

#include "gui/shell/alert_button.h"
#include "gui/shell/alert_center.h"
#include "gui/shell/alert_panel.h"
#include "gui/shell/alert_strip.h"
#include "gui/shell/main_window.h"
#include "gui/theme/link_button.h"
#include "tests/gui/support/page_object.h"

#include <QLabel>
#include <QPushButton>

#include <string>
#include <vector>

namespace restante::gui::test {

/// A tray that records its notifications.
class FakeTray final : public Notifier {
public:
    struct Notification {
        Theme::Severity severity{};
        std::string title;
        std::string text;
        AlertTarget target{};
    };

    bool isAvailable() const override { return available; }
    void notify(Theme::Severity severity,
                const QString& title,
                const QString& text,
                AlertTarget target) override
    {
        notifications.push_back({severity, title.toStdString(), text.toStdString(), target});
    }
    void setSummary(const QString& text) override { summary = text.toStdString(); }

    bool available = true;
    std::vector<Notification> notifications;
    std::string summary;
};

/// The bell, its list and the strip.
class AlertsObject : public PageObject {
public:
    explicit AlertsObject(MainWindow& window)
        : PageObject(window.alerts().panel()),
          center_(&window.alerts())
    {
    }

    AlertButton* bell() const { return center_->button(); }
    AlertStrip* strip() const { return center_->strip(); }
    QString stripText() const
    {
        return center_->strip()->findChild<QLabel*>(QStringLiteral("alertText"))->text();
    }
    AlertPanel* panel() const { return center_->panel(); }
    QPushButton* acknowledge() const { return named<QPushButton>("acknowledgeAlerts"); }
    /// All that the list says, a label a line.
    std::string listed() const
    {
        QStringList texts;
        for (const auto* label : panel()->findChildren<QLabel*>()) {
            if (!label->isHidden()) {
                texts.append(label->text());
            }
        }
        return texts.join(u'\n').toStdString();
    }
    QList<LinkButton*> links() const { return panel()->findChildren<LinkButton*>(); }

private:
    AlertCenter* center_;
};

}  // namespace restante::gui::test
