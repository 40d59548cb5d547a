#pragma once

#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/job_writer.h"
#include "gui/session/jobs_view.h"

#include <QTimeZone>

#include <cstddef>
#include <string>
#include <vector>

class QCheckBox;
class QRadioButton;

namespace restante::gui {

class Preferences;
class StoreSession;

/// Asks for the new due time of jobs (a time in a zone, or a delay from now, optionally spread) and
/// whether their attempts are reset, and previews the result for the first of them. *Thread of the
/// window.*
class RescheduleDialog : public FormDialog {
    Q_OBJECT

public:
    RescheduleDialog(StoreSession& session,
                     const Preferences& preferences,
                     Selection selection,
                     QWidget* parent);

    /// The zone that times are shown in.
    QTimeZone zone() const;

signals:
    void rescheduleRequested(const restante::gui::BulkRequest& request);

private:
    QWidget* buildWhen();
    void buildAttempts();
    void buildPreview();
    void requestPreview();
    void handleRows(std::vector<JobRow> rows);
    tl::expected<TimePoint, QString> due() const;
    tl::expected<Millis, QString> spread() const;
    void updateState();
    void showPreview(TimePoint due, Millis spreadOver);
    /// The delay of the job at that index of the selection after the first one.
    Millis spreadOffset(std::size_t index, Millis spreadOver) const;
    Millis offsetOf(const std::string& id, Millis spreadOver) const;
    void retranslate() override;
    void send();

    StoreSession& session_;
    const Preferences& preferences_;
    Selection selection_;
    std::vector<JobRow> rows_;
    bool hasReceivedRows_ = false;
    bool isDueChosen_ = false;  ///< the user has chosen a time, or a delay

    QLabel* heading_ = nullptr;
    QLabel* scope_ = nullptr;
    QRadioButton* atButton_ = nullptr;
    QRadioButton* inButton_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QComboBox* zone_ = nullptr;
    QComboBox* delay_ = nullptr;
    QCheckBox* spreadBox_ = nullptr;
    QComboBox* spreadDuration_ = nullptr;
    QWidget* attempts_ = nullptr;
    QRadioButton* keepAttemptsButton_ = nullptr;
    QRadioButton* resetAttemptsButton_ = nullptr;
    QLineEdit* reason_ = nullptr;
    QLabel* previewTitle_ = nullptr;
    QTableWidget* preview_ = nullptr;
};

}  // namespace restante::gui
