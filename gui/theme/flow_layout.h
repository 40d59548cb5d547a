#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace restante::gui {

/// Lays out widgets in lines and wraps them like words. Widgets get their size hint, reduced to the
/// width of the layout when it is larger.
class FlowLayout : public QLayout {
    Q_OBJECT

public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    /// Items that are added later are aligned right while all items fit in one line.
    void alignRestRight() { firstRightAligned_ = items_.size(); }

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override;
    QSize sizeHint() const override;
    void setGeometry(const QRect& rect) override;

private:
    using Items = std::vector<QLayoutItem*>;

    std::vector<Items> lines(int width) const;
    /// Sets the geometry of the items of a line. Returns the height of the line.
    int setLineGeometry(const Items& line, const QRect& area, int spareWidth) const;
    int lineWidth(const Items& line) const;

    std::vector<std::unique_ptr<QLayoutItem>> items_;
    std::size_t firstRightAligned_ = static_cast<std::size_t>(-1);
};

}  // namespace restante::gui
