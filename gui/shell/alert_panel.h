#pragma once

#include "gui/operations/alert_texts.h"

#include <QFrame>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace restante::gui {

class AlertWatch;
class Preferences;

/// A popup below the bell with the firing and the ended alerts, each with a link to the page of its
/// cause. *Thread of the window.*
class AlertPanel : public QFrame {
    Q_OBJECT

public:
    AlertPanel(AlertWatch& alerts,
               const Preferences& preferences,
               QAction* mute,
               QAction* rules,
               QWidget* parent);

    /// Below `anchor` and no wider than its window, but within the screen.
    void popUpBelow(QWidget& anchor);
    QString summary() const;

signals:
    void targetRequested(restante::gui::AlertTarget target);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    /// Identifies a row; while the keys are equal only the texts are updated.
    struct Key {
        AlertId rule{};
        TimePoint began{};
        bool isEnded = false;
        bool isAcknowledged = false;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Row {
        QLabel* sentence = nullptr;
        QLabel* times = nullptr;
    };

    void refresh();
    void rebuild(const std::vector<AlertEpisode>& episodes);
    void addSectionHeading(const QString& text);
    void addRow(const AlertEpisode& alert);
    void updateTexts(const std::vector<AlertEpisode>& episodes);
    void retranslate();
    QString sentenceOf(const AlertEpisode& alert) const;
    QString timesOf(const AlertEpisode& alert) const;
    QString unknownRulesText() const;

    AlertWatch& alerts_;
    const Preferences& preferences_;
    std::vector<Key> keys_;
    std::vector<Row> rows_;
    QLabel* title_;
    QLabel* unknownRules_;
    QWidget* list_ = nullptr;
    QScrollArea* area_;
    QPushButton* acknowledge_;
};

}  // namespace restante::gui
