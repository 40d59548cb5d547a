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

/// Asks when jobs are to be due: at a time in some time zone or so long from now, perhaps spread,
/// and whether their attempts so far go on to count; and shows of the first of them what that
/// means. *Thread of the window.*
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
    void askForPreview();
    void take(std::vector<JobRow> rows);
    tl::expected<TimePoint, QString> due() const;
    tl::expected<Millis, QString> spread() const;
    void refresh();
    void showPreview(TimePoint due, Millis over);
    /// How far behind the first one the job at a place of the selection is due.
    Millis spreadOffset(std::size_t place, Millis over) const;
    Millis shareOf(const std::string& id, Millis over) const;
    void retranslate() override;
    void send();

    StoreSession& session_;
    const Preferences& preferences_;
    Selection selection_;
    std::vector<JobRow> rows_;
    bool previewed_ = false;

    QLabel* heading_ = nullptr;
    QLabel* scope_ = nullptr;
    QRadioButton* at_ = nullptr;
    QRadioButton* in_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QComboBox* zone_ = nullptr;
    QComboBox* wait_ = nullptr;
    QCheckBox* spreads_ = nullptr;
    QComboBox* spread_ = nullptr;
    QWidget* attempts_ = nullptr;
    QRadioButton* keep_ = nullptr;
    QRadioButton* reset_ = nullptr;
    QLineEdit* reason_ = nullptr;
    QLabel* previewTitle_ = nullptr;
    QTableWidget* preview_ = nullptr;
};

}  // namespace restante::gui
