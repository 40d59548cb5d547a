#pragma once

#include "gui/theme/theme.h"

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QString>

class QDialogButtonBox;
class QLineEdit;
class QPushButton;

namespace restante::gui {

/// Pieces that all dialogs are made of, so that they look alike. Texts are shown as they are,
/// never as markup.

/// The question or title at the top, in larger letters.
QLabel* headingIn(QWidget* parent, const QString& text = {});
/// Text that may be long: it wraps, and can be selected with the mouse.
QLabel* plainIn(QWidget* parent, const QString& text = {});
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

/// Cancel, which is the default and closes the dialog, and the one button that does it.
struct Buttons {
    QDialogButtonBox* box;
    QPushButton* cancel;
    QPushButton* accept;
};
enum class DefaultButton { Accept, Cancel };
Buttons buttonsIn(QDialog* dialog, DefaultButton which);

/// What a label says, without its colon and without the sign and the letter of its key.
QString wordsOf(QString label);
/// What a screen reader says of it, and of the line inside it when it is an editable box.
void nameIt(QWidget* widget, const QString& name);
/// As high as its texts want to be at its width; never less than it is.
void growToFit(QWidget* dialog);

/// The column of a form with the usual distances.
QFormLayout* formIn(QWidget* parent);
/// One line for the reason that a write is given; at most what the store takes.
QLineEdit* reasonIn(QWidget* parent);

}  // namespace restante::gui
