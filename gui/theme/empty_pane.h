#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace restante::gui {

/// Shown in place of an empty table: says why it is empty, and offers what can be done. *Thread of
/// the window.*
class EmptyPane : public QWidget {
    Q_OBJECT

public:
    /// What it says. *Value.*
    struct Content {
        QString icon = {};  ///< its name; empty = none
        QString headline = {};
        QString sentence = {};  ///< may be untrusted: shown as plain text
        /// Texts of buttons, the first the one that most will want.
        QStringList buttons = {};
        bool skeleton = false;  ///< grey rows behind it: something is on its way

        friend bool operator==(const Content&, const Content&) = default;
    };

    explicit EmptyPane(QWidget* parent = nullptr);

    void setContent(const Content& content);
    const Content& content() const noexcept { return content_; }

signals:
    /// The n-th of Content::buttons.
    void pressed(int button);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void drawIcon();
    void setButtons(const QStringList& texts);

    Content content_;
    QLabel* icon_;
    QLabel* headline_;
    QLabel* sentence_;
    QWidget* buttons_;
    QVBoxLayout* column_;
};

}  // namespace restante::gui
