#include "gui/pages/page_parts.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

class LanguageChangeFilter : public QObject {
public:
    LanguageChangeFilter(QWidget* widget, std::function<void()> retranslate)
        : QObject(widget),
          retranslate_(std::move(retranslate))
    {
        widget->installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::LanguageChange) {
            retranslate_();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    std::function<void()> retranslate_;
};

}  // namespace

QLabel* plainLabel(QWidget* parent, const char* name)
{
    auto* label = makeWidget<QLabel>(name, parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* wrappedLabel(QWidget* parent, const char* name)
{
    auto* label = plainLabel(parent, name);
    label->setWordWrap(true);
    return label;
}

QVBoxLayout* tightVBoxLayout(QWidget* owner)
{
    auto* layout = new QVBoxLayout(owner);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

void onLanguageChange(QWidget* widget, std::function<void()> retranslate)
{
    new LanguageChangeFilter(widget, std::move(retranslate));
}

QFileDialog* fileDialog(const FileDialogOptions& options,
                        QWidget* parent,
                        const std::function<void(const QString& file)>& then)
{
    auto* dialog = makeWidget<QFileDialog>(options.name, parent, options.title, options.initialPath,
                                           options.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(options.acceptMode);
    dialog->setDefaultSuffix(options.defaultSuffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    return dialog;
}

void resizeColumns(QTableView& table, const std::vector<int>& widthsInChars)
{
    const auto charWidth = table.fontMetrics().averageCharWidth();
    for (std::size_t column = 0; column < widthsInChars.size(); ++column) {
        table.horizontalHeader()->resizeSection(static_cast<int>(column),
                                                widthsInChars[column] * charWidth);
    }
}

}  // namespace restante::gui
