#pragma once

#include "gui/session/job_source.h"

#include <QLineEdit>
#include <QTimer>

class QComboBox;
class QDateTimeEdit;

namespace restante::gui {

class Preferences;

/// The filter of audit entries: actor, verb, time and text. *Thread of the window.*
class AuditFilter : public QWidget {
    Q_OBJECT

public:
    AuditFilter(const Preferences& preferences, QWidget* parent);

    /// `now` is the store's time, the end of spans such as "the last hour".
    AuditRequest request(TimePoint now) const;
    bool isActive() const;
    void clear();
    void retranslate();
    QWidget* firstFocus() const { return actor_; }

signals:
    /// The filter has changed; delayed while somebody types.
    void changed();

private:
    QLineEdit* addTextField(const char* name);
    QDateTimeEdit* addDateTimeField(const char* name);
    void addTimeFields();
    void updateSpanFields();
    void emitChangedNow();

    const Preferences& preferences_;
    QTimer typingTimer_;
    QLineEdit* actor_ = nullptr;
    QLineEdit* text_ = nullptr;
    QComboBox* verbBox_ = nullptr;
    QComboBox* spanBox_ = nullptr;
    QDateTimeEdit* since_ = nullptr;
    QDateTimeEdit* until_ = nullptr;
};

}  // namespace restante::gui
