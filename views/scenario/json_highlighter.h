// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

class QWidget;

namespace rqscope::scenario {

/// Keys, strings, numbers and comments of the tolerant JSON that scenarios are written in.
class JsonHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  JsonHighlighter(QTextDocument* document, const QWidget* owner);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  const QWidget* m_owner;
};

}  // namespace rqscope::scenario
