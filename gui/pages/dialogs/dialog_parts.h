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
class QTimeZone;

namespace restante::gui {

/// Pieces that all dialogs are made of, so that they look alike. Texts are shown as they are,
/// never as markup.

/// The question or title at the top, in larger letters.
QLabel* headingIn(QWidget* parent, const char* name = "");
/// Text that may be long: it wraps, and can be selected with the mouse.
QLabel* plainIn(QWidget* parent, const char* name = "");
/// A coloured line that is hidden while it has nothing to say.
class NoticeLine : public QLabel {
    Q_OBJECT

public:
    explicit NoticeLine(QWidget* parent);
    void say(const QString& text, Theme::Meaning meaning);
    void clearText();

protected:
    void changeEvent(QEvent* event) override;

private:
    void paintIt();
    Theme::Meaning meaning_ = Theme::Meaning::Notice;
};

/// The button that Enter presses.
enum class DefaultButton { Accept, Cancel };

/// What a label says, without its colon and without the sign and the letter of its key.
QString wordsOf(QString label);
/// What a screen reader says of it, and of the line inside it when it is an editable box.
void nameIt(QWidget* widget, const QString& name);

/// The column of a form with the usual distances.
QFormLayout* makeForm();
/// The label of a field of several lines stands beside the first.
enum class RowHeight { OneLine, Lines };
/// A row with a label whose text comes later: QFormLayout makes none of an empty text.
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

/// A table that only shows: no grid, no rows' heads; Tab leaves it.
QTableWidget* tableIn(QWidget* parent, const char* name, int columns);
/// For the time of a wall clock; what is beside it says where.
QDateTimeEdit* wallClockIn(QWidget* parent, const char* format);
/// The full hour of `zone` that begins within an hour from now.
void showNextHour(QDateTimeEdit& edit, TimePoint now, const QTimeZone& zone);
/// A box with what is usual, in which other things can be typed.
QComboBox* editableIn(QWidget* parent, const char* name, std::initializer_list<const char*> usual);
/// A hash of what a form asks the store to do: equal for two lists of the same texts.
std::size_t fingerprintOf(const std::vector<std::string>& wanted);

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
    /// One line for the reason that a write is given; at most what the store takes.
    QLineEdit* addReason();
    QLabel* label(QWidget* field) const { return labelOf(form_, field); }
    void setRowTitle(QWidget* field, const QString& text) { label(field)->setText(text); }
    /// Cancel and the one that does it; Tab comes to what is made before them first. The dialog is
    /// at least so many letters wide.
    void makeButtons(DefaultButton which, int letters);
    /// Makes them, and ends the column with them.
    void addButtons(int letters);
    void showError(const Error& error);

    QVBoxLayout* column_;
    QFormLayout* form_ = nullptr;
    NoticeLine* notice_ = nullptr;
    QDialogButtonBox* buttons_ = nullptr;
    QPushButton* accept_ = nullptr;  ///< does what the dialog is for
};

}  // namespace restante::gui
