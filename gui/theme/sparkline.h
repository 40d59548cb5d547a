#pragma once

#include <QWidget>

#include <optional>
#include <vector>

namespace restante::gui {

/// How a number went, as small as a word: a line without axes, from 0 up. What is not known is a
/// gap. The numbers themselves stand beside it. *Thread of the window.*
class Sparkline : public QWidget {
    Q_OBJECT

public:
    using Values = std::vector<std::optional<double>>;

    explicit Sparkline(QWidget* parent = nullptr);

    /// Oldest first.
    void setValues(Values values);
    const Values& values() const noexcept { return values_; }

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Values values_;
};

}  // namespace restante::gui
