#pragma once

#include "gui/session/job_source.h"

#include <QAbstractButton>
#include <QFrame>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

class QAction;
class QButtonGroup;
class QLabel;
class QVBoxLayout;

namespace restante::gui {

enum class PageId;

/// One line of the rail: an icon, a text, and at its end a count. *Thread of the window.*
class RailButton : public QAbstractButton {
    Q_OBJECT

public:
    explicit RailButton(QWidget* parent = nullptr);

    /// Shows text and icon of the action, and triggers it when clicked.
    void setDefaultAction(QAction* action);
    /// None = unknown.
    void setCount(std::optional<std::uint64_t> count);
    std::optional<std::uint64_t> count() const noexcept { return count_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString countText() const;
    QFont textFont() const;
    void updateAccessibleName();

    std::optional<std::uint64_t> count_;
};

/// The left column of the window: the connection, the pages, and the daemons at the bottom. Arrow
/// keys move between the pages; Tab stops at one of them. *Thread of the window.*
class Rail : public QFrame {
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);

    /// At the end of the list; `show` brings the page to the front.
    void addPage(PageId page, QAction* show);
    RailButton& button(PageId page) const { return *pages_.at(page); }
    /// The page that is in front.
    void setCurrentPage(PageId page);
    /// The action of the connection button on top.
    void setConnectAction(QAction* action);
    /// Empty = none is open.
    void setConnection(const QString& name);
    /// `now` is the store's time. None = nobody knows who works on the store.
    void setDaemons(const std::optional<std::vector<DaemonView>>& daemons, TimePoint now);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void showConnection();
    void showDaemons();

    RailButton* connection_ = nullptr;
    QAction* connectAction_ = nullptr;
    QButtonGroup* group_ = nullptr;
    std::map<PageId, RailButton*> pages_;
    QVBoxLayout* layout_ = nullptr;
    QString connectionName_;
    QWidget* daemonsBox_ = nullptr;
    QLabel* daemonsTitle_ = nullptr;
    QWidget* daemonRows_ = nullptr;
    std::optional<std::vector<DaemonView>> daemons_;
    TimePoint now_{};
};

}  // namespace restante::gui
