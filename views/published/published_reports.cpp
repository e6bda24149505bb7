// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QPushButton>

#include "look/palette.h"
#include "look/picture_file.h"
#include "published/published_export.h"
#include "published/published_model.h"
#include "published/published_view.h"
#include "published/ratio_chart.h"
#include "rqscope/report_file.h"

// Reports in files: opened, saved, and the last result of each discussion kept for the next time.

namespace rqscope::published {
namespace {

QString timeOf(const QString& file) {
  return QLocale().toString(QFileInfo(file).lastModified(), QStringLiteral("d MMM yyyy HH:mm"));
}

std::string bytesOf(const QString& file, bool& isRead) {
  QFile in(file);
  isRead = in.open(QIODevice::ReadOnly);
  return isRead ? in.readAll().toStdString() : std::string();
}

QString keptFile(const QString& folder, const QString& discussion) {
  return folder + QLatin1Char('/') + discussion + QStringLiteral(".json");
}

}  // namespace

void PublishedView::buildReportMenu() {
  auto* menu = new QMenu(m_report);
  menu->addAction(tr("Open report…"), this, &PublishedView::chooseReport);
  menu->addSeparator();
  menu->addAction(tr("Save report…"), this,
                  [this] { chooseExport(QStringLiteral(".json"), tr("Reports (*.json)")); });
  menu->addAction(tr("Save table…"), this,
                  [this] { chooseExport(QStringLiteral(".csv"), tr("Tables (*.csv)")); });
  menu->addAction(tr("Save bars…"), this,
                  [this] { chooseExport(QStringLiteral(".svg"), tr("Pictures (*.svg *.png *.pdf)")); });
  m_report->setMenu(menu);
}

QString PublishedView::openReport(const QString& file) {
  bool isRead = false;
  const std::string text = bytesOf(file, isRead);
  if (!isRead) return tr("cannot read %1").arg(file);
  const std::vector<api::Reproduction> reports = api::readReports(text, file.toStdString());
  if (!reports.front().problems.empty())
    return QString::fromStdString(reports.front().problems.front().text());
  fillChoice();
  for (const api::Reproduction& report : reports) {
    const QString name = QString::fromStdString(report.name);
    if (m_which->findData(name) < 0) addChoice(name, QString::fromStdString(report.title));
    QString origin = tr("report of %1, %2").arg(timeOf(file), QFileInfo(file).fileName());
    if (!isOfTable(report, api::publishedTable(report.name)))
      origin += tr("; its table is not the one of this program");
    m_known[name] = {std::make_shared<const api::Reproduction>(report), origin};
  }
  chooseDiscussion(QString::fromStdString(reports.front().name));
  return {};
}

/// What was kept, when there is nothing newer and it is of the same table.
void PublishedView::readKept() {
  if (m_keepFolder.isEmpty() || hasResult() || discussion().isEmpty()) return;
  const QString file = keptFile(m_keepFolder, discussion());
  bool isRead = false;
  const std::string text = bytesOf(file, isRead);
  if (!isRead) return;
  const api::Reproduction report = api::readReports(text, file.toStdString()).front();
  const bool isSame = report.problems.empty() && report.name == discussion().toStdString() &&
                      isOfTable(report, api::publishedTable(report.name));
  if (!isSame) return;
  m_known[discussion()] = {std::make_shared<const api::Reproduction>(report),
                           tr("result of %1, kept; Run makes it anew").arg(timeOf(file))};
}

/// A result that cannot be kept is still shown: nothing is said.
void PublishedView::keep(const api::Reproduction& result) {
  const bool isWhole = !result.wasCancelled && result.problems.empty();
  if (m_keepFolder.isEmpty() || !isWhole || !QDir().mkpath(m_keepFolder)) return;
  look::writeText(api::reportText(result), keptFile(m_keepFolder, m_running));
}

QString PublishedView::exportTo(const QString& file) const {
  if (m_chart->bars().rows.empty()) return tr("there is no table yet");
  if (QFileInfo(file).suffix().toLower() == QStringLiteral("json")) {
    const auto known = m_known.find(discussion());
    if (known == m_known.end()) return tr("there is no result yet: run the discussion first");
    return look::writeText(api::reportText(*known->second.result) + "\n", file);
  }
  return writePublished(m_chart->bars(), m_model->unit(), file, look::colors(this).theme);
}

void PublishedView::chooseReport() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open report"), {}, tr("Reports (*.json)"));
  if (file.isEmpty()) return;
  if (const QString error = openReport(file); !error.isEmpty()) setStatus(error);
}

void PublishedView::chooseExport(const QString& ending, const QString& filter) {
  const QString file = QFileDialog::getSaveFileName(this, tr("Save"), discussion() + ending, filter);
  if (file.isEmpty()) return;
  const QString error = exportTo(file);
  setStatus(error.isEmpty() ? tr("saved %1").arg(file) : error);
}

}  // namespace rqscope::published
