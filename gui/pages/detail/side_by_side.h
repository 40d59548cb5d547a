#pragma once

#include <QSplitter>

namespace restante::gui {

/// Two parts of the detail: beside each other where there is room for both, one below the other
/// where there is not. *Thread of the window.*
class SideBySide : public QSplitter {
    Q_OBJECT

public:
    explicit SideBySide(QWidget* parent = nullptr) : QSplitter(Qt::Horizontal, parent) {}

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
};

}  // namespace restante::gui
