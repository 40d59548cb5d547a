#include "gui/pages/monitor/chart_image.h"

#include "gui/pages/monitor/chart_box.h"
#include "gui/pages/monitor/monitor_model.h"
#include "gui/theme/theme.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr int kWidth = 1'200;
constexpr int kChartHeight = 260;
constexpr int kPadding = 16;
/// Pixels for each unit, so that the picture is sharp on dense screens and in print.
constexpr int kScale = 2;

class ChartSheet {
public:
    explicit ChartSheet(const ChartImage& image)
        : image_(image),
          palette_(Theme::palette(Scheme::Light))
    {
    }

    QSize size() const
    {
        const auto charts = static_cast<int>(image_.charts.size());
        return {kWidth, headHeight() + charts * (lineHeight() * 2 + kChartHeight) + kPadding};
    }

    void paint(QPainter& painter) const
    {
        painter.fillRect(QRect(QPoint(0, 0), size()), palette_.base());
        painter.setFont(font(true));
        painter.setPen(palette_.color(QPalette::Text));
        painter.drawText(QPoint(kPadding, kPadding + lineHeight()), image_.title);
        painter.setFont(font(false));
        painter.drawText(QPoint(kPadding, kPadding + lineHeight() * 5 / 2), image_.range);
        auto top = headHeight();
        for (const auto* box : image_.charts) {
            paintBox(painter, *box, top);
            top += lineHeight() * 2 + kChartHeight;
        }
    }

private:
    static QFont font(bool bold)
    {
        QFont font;
        font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
        return font;
    }
    static int lineHeight() { return QFontMetrics(font(false)).height(); }
    static int headHeight() { return kPadding + lineHeight() * 7 / 2; }

    void paintBox(QPainter& painter, const ChartBox& box, int top) const
    {
        const QFontMetrics metrics(font(false));
        painter.setFont(font(true));
        painter.setPen(palette_.color(QPalette::Text));
        painter.drawText(QPoint(kPadding, top + lineHeight()), box.title());
        auto right = kWidth - kPadding;
        painter.setFont(font(false));
        const auto& lines = box.chart().content().lines;
        for (auto at = lines.size(); at-- > 0;) {
            if (!lines[at].shown) {
                continue;
            }
            const auto& entry = box.entries()[at];
            const auto name = lineName(entry.line);
            right -= metrics.horizontalAdvance(name);
            painter.setPen(palette_.color(QPalette::Text));
            painter.drawText(QPoint(right, top + lineHeight()), name);
            right -= lineHeight() * 2;
            const auto y = top + lineHeight() * 2 / 3;
            painter.setPen(QPen(entry.light, 3, entry.pen, Qt::FlatCap));
            painter.drawLine(right, y, right + lineHeight() * 3 / 2, y);
            right -= lineHeight();
        }
        paintChart(painter, box, top + lineHeight() * 3 / 2);
    }

    void paintChart(QPainter& painter, const ChartBox& box, int top) const
    {
        const auto& shownChart = box.chart();
        Chart copy(shownChart.unit(), shownChart.form());
        copy.setPalette(palette_);
        copy.resize(kWidth - kPadding, kChartHeight);
        auto content = shownChart.content();
        for (std::size_t at = 0; at < content.lines.size(); ++at) {
            content.lines[at].color = box.entries()[at].light;
        }
        copy.setContent(std::move(content));
        copy.setMarks(shownChart.marks());
        copy.setZone(image_.zone);
        copy.setAxisLabelsVisible(true);
        painter.save();
        painter.translate(0, top);
        copy.paint(painter);
        painter.restore();
    }

    const ChartImage& image_;
    QPalette palette_;
};

}  // namespace

QByteArray renderCharts(const ChartImage& image, ChartImage::Format format)
{
    const ChartSheet sheet(image);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (format == ChartImage::Format::Svg) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(sheet.size());
        generator.setViewBox(QRect(QPoint(0, 0), sheet.size()));
        generator.setTitle(image.title);
        generator.setDescription(image.range);
        QPainter painter(&generator);
        sheet.paint(painter);
        painter.end();
        return bytes;
    }
    QImage picture(sheet.size() * kScale, QImage::Format_RGB32);
    picture.setDevicePixelRatio(kScale);
    picture.setText(QStringLiteral("Title"), image.title);
    picture.setText(QStringLiteral("Description"), image.range);
    QPainter painter(&picture);
    sheet.paint(painter);
    painter.end();
    picture.save(&buffer, "PNG");
    return bytes;
}

}  // namespace restante::gui
