#include "gui/theme/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

namespace restante::gui {

namespace {

/// Paints a one-colour drawing in whatever the palette says now, at the size that is asked for.
class PaletteIconEngine : public QIconEngine {
public:
    explicit PaletteIconEngine(QByteArray svg) : svg_(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        painter->drawPixmap(rect,
                            render(rect.size() * painter->device()->devicePixelRatioF(), mode));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override
    {
        return render(size, mode);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal) override
    {
        return render(size, mode);
    }
    QIconEngine* clone() const override { return new PaletteIconEngine(svg_); }

private:
    QPixmap render(const QSize& size, QIcon::Mode mode)
    {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const auto role =
            mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::WindowText;
        QPixmap pixmap(size.expandedTo({1, 1}));
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        QSvgRenderer(svg_).render(&painter, QRectF(QPointF(0, 0), QSizeF(pixmap.size())));
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        painter.fillRect(pixmap.rect(), QApplication::palette().color(group, role));
        return pixmap;
    }

    QByteArray svg_;
};

}  // namespace

QIcon icon(const QString& name)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    return QIcon(new PaletteIconEngine(file.readAll()));
}

QIcon colorChip(const QColor& color)
{
    QPixmap pixmap(12, 12);
    pixmap.fill(color.isValid() ? color : QColor(Qt::transparent));
    return QIcon(pixmap);
}

}  // namespace restante::gui
