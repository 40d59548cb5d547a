#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace restante::gui {

/// Lines of widgets as of words: what has no room in a line goes to the next. Nothing is
/// narrower than it wants to be, but for what is wider than the whole and may be less.
class FlowLayout : public QLayout {
    Q_OBJECT

public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    /// What is added from now on stands at the far end while all is in one line.
    void alignRestRight() { end_ = items_.size(); }

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
    /// Puts the line's items there, and answers how high it is.
    int place(const Items& line, const QRect& area, int gap) const;
    int widthOf(const Items& line) const;

    std::vector<std::unique_ptr<QLayoutItem>> items_;
    std::size_t end_ = static_cast<std::size_t>(-1);
};

}  // namespace restante::gui
