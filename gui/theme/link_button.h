#pragma once

#include <QAbstractButton>

namespace restante::gui {

/// A text that leads somewhere: looks like text, is underlined below the mouse, and is pressed with
/// the mouse, Space or Return. *Thread of the window.*
class LinkButton : public QAbstractButton {
    Q_OBJECT

public:
    /// How it is written.
    enum class Look {
        Accent,  ///< in the colour of links
        Plain,   ///< like the text around it
        Figure,  ///< large: the number of a Figure
    };

    explicit LinkButton(Look look, QWidget* parent = nullptr);

    /// Where the text stands when there is more room: Qt::AlignRight for numbers.
    void setAlignment(Qt::Alignment alignment);
    /// Elides the text in the middle when it does not fit; the tool tip has all of it.
    void setElided(bool elided);
    /// `name` is the accessible name; an empty `tip` shows the text.
    void setContent(const QString& text, const QString& name, const QString& tip = {});

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QFont textFont() const;

    Look look_;
    Qt::Alignment alignment_ = Qt::AlignLeft;
    bool elided_ = false;
};

}  // namespace restante::gui
