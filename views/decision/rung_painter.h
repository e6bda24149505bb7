// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <vector>

#include "look/palette.h"
#include "rqscope/ladder.h"
#include "rqscope/layout.h"
#include "rqscope/what_if.h"

namespace rqscope::decision {

/// A number on show: where it is and what it counts, for "why this number".
struct Hit {
  QRectF rect;
  QString name, value, function, fidelity;
  api::Subject subject;
  api::OperandPath path;  ///< in the ladder that is shown
};

/// Short name of a figure of groups, for heads of columns and tests in rows.
QString shortName(const std::string& name);

enum class RungState { Done, Folded, Current, NotReached };

/// Lays out and paints one rung; the height comes out the same whether it paints or only measures.
class RungPainter {
 public:
  enum class Mode { Measure, Paint };
  RungPainter(QPainter& painter, const look::Palette& palette, double left, double width)
      : m_painter(painter), m_palette(palette), m_left(left), m_width(width) {}

  void setMode(Mode mode) { m_mode = mode; }
  /// Names tasks and groups by the layout; may be null.
  double rung(const api::Rung& rung, double top, RungState state, std::vector<Hit>* hits);
  /// What stands on the rungs painted next: their index, and the operands that were changed.
  void setPlace(std::int32_t rung, const std::vector<api::OperandPath>* changed) {
    m_index = rung;
    m_changed = changed;
  }

 private:
  struct Piece {
    QString text;
    bool isMono = true, isStrong = false;
    QColor color;
    int hit = -1;  ///< index of an operand that can be clicked
    const api::Operand* operand = nullptr;
    bool isGlued = false;      ///< stays on the line of the next one
    bool isSeparator = false;  ///< falls away where a line ends
  };
  using Pieces = std::vector<Piece>;

  double head(const api::Rung& rung, double y, RungState state);
  double body(const api::Rung& rung, double y, RungState state);
  QString titleOf(const api::Rung& rung) const;
  double bigComparison(const api::Rung& rung, double y);
  double table(const std::vector<api::RungRow>& rows, double y);
  double rowLine(const api::RungRow& row, double y);
  void paintFunction(const api::Rung& rung, const QRectF& rect) const;
  double flow(const std::vector<Piece>& pieces, double x, double y, double width);
  Piece separator() const;
  void addReason(std::vector<Piece>& pieces, const api::Rung& rung) const;
  void addOperands(std::vector<Piece>& pieces, const std::vector<api::Operand>& operands) const;
  void addTest(std::vector<Piece>& pieces, const api::Comparison& test, bool isShort) const;
  void addTests(std::vector<Piece>& pieces, const std::vector<api::Comparison>& tests, bool isShort) const;
  void remember(const QRectF& rect, const api::Operand& operand);
  bool isChanged(const api::Operand& operand) const;
  bool paints() const { return m_mode == Mode::Paint; }
  double px(double value) const;

  QPainter& m_painter;
  const look::Palette& m_palette;
  double m_left, m_width;
  Mode m_mode = Mode::Paint;
  std::vector<Hit>* m_hits = nullptr;
  const api::Rung* m_rung = nullptr;
  bool m_isDim = false;
  std::int32_t m_index = -1, m_row = -1;  ///< of the number painted next
  const std::vector<api::OperandPath>* m_changed = nullptr;
};

}  // namespace rqscope::decision
