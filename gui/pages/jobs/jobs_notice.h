#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace restante::gui {

/// In the place of the table when there are no rows to show: says why, and what can be done.
/// *Thread of the window.*
class JobsNotice : public QWidget {
    Q_OBJECT

public:
    /// What it says. *Value.*
    struct Notice {
        QString icon = {};
        QString title = {};
        QString detail = {};  ///< may hold strangers' texts: shown as it is
        /// Texts of buttons, the first the one that most will want.
        QStringList buttons = {};
        bool skeleton = false;  ///< grey rows behind it: something is on its way

        friend bool operator==(const Notice&, const Notice&) = default;
    };

    explicit JobsNotice(QWidget* parent = nullptr);

    void show(const Notice& notice);
    const Notice& notice() const noexcept { return notice_; }

signals:
    /// The n-th of Notice::buttons.
    void pressed(int button);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Notice notice_;
    QLabel* icon_;
    QLabel* title_;
    QLabel* detail_;
    QWidget* buttons_;
    QVBoxLayout* column_;
};

}  // namespace restante::gui
