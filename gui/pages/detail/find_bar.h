#pragma once

#include "gui/pages/detail/payload_document.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace restante::gui {

/// One line to search a text with: what, forwards and backwards, and whether it was there.
/// *Thread of the window.*
class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(QWidget* parent = nullptr);

    /// Shows it with the focus in its field, all of what was sought selected.
    void begin();
    PayloadDocument::Search search(PayloadDocument::Direction direction) const;
    /// Says that there is no such place; an empty text says nothing.
    void showResult(const QString& text);

signals:
    void wanted(restante::gui::PayloadDocument::Direction direction);
    void closed();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    QLineEdit* field_ = nullptr;
    QToolButton* previous_ = nullptr;
    QToolButton* next_ = nullptr;
    QToolButton* close_ = nullptr;
    QCheckBox* letters_ = nullptr;
    QLabel* resultLabel_ = nullptr;
};

}  // namespace restante::gui
