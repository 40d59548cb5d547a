#pragma once

#include "gui/pages/detail/detail_table.h"
#include "gui/pages/detail/history_tab.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/detail/payload_tab.h"
#include "gui/pages/detail/related_tab.h"
#include "gui/pages/detail/sequence_diagram.h"
#include "tests/gui/support/page_object.h"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>

namespace restante::gui::test {

/// The detail of a job, below the table or in a window of its own.
class JobDetailObject : public PageObject {
public:
    using PageObject::PageObject;

    QLabel* id() const { return named<QLabel>("jobId"); }
    QLabel* state() const { return named<QLabel>("jobState"); }
    QLabel* stateIcon() const { return named<QLabel>("jobStateIcon"); }
    QLabel* banner() const { return named<QLabel>("jobBanner"); }
    /// Why it is waiting.
    QLabel* why() const { return named<QLabel>("jobWhy"); }
    JobButtons* buttons() const { return only<JobButtons>(); }
    QTabWidget* tabs() const { return named<QTabWidget>("detailTabs"); }

    DetailTable* fields() const { return named<DetailTable>("jobFields"); }
    DetailTable* nextAttempts() const { return named<DetailTable>("nextAttempts"); }
    QLabel* nextAttemptsNote() const { return named<QLabel>("nextAttemptsNote"); }
    /// What the body says, decoded.
    QPlainTextEdit* messageText() const { return named<QPlainTextEdit>("messageText"); }
    QLabel* messageHead() const { return named<QLabel>("messageHead"); }
    QLabel* messageOthers() const { return named<QLabel>("messageOthers"); }
    QSplitter* overviewSides() const { return named<QSplitter>("overviewSplitter"); }

    PayloadTab* payload() const { return only<PayloadTab>(); }
    QPlainTextEdit* payloadText() const { return named<QPlainTextEdit>("payloadText"); }
    QLineEdit* payloadFind() const { return named<QLineEdit>("payloadFind"); }
    QLabel* payloadNotices() const { return named<QLabel>("payloadNotices"); }
    QLabel* payloadFacts() const { return named<QLabel>("payloadFacts"); }
    QToolButton* savePayload() const { return named<QToolButton>("savePayload"); }
    QFileDialog* savePayloadDialog() const { return named<QFileDialog>("savePayloadDialog"); }

    HistoryTab* historyTab() const { return only<HistoryTab>(); }
    DetailTable* history() const { return named<DetailTable>("historyTable"); }
    QLabel* historyStatus() const { return named<QLabel>("historyStatus"); }
    QToolButton* exportHistory() const { return named<QToolButton>("exportHistory"); }

    QLabel* attemptsStatus() const { return named<QLabel>("attemptsStatus"); }
    SequenceDiagram* sequenceDiagram() const { return only<SequenceDiagram>(); }
    DetailTable* attempts() const { return named<DetailTable>("attemptsTable"); }
    /// Two attempts side by side.
    DetailTable* compared() const { return named<DetailTable>("attemptsCompared"); }
    QSplitter* attemptsSides() const { return named<QSplitter>("attemptsSides"); }

    RelatedTab* relatedTab() const { return only<RelatedTab>(); }
    DetailTable* related() const { return named<DetailTable>("relatedTable"); }
    QLabel* relatedStatus() const { return named<QLabel>("relatedStatus"); }
    QToolButton* relatedFilter() const { return named<QToolButton>("relatedFilter"); }
};

/// The windows of single jobs that the owner has open.
inline QList<QWidget*> jobWindows(const QWidget& owner)
{
    return owner.findChildren<QWidget*>(QStringLiteral("jobWindow"));
}

}  // namespace restante::gui::test
