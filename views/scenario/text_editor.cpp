// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/text_editor.h"

#include <QEvent>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>

#include "look/fonts.h"
#include "look/palette.h"

namespace rqscope::scenario {
namespace {

class Numbers : public QWidget {
 public:
  explicit Numbers(TextEditor* editor) : QWidget(editor), m_editor(editor) {}

 protected:
  void paintEvent(QPaintEvent* event) override { m_editor->paintNumbers(event); }

 private:
  TextEditor* m_editor;
};

}  // namespace

TextEditor::TextEditor(QWidget* parent) : QPlainTextEdit(parent), m_numbers(new Numbers(this)) {
  setFont(look::monoFont());
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setAccessibleName(tr("Scenario text"));
  connect(this, &QPlainTextEdit::blockCountChanged, this, &TextEditor::fitNumbers);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    dy != 0 ? m_numbers->scroll(0, dy) : m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
  });
  fitNumbers();
}

int TextEditor::numberWidth() const {
  const int digits = std::max(2, static_cast<int>(QString::number(blockCount()).size()));
  return 14 + fontMetrics().horizontalAdvance(QLatin1Char('9')) * digits;
}

void TextEditor::fitNumbers() {
  setViewportMargins(numberWidth(), 0, 0, 0);
  const QRect area = contentsRect();
  m_numbers->setGeometry(area.left(), area.top(), numberWidth(), area.height());
}

void TextEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  fitNumbers();
}

void TextEditor::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) underline();
}

void TextEditor::paintNumbers(QPaintEvent* event) {
  const look::Palette& p = look::colors(this);
  QPainter painter(m_numbers);
  painter.fillRect(event->rect(), p.dock);
  painter.setFont(font());
  QTextBlock block = firstVisibleBlock();
  double top = blockBoundingGeometry(block).translated(contentOffset()).top();
  while (block.isValid() && top <= event->rect().bottom()) {
    const double height = blockBoundingRect(block).height();
    const int line = block.blockNumber() + 1;
    const bool isBad = std::any_of(m_problems.begin(), m_problems.end(),
                                   [line](const api::Problem& problem) { return problem.line == line; });
    painter.setPen(isBad ? p.no : p.text3);
    painter.drawText(QRectF(0, top, m_numbers->width() - 7, height), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(line));
    top += height;
    block = block.next();
  }
}

void TextEditor::setProblems(const std::vector<api::Problem>& problems) {
  m_problems = problems;
  underline();
  m_numbers->update();
}

void TextEditor::underline() {
  const look::Palette& p = look::colors(this);
  QList<QTextEdit::ExtraSelection> selections;
  for (const api::Problem& problem : m_problems) {
    const QTextBlock block = document()->findBlockByNumber(problem.line - 1);
    if (problem.line <= 0 || !block.isValid()) continue;
    QTextEdit::ExtraSelection line;
    line.cursor = QTextCursor(block);
    line.format.setBackground(look::mix(p.no, p.canvas, 0.16));
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    selections << line;
    QTextEdit::ExtraSelection place;
    place.cursor = QTextCursor(block);
    place.cursor.setPosition(block.position() +
                             std::clamp(problem.column - 1, 0, std::max(block.length() - 1, 0)));
    place.cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    place.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    place.format.setUnderlineColor(p.no);
    selections << place;
  }
  setExtraSelections(selections);
}

void TextEditor::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(std::max(line, 1) - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::clamp(column - 1, 0, std::max(block.length() - 1, 0)));
  setTextCursor(cursor);
  centerCursor();
  setFocus();
}

bool TextEditor::replaceWordAt(int line, int column, const QString& word) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (line <= 0 || !block.isValid()) return false;
  const QString text = block.text();
  int begin = std::clamp(column - 1, 0, static_cast<int>(text.size()));
  while (begin < text.size() && (text[begin] == QLatin1Char('"') || text[begin].isSpace())) ++begin;
  int end = begin;
  while (end < text.size() &&
         (text[end].isLetterOrNumber() || text[end] == QLatin1Char('_') || text[end] == QLatin1Char('-')))
    ++end;
  if (end == begin) return false;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + begin);
  cursor.setPosition(block.position() + end, QTextCursor::KeepAnchor);
  cursor.insertText(word);
  return true;
}

}  // namespace rqscope::scenario
