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

/// The alerts that fire now and those that have, each with a link to where it is mended. Falls down
/// from the bell; Esc closes it. *Thread of the window.*
class AlertPanel : public QFrame {
    Q_OBJECT

public:
    AlertPanel(AlertWatch& alerts,
               const Preferences& preferences,
               QAction* mute,
               QAction* rules,
               QWidget* parent);

    /// Below `anchor`, inside of its window.
    void popUpBelow(QWidget& anchor);
    QString summary() const;

signals:
    void placeRequested(restante::gui::AlertPlace place);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    /// What a row is about; with the same ones only the texts are written anew.
    struct Key {
        AlertId rule{};
        TimePoint began{};
        bool isOver = false;
        bool isSeen = false;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Row {
        QLabel* sentence = nullptr;
        QLabel* times = nullptr;
    };

    void refresh();
    void rebuild(const std::vector<AlertEpisode>& episodes);
    void addTitle(const QString& text);
    void addRow(const AlertEpisode& alert);
    void writeTexts(const std::vector<AlertEpisode>& episodes);
    void retranslate();
    QString sentenceOf(const AlertEpisode& alert) const;
    QString timesOf(const AlertEpisode& alert) const;
    QString unknownText() const;

    AlertWatch& alerts_;
    const Preferences& preferences_;
    std::vector<Key> keys_;
    std::vector<Row> rows_;
    QLabel* title_;
    QLabel* unknown_;
    QWidget* list_ = nullptr;
    QScrollArea* area_;
    QPushButton* acknowledge_;
};

}  // namespace restante::gui
