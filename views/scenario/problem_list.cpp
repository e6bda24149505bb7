// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/problem_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::scenario {
namespace {

constexpr std::size_t kMost = 50;

QString severityWord(api::Problem::Severity severity) {
  switch (severity) {
    case api::Problem::Severity::Note:
      return QObject::tr("note");
    case api::Problem::Severity::Warning:
      return QObject::tr("warning");
    case api::Problem::Severity::Error:
      return QObject::tr("error");
  }
  return {};
}

}  // namespace

QString proposedWord(const QString& hint) {
  static const QRegularExpression pattern(QStringLiteral("did you mean [\"'`]?([A-Za-z0-9_-]+)"),
                                          QRegularExpression::CaseInsensitiveOption);
  const QRegularExpressionMatch match = pattern.match(hint);
  return match.hasMatch() ? match.captured(1) : QString();
}

ProblemList::ProblemList(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Problems"));
}

QWidget* ProblemList::row(const api::Problem& problem) {
  const look::Palette& p = look::colors(this);
  auto* item = new QWidget(m_content);
  auto* layout = new QHBoxLayout(item);
  layout->setContentsMargins(9, 4, 9, 4);
  const QColor color = problem.severity == api::Problem::Severity::Error ? p.no : p.text2;
  const QString place =
      problem.line > 0 ? tr("Line %1, column %2").arg(problem.line).arg(problem.column) : tr("Whole file");
  QString text = QStringLiteral(
                     "<b><span style='color:%1'>%2</span> <a href='#' "
                     "style='color:%3;text-decoration:none'>%4:</a></b> %5")
                     .arg(color.name(), severityWord(problem.severity), p.text.name(), place,
                          look::qs(problem.message).toHtmlEscaped());
  if (!problem.hint.empty())
    text += QStringLiteral(" <span style='color:%1'>%2</span>")
                .arg(p.text2.name(), look::qs(problem.hint).toHtmlEscaped());
  auto* label = new QLabel(text, item);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(label, &QLabel::linkActivated, this,
          [this, problem] { Q_EMIT goWanted(problem.line, problem.column); });
  layout->addWidget(label, 1);
  const QString word = proposedWord(look::qs(problem.hint));
  if (!word.isEmpty() && problem.line > 0) {
    auto* replace = new QPushButton(tr("Replace"), item);
    replace->setToolTip(tr("Write %1 there").arg(word));
    connect(replace, &QPushButton::clicked, this,
            [this, problem, word] { Q_EMIT replaceWanted(problem.line, problem.column, word); });
    layout->addWidget(replace, 0, Qt::AlignTop);
  }
  return item;
}

void ProblemList::setProblems(const std::vector<api::Problem>& problems) {
  m_content = new QWidget(this);
  auto* column = new QVBoxLayout(m_content);
  column->setContentsMargins(0, 2, 0, 2);
  column->setSpacing(0);
  for (std::size_t i = 0; i < std::min(problems.size(), kMost); ++i) column->addWidget(row(problems[i]));
  column->addStretch(1);
  setWidget(m_content);
  setVisible(!problems.empty());
}

}  // namespace rqscope::scenario
