// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "branch_words.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <algorithm>

namespace rqscope::app {
namespace {

constexpr qsizetype kLongLine = 48;

QString tr(const char* text) { return QCoreApplication::translate("rqscope::app::MainWindow", text); }

/// CPUs as a script has them: [0, 1, 5] or "0-1,5".
QString numbers(const QJsonValue& value) {
  if (value.isString()) return value.toString();
  QStringList out;
  for (const QJsonValue& number : value.toArray()) out << QString::number(number.toInt());
  return out.join(QLatin1Char(','));
}

QString operationText(const QJsonObject& operation) {
  const QString kind = operation.value(QLatin1String("do")).toString();
  QStringList of, to;
  for (auto it = operation.begin(); it != operation.end(); ++it) {
    const QString key = it.key();
    if (key == QStringLiteral("do") || key == QStringLiteral("at") || key == QStringLiteral("comment"))
      continue;
    if (key == QStringLiteral("task") || key == QStringLiteral("group"))
      of << it.value().toString();
    else if (key == QStringLiteral("cpus"))
      (operation.contains(QLatin1String("task")) ? to : of) << tr("CPU %1").arg(numbers(it.value()));
    else if (key == QStringLiteral("cpu"))
      of << tr("CPU %1").arg(it.value().toInt());
    else
      to << it.value().toVariant().toString();
  }
  QString text = kind;
  if (!of.isEmpty()) text += tr(" of %1").arg(of.join(QStringLiteral(", ")));
  if (!to.isEmpty()) text += QStringLiteral(": ") + to.join(QStringLiteral(", "));
  return text;
}

/// The first line that is another one, with what stands there now.
QString lineText(const QString& before, const QString& after) {
  const QStringList a = before.split(QLatin1Char('\n'));
  const QStringList b = after.split(QLatin1Char('\n'));
  qsizetype line = 0;
  while (line < a.size() && line < b.size() && a[line] == b[line]) ++line;
  QString text = line < b.size() ? b[line].simplified() : QString();
  if (text.size() > kLongLine) text = text.left(kLongLine - 1) + QStringLiteral("\u2026");
  return text.isEmpty() ? tr("scenario from line %1").arg(line + 1)
                        : tr("line %1: %2").arg(line + 1).arg(text);
}

}  // namespace

QString operationsText(const std::vector<std::string>& operations) {
  QStringList words;
  for (const std::string& operation : operations)
    words << operationText(QJsonDocument::fromJson(QByteArray::fromStdString(operation)).object());
  return words.join(QStringLiteral("; "));
}

QString changeText(const QString& textBefore, const api::Overrides& before, const QString& textAfter,
                   const api::Overrides& after) {
  QStringList words;
  const auto add = [&](const QString& what, const std::string& a, const std::string& b) {
    if (a != b && !b.empty()) words << what + QLatin1Char(' ') + QString::fromStdString(b);
    if (a != b && b.empty()) words << tr("%1 of the scenario").arg(what);
  };
  add(tr("kernel"), before.kernel, after.kernel);
  add(tr("machine"), before.machine, after.machine);
  for (const auto& patch : after.patches)
    if (std::find(before.patches.begin(), before.patches.end(), patch) == before.patches.end())
      words << QString::fromStdString(patch.first) + (patch.second ? tr(" on") : tr(" off"));
  for (const std::string& feature : after.features)
    if (std::find(before.features.begin(), before.features.end(), feature) == before.features.end())
      words << QString::fromStdString(feature);
  if (after.seed != before.seed) words << tr("seed %1").arg(after.seed);
  if (after.untilNs != before.untilNs) words << tr("another end");
  if (textBefore != textAfter) words << lineText(textBefore, textAfter);
  return words.isEmpty() ? tr("the same again") : words.join(QStringLiteral(", "));
}

}  // namespace rqscope::app
