// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

#include "rqscope/frame.h"

class QComboBox;
class QFrame;
class QLabel;

namespace rqscope::look {
class ToolStrip;
}

namespace rqscope::machine {

class Canvas;
class Legend;
class Lens;

/// Canvas, the strip of choices above and the legend below.
class MachineView : public QWidget {
  Q_OBJECT
 public:
  explicit MachineView(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  void setSelectedTask(int slot);
  void setMotion(bool isAnimated);
  /// Frames the groups of a domain and marks one of them; -1: none.
  void showDomain(int domain, int group);
  /// By name; false when the machine has no such level.
  bool showLevel(const QString& label);
  QStringList levels() const;
  /// Lights what a rung of the frame's decision looks at.
  void setLitRung(int rung);
  Canvas* canvas() const { return m_canvas; }
  /// Over the machine while Z is held.
  Lens* lens() const { return m_lens; }
  /// The canvas alone, without choices and legend.
  void setPlain(bool isPlain);
  /// Asks for a name and writes what the canvas shows.
  void exportPicture();

 Q_SIGNALS:
  void cpuActivated(int cpu);
  void taskActivated(int slot);
  void groupActivated(int domain, int group);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildLens();
  void showLens();
  void placeLens();
  void buildStrip();
  void showScales();
  void fillLevels(const api::MachineLayout& layout);

  Canvas* m_canvas;
  Legend* m_legend;
  look::ToolStrip* m_strip = nullptr;
  QComboBox *m_color, *m_level, *m_blocks, *m_detail;
  QLabel *m_zoom, *m_levelLabel = nullptr;
  QFrame* m_lensFrame = nullptr;
  Lens* m_lens = nullptr;
  std::vector<QWidget*> m_rare, m_ofBlocks;  ///< choices that a narrow strip has no room for
  std::shared_ptr<const api::MachineLayout> m_layout;
};

}  // namespace rqscope::machine
