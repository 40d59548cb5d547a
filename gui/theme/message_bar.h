#pragma once

#include "gui/theme/theme.h"

#include <QFrame>
#include <QString>

class QLabel;
class QPushButton;

namespace restante::gui {

/// A strip above a page that says what is wrong, and offers to try again, or what has been done.
/// Hidden without a message.
/// *Thread of the window.*
class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// `text` may be untrusted. `details` are what Copy Details copies; empty = no button.
    /// Retry is there when the severity is Bad.
    void showMessage(Theme::Severity severity, const QString& text, const QString& details = {});
    void clear();
    QString text() const;

signals:
    void retryRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void applySeverity();

    Theme::Severity severity_ = Theme::Severity::Notice;
    QString details_;
    QLabel* icon_;
    QLabel* text_;
    QPushButton* retry_;
    QPushButton* copy_;
};

}  // namespace restante::gui
