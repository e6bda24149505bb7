// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/json_highlighter.h"

#include <QRegularExpression>

#include "look/palette.h"

namespace rqscope::scenario {

JsonHighlighter::JsonHighlighter(QTextDocument* document, const QWidget* owner)
    : QSyntaxHighlighter(document), m_owner(owner) {}

void JsonHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression token(QStringLiteral(
      R"((/\*.*?(\*/|$)|//.*$)|("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b))"));
  const look::Palette& p = look::colors(m_owner);
  constexpr int kInComment = 1;
  qsizetype from = 0;
  setCurrentBlockState(0);
  if (previousBlockState() == kInComment) {
    const qsizetype end = text.indexOf(QStringLiteral("*/"));
    const qsizetype length = end < 0 ? text.size() : end + 2;
    setFormat(0, static_cast<int>(length), p.text3);
    if (end < 0) return setCurrentBlockState(kInComment);
    from = length;
  }
  auto matches = token.globalMatch(text, from);
  while (matches.hasNext()) {
    const QRegularExpressionMatch match = matches.next();
    const auto paint = [&](int group, const QColor& color) {
      setFormat(static_cast<int>(match.capturedStart(group)), static_cast<int>(match.capturedLength(group)),
                color);
    };
    if (match.capturedLength(1) > 0) {
      paint(1, p.text3);
      const QString comment = match.captured(1);
      if (comment.startsWith(QStringLiteral("/*")) && !comment.endsWith(QStringLiteral("*/")))
        setCurrentBlockState(kInComment);
    } else if (match.capturedLength(3) > 0) {
      paint(3, match.capturedLength(4) > 0 ? p.accent : p.yes);
    } else if (match.capturedLength(5) > 0) {
      paint(5, p.nowText);
    }
  }
}

}  // namespace rqscope::scenario
