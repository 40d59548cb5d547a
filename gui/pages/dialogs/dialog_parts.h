#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/theme.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QString>
#include <QVBoxLayout>

#include <string>

class QComboBox;
class QDateTimeEdit;
class QLineEdit;
class QTableWidget;
class QTextDocument;
class QTimeZone;

namespace restante::gui {

/// Widgets that all dialogs share, so that they look alike. Texts are plain text, never markup.

/// The question or title at the top, in larger letters.
QLabel* newHeading(QWidget* parent, const char* name = "");
/// Text that may be long: it wraps, and can be selected with the mouse.
QLabel* newSelectableText(QWidget* parent, const char* name = "");
/// A coloured line that is hidden while it has no text.
class NoticeLine : public QLabel {
    Q_OBJECT

public:
    explicit NoticeLine(QWidget* parent);
    void showMessage(const QString& text, Theme::Severity severity);
    void clearText();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applySeverity();
    Theme::Severity severity_ = Theme::Severity::Notice;
};

/// The button that Enter presses.
enum class DefaultButton { Accept, Cancel };

/// The text of a label without its colon and its mnemonic.
QString labelText(QString label);
/// Sets the accessible name of a widget, and of the line edit in an editable combo box.
void setAccessibleNameOf(QWidget* widget, const QString& name);

/// A form layout with the usual settings.
QFormLayout* makeForm();
/// The label of a field of several lines is aligned with the first line.
enum class RowHeight { OneLine, Lines };
/// Adds a row whose label gets its text later: QFormLayout creates no label for an empty text.
QLabel* addLabelledRow(QFormLayout* form, QWidget* field, RowHeight height = RowHeight::OneLine);
template <class Field>
Field*
addRow(QFormLayout* form, const char* name, QWidget* parent, RowHeight height = RowHeight::OneLine)
{
    auto* field = makeWidget<Field>(name, parent);
    addLabelledRow(form, field, height);
    return field;
}
QLabel* labelOf(const QFormLayout* form, QWidget* field);
/// Shows or hides a field with its label.
void showRow(const QFormLayout* form, QWidget* field, bool shown);

/// The text of a field of several lines, which toPlainText() would change: no-break spaces stay.
/// Line and paragraph separators, by which Qt breaks lines, are line feeds.
QString exactText(const QTextDocument& document);

/// A read-only table without grid and vertical header; Tab leaves it.
QTableWidget* newReadOnlyTable(QWidget* parent, const char* name, int columns);
/// For a local time; a field beside it names the time zone.
QDateTimeEdit* newDateTimeEdit(QWidget* parent, const char* format);
/// Sets the next full hour in `zone`.
void showNextHour(QDateTimeEdit& edit, TimePoint now, const QTimeZone& zone);
/// A combo box with the usual values, which also takes typed ones.
QComboBox*
newEditableBox(QWidget* parent, const char* name, std::initializer_list<const char*> values);
/// A hash of what a form asks the store to do: equal for two lists of the same texts.
std::size_t fingerprintOf(const std::vector<std::string>& texts);

/// A dialog that is deleted when it is closed: a column of widgets, a notice, and buttons.
/// *Thread of the window.*
class FormDialog : public QDialog {
    Q_OBJECT

protected:
    FormDialog(const char* name, QWidget* parent);

    /// Writes all texts in the language of the console.
    virtual void retranslate() = 0;

    /// A row of the form, whose label gets its text by setRowTitle().
    template <class Field>
    Field* addField(const char* name, RowHeight height = RowHeight::OneLine)
    {
        return addRow<Field>(form_, name, this, height);
    }
    /// A line for the reason of a write, limited to the length that the store accepts.
    QLineEdit* addReason();
    QLabel* label(QWidget* field) const { return labelOf(form_, field); }
    void setRowTitle(QWidget* field, const QString& text) { label(field)->setText(text); }
    /// Creates the notice and the buttons Cancel and Accept, last in the Tab order of what exists.
    /// The dialog is at least `minCharacters` characters wide.
    void makeButtons(DefaultButton defaultButton, int minCharacters);
    /// The same with Accept as the default, and appends notice and buttons to the column.
    void addButtons(int minCharacters);
    void showError(const Error& error);

    QVBoxLayout* column_;
    QFormLayout* form_ = nullptr;
    NoticeLine* notice_ = nullptr;
    QDialogButtonBox* buttons_ = nullptr;
    QPushButton* accept_ = nullptr;  ///< runs what the dialog is for
};

}  // namespace restante::gui
