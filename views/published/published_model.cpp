// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/published_model.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "rqscope/report_file.h"

namespace rqscope::published {
namespace {

using look::qs;

constexpr double kWholeFrom = 1000;
constexpr double kPillPx = 17;

}  // namespace

QString figureText(double value) {
  if (std::abs(value) >= kWholeFrom) return QString::number(std::round(value), 'f', 0);
  return QString::number(value, 'g', 4);
}

QString ratioText(double ratio) { return QString::number(ratio, 'f', 3); }

QString percentText(double percent) {
  return (percent > 0 ? QStringLiteral("+") : QString()) + QString::number(percent, 'f', 1) +
         QStringLiteral(" %");
}

/// Verdict and everything else that was counted, for the tooltip of a row.
QString detailsText(const ShownRow& shown) {
  QStringList lines{qs(shown.row.name)};
  if (!shown.row.verdict.empty()) lines << QObject::tr("sign of the change: %1").arg(qs(shown.row.verdict));
  for (const auto& [key, value] : shown.row.figures)
    lines << QStringLiteral("%1: %2").arg(figureName(key), figureText(value));
  return lines.join(QLatin1Char('\n'));
}

const double* figureOf(const api::ReproducedRow& row, const std::string& key) {
  for (const auto& [name, value] : row.figures)
    if (name == key) return &value;
  return nullptr;
}

std::vector<std::string> figureKeys(const std::vector<ShownRow>& rows) {
  std::vector<std::string> keys;
  for (const ShownRow& shown : rows)
    for (const auto& [name, value] : shown.row.figures)
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
  return keys;
}

bool isOfTable(const api::Reproduction& result, const api::Reproduction& table) {
  return result.rows.size() <= table.rows.size() &&
         std::equal(result.rows.begin(), result.rows.end(), table.rows.begin(),
                    [](const api::ReproducedRow& a, const api::ReproducedRow& b) {
                      return a.caseName == b.caseName && a.name == b.name && a.published == b.published;
                    });
}

QString figureName(const std::string& key) {
  QString name = qs(key);
  name.replace(QStringLiteral("_percent"), QStringLiteral("_%"));
  return name.replace(QLatin1Char('_'), QLatin1Char(' '));
}

void PublishedModel::setRows(std::vector<ShownRow> rows, const QString& unit) {
  beginResetModel();
  m_rows = std::move(rows);
  m_unit = unit;
  m_lines.clear();
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (i == 0 || m_rows[i].row.caseName != m_rows[i - 1].row.caseName)
      m_lines.push_back(-1 - static_cast<int>(i));
    m_lines.push_back(static_cast<int>(i));
  }
  m_keys = figureKeys(m_rows);
  const auto has = [this](auto test) { return std::any_of(m_rows.begin(), m_rows.end(), test); };
  m_hasVerdicts = has([](const ShownRow& shown) { return !shown.row.verdict.empty(); });
  m_hasHalves = has([](const ShownRow& shown) { return shown.row.otherScale != 0; });
  endResetModel();
}

bool PublishedModel::isFigure(int column) const {
  return (column >= kPublished && column <= kDeviation) || column == halfColumn() || column >= firstFigure();
}

QVariant PublishedModel::headText(int line, int column) const {
  const int first = -1 - m_lines[static_cast<std::size_t>(line)];
  if (column != kName) return QString();
  const api::ReproducedRow& row = m_rows[static_cast<std::size_t>(first)].row;
  const QString unit = row.unit.empty() ? m_unit : qs(row.unit);
  return unit.isEmpty() ? qs(row.caseName) : tr("%1, in %2").arg(qs(row.caseName), unit);
}

QString PublishedModel::extraText(const ShownRow& shown, int column) const {
  const QString none = QStringLiteral("–");
  if (!shown.isRun) return none;
  if (column == verdictColumn()) return qs(shown.row.verdict);
  if (column == halfColumn()) return shown.row.otherScale == 0 ? none : figureText(shown.row.otherScale);
  const double* figure = figureOf(shown.row, m_keys[static_cast<std::size_t>(column - firstFigure())]);
  return figure ? figureText(*figure) : none;
}

QString PublishedModel::extraHead(int column) const {
  if (column == verdictColumn()) return tr("sign");
  if (column == halfColumn()) return tr("half time");
  return figureName(m_keys[static_cast<std::size_t>(column - firstFigure())]);
}

const ShownRow* PublishedModel::rowAt(int line) const {
  if (line < 0 || line >= static_cast<int>(m_lines.size())) return nullptr;
  const int index = m_lines[static_cast<std::size_t>(line)];
  return index < 0 ? nullptr : &m_rows[static_cast<std::size_t>(index)];
}

int PublishedModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int PublishedModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : firstFigure() + static_cast<int>(m_keys.size());
}

Qt::ItemFlags PublishedModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  return isHead(index.row()) ? Qt::ItemIsEnabled : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

QVariant PublishedModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ShownRow* shown = rowAt(index.row());
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>((isFigure(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::FontRole) {
    if (!shown) return look::uiFont(look::kBasePx, look::Weight::Bold);
    return isFigure(index.column()) ? look::monoFont() : look::uiFont();
  }
  const bool isText = role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == Qt::ToolTipRole;
  if (!isText) return {};
  if (!shown) return headText(index.row(), index.column());
  if (index.column() >= kColumns)
    return role == Qt::ToolTipRole ? detailsText(*shown) : extraText(*shown, index.column());
  const api::ReproducedRow& row = shown->row;
  const QString none = QStringLiteral("–");
  switch (index.column()) {
    case kName:
      return role == Qt::ToolTipRole ? detailsText(*shown) : qs(row.name);
    case kPublished:
      if (role == Qt::ToolTipRole && row.publishedSpreadPercent > 0)
        return tr("published with a deviation of %1 %").arg(row.publishedSpreadPercent);
      if (row.published == 0) return none;
      return figureText(row.published);
    case kModel:
      return shown->isRun ? figureText(row.model) : none;
    case kPublishedRatio:
      return row.published == 0 ? none : ratioText(row.publishedRatio);
    case kModelRatio:
      return shown->isRun ? ratioText(row.modelRatio) : none;
    case kDeviation:
      if (role == Qt::ToolTipRole && shown->isRun && row.published != 0)
        return tr("of the figure or ratio as told: %1; of the ratio: %2")
            .arg(percentText(row.deviationPercent), percentText(api::ratioDeviationPercent(row)));
      return shown->isRun && row.published != 0 ? percentText(row.deviationPercent) : none;
    default:
      return qs(row.label);
  }
}

QVariant PublishedModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (section >= kColumns) {
    if (role == Qt::DisplayRole) return extraHead(section);
    if (role != Qt::ToolTipRole) return {};
    if (section == verdictColumn()) return tr("Whether the model's change has the published sign");
    return section == halfColumn() ? tr("The model's figure from half the time: shows how far length matters")
                                   : tr("Counted in the model: %1").arg(extraHead(section));
  }
  const QString unit = m_unit.isEmpty() ? QString() : QStringLiteral(", ") + m_unit;
  if (role == Qt::DisplayRole) {
    const QString names[] = {tr("row"),         tr("published"), tr("model"), tr("pub. ratio"),
                             tr("model ratio"), tr("deviation"), tr("label")};
    return names[section];
  }
  if (role != Qt::ToolTipRole) return {};
  const QString tips[] = {tr("One row of the published table"),
                          tr("Published figure") + unit,
                          tr("The model's figure") + unit,
                          tr("Published figure against the first row of its case"),
                          tr("The model's figure against its own first row of the case"),
                          tr("Of the model's figure from the published one"),
                          tr("exact, behaves, modelled or fitted: how far to trust it")};
  return tips[section];
}

void PublishedDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
  const auto* model = static_cast<const PublishedModel*>(index.model());
  const look::Palette& p = look::colors(option.widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool isHead = model->isHead(index.row());
  if (isHead)
    painter->fillRect(option.rect, p.head);
  else if (option.state.testFlag(QStyle::State_Selected))
    painter->fillRect(option.rect, p.selection);
  QRectF cell = QRectF(option.rect).adjusted(8, 0, -6, 0);
  // The name of a case stays in sight when the columns are scrolled.
  if (isHead && option.rect.left() < 0) cell.setLeft(8);
  painter->setFont(index.data(Qt::FontRole).value<QFont>());
  painter->setPen(isHead ? p.text2 : p.text);
  if (!isHead && index.column() == PublishedModel::kLabel) {
    const std::string label = index.data().toString().toStdString();
    const double height = kPillPx;
    // The badge is drawn leftwards from its right end: measure, then place.
    const double width = QFontMetricsF(look::uiFont(look::kNotePx)).horizontalAdvance(qs(label)) + 27;
    look::drawFidelity(*painter, {cell.left() + width, cell.center().y() - height / 2}, label, p);
  } else {
    const ShownRow* shown = model->rowAt(index.row());
    if (shown && index.column() == PublishedModel::kModelRatio && shown->isRun) {
      const double published = shown->row.publishedRatio - 1, own = shown->row.modelRatio - 1;
      if (published != 0) painter->setPen((published > 0) == (own > 0) ? p.yes : p.no);
    }
    const auto align = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
    look::drawElided(*painter, cell, static_cast<int>(align), index.data().toString());
  }
  painter->restore();
}

}  // namespace rqscope::published
