#pragma once

#include <QLabel>

namespace restante::gui {

/// One line of text that may be longer than its place: its middle goes, and the whole of it is the
/// tool tip. Never markup. *Thread of the window.*
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    /// What the tool tip says instead of the text, to which it may add more.
    void setWhole(const QString& text, const QString& tip = {});
    const QString& whole() const noexcept { return whole_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    QString whole_;
};

}  // namespace restante::gui
