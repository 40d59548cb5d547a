#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace restante::gui {

/// What stands where a table would, while there is nothing to show: an icon, what is the matter,
/// what can be done, and at most one button for it. *Thread of the window.*
class BlankPane : public QWidget {
    Q_OBJECT

public:
    explicit BlankPane(QWidget* parent = nullptr);

    struct Says {
        QString icon;
        QString headline;
        QString sentence;
        QString button;  ///< empty = none
    };
    void say(const Says& what);
    QString headline() const;

signals:
    void clicked();

protected:
    void changeEvent(QEvent* event) override;

private:
    void paintIt();

    Says says_;
    QLabel* icon_;
    QLabel* headline_;
    QLabel* sentence_;
    QPushButton* button_;
};

}  // namespace restante::gui
