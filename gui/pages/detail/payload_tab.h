#pragma once

#include "gui/pages/detail/detail_tab.h"
#include "gui/pages/detail/payload_document.h"

#include <QLabel>

#include <map>
#include <optional>

class QButtonGroup;
class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QToolButton;

namespace restante::gui {

class FlowLayout;

/// A bar to search a text: the field, Previous and Next, and the result.
/// *Thread of the window.*
class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(QWidget* parent = nullptr);

    /// Shows the bar, focuses its field and selects the text in it.
    void activate();
    /// What is entered: a search in that direction.
    PayloadDocument::Search enteredSearch(PayloadDocument::Direction direction) const;
    void retranslate();
    /// Shows the result of a search, such as "not found"; an empty text clears it.
    void showResult(const QString& text) { resultLabel_->setText(text); }

signals:
    void findRequested(restante::gui::PayloadDocument::Direction direction);
    void closeRequested();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLineEdit* field_ = nullptr;
    QToolButton* previous_ = nullptr;
    QToolButton* next_ = nullptr;
    QToolButton* close_ = nullptr;
    QCheckBox* matchCase_ = nullptr;
    QLabel* resultLabel_ = nullptr;
};

/// Shows the body of a job in a suitable or chosen form; it can be searched, copied and saved.
/// Accepts any body. *Thread of the window.*
class PayloadTab : public DetailTab {
    Q_OBJECT

public:
    PayloadTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Payload"); }
    void reset() override;
    void refresh() override;

    PayloadForm form() const noexcept { return form_; }
    void showForm(PayloadForm form);
    void openFindBar() { findBar_->activate(); }
    /// Searches from the cursor for the text of the find bar; opens the bar when that is empty.
    void findNext(PayloadDocument::Direction direction);
    /// Writes the body as it is, or of a SIP job the whole message when `path` ends in ".sip".
    void saveTo(const QString& path);

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildBar(FlowLayout* bar);
    void retranslate() override;
    void rebuildDocument();
    void showChunk(int chunk);
    void showNotices();
    void copy();
    void askWhereToSave();

    std::optional<Job> job_;  ///< the job that is shown
    PayloadTraits traits_;
    PayloadForm form_ = PayloadForm::Text;
    PayloadDocument document_;
    qsizetype builtChunkSize_ = 0;  ///< PayloadLimits::chunkSize of document_
    int chunk_ = 0;

    QButtonGroup* formGroup_ = nullptr;
    std::map<PayloadForm, QToolButton*> formButtons_;
    QCheckBox* wrapCheckBox_ = nullptr;
    QToolButton* findButton_ = nullptr;
    QLabel* infoLabel_ = nullptr;
    QToolButton* copyButton_ = nullptr;
    QToolButton* saveButton_ = nullptr;
    QLabel* noticesLabel_ = nullptr;
    QWidget* chunkRow_ = nullptr;
    QLabel* chunkLabel_ = nullptr;
    QToolButton* previousChunk_ = nullptr;
    QToolButton* nextChunk_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    FindBar* findBar_ = nullptr;
};

}  // namespace restante::gui
