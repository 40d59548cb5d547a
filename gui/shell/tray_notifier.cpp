#include "gui/shell/notifier.h"

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QSystemTrayIcon>
#include <QWidget>

namespace restante::gui {

namespace {

/// The desktop may show it for less, or for as long as it likes.
constexpr int kShownMs = 10'000;

class TrayNotifier final : public Notifier {
public:
    TrayNotifier(QAction* mute, QAction* quit)
    {
        if (!QSystemTrayIcon::isSystemTrayAvailable()) {
            return;
        }
        menu_ = std::make_unique<QMenu>();
        open_ = menu_->addAction(QString());
        menu_->addAction(mute);
        menu_->addSeparator();
        menu_->addAction(quit);
        // The language may be another one by now.
        connect(menu_.get(), &QMenu::aboutToShow, this,
                [this] { open_->setText(QCoreApplication::translate("Tray", "&Open Restante")); });
        open_->setText(QCoreApplication::translate("Tray", "&Open Restante"));
        connect(open_, &QAction::triggered, this, &Notifier::windowRequested);
        icon_ = std::make_unique<QSystemTrayIcon>(QApplication::windowIcon());
        icon_->setContextMenu(menu_.get());
        connect(icon_.get(), &QSystemTrayIcon::activated, this,
                [this](QSystemTrayIcon::ActivationReason reason) {
                    if (reason == QSystemTrayIcon::Trigger) {
                        emit windowRequested();
                    }
                });
        connect(icon_.get(), &QSystemTrayIcon::messageClicked, this,
                [this] { emit targetRequested(target_); });
        icon_->show();
    }

    bool isAvailable() const override { return icon_ && QSystemTrayIcon::isSystemTrayAvailable(); }

    void notify(Theme::Severity severity,
                const QString& title,
                const QString& text,
                AlertTarget target) override
    {
        if (!icon_) {
            return;
        }
        target_ = target;
        const auto messageIcon = severity == Theme::Severity::Bad ? QSystemTrayIcon::Critical
                                 : severity == Theme::Severity::Warning
                                     ? QSystemTrayIcon::Warning
                                     : QSystemTrayIcon::Information;
        icon_->showMessage(title, text, messageIcon, kShownMs);
    }

    void setSummary(const QString& summary) override
    {
        if (icon_) {
            icon_->setToolTip(summary);
        }
    }

private:
    std::unique_ptr<QMenu> menu_;
    QAction* open_ = nullptr;
    std::unique_ptr<QSystemTrayIcon> icon_;
    AlertTarget target_ = AlertTarget::Overview;
};

}  // namespace

std::unique_ptr<Notifier> trayNotifier(QAction* mute, QAction* quit)
{
    return std::make_unique<TrayNotifier>(mute, quit);
}

}  // namespace restante::gui
