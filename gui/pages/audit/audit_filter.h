#pragma once

#include "gui/session/job_source.h"

#include <QLineEdit>
#include <QTimer>

class QComboBox;
class QDateTimeEdit;

namespace restante::gui {

class Preferences;

/// Which writes of people are shown: by whom, of what kind, when, about what. *Thread of the
/// window.*
class AuditFilter : public QWidget {
    Q_OBJECT

public:
    AuditFilter(const Preferences& preferences, QWidget* parent);

    /// `now` is the store's time, from which "the last hour" is reckoned.
    AuditRequest request(TimePoint now) const;
    bool restricts() const;
    void clear();
    void retranslate();
    QWidget* firstFocus() const { return actor_; }

signals:
    /// Another question; not at every letter that is typed.
    void changed();

private:
    QLineEdit* addText(const char* name);
    QDateTimeEdit* addTime(const char* name);
    void addTimes();
    void showSpan();
    void tellChanged();

    const Preferences& preferences_;
    QTimer typed_;
    QLineEdit* actor_ = nullptr;
    QLineEdit* text_ = nullptr;
    QComboBox* verb_ = nullptr;
    QComboBox* time_ = nullptr;
    QDateTimeEdit* since_ = nullptr;
    QDateTimeEdit* until_ = nullptr;
};

}  // namespace restante::gui
