#pragma once

#include <QLabel>

namespace restante::gui {

/// One line of plain text that is elided in the middle when it does not fit; the full text is the
/// tool tip. *Thread of the window.*
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    /// `tip` replaces the full text in the tool tip.
    void setFullText(const QString& text, const QString& tip = {});
    const QString& fullText() const noexcept { return fullText_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    QString fullText_;
};

}  // namespace restante::gui
