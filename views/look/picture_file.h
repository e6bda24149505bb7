// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <functional>
#include <memory>
#include <string>

class QApplication;
class QPainter;

namespace rqscope::look {

/// A picture to be written: its size in points, its title, and who paints it.
struct Picture {
  QSize size;
  QString title;
  std::function<void(QPainter&)> paint;
};

/// Writes the picture by the ending of the file: .png (two pixels a point), .svg or .pdf, these two as shapes
/// and text. Empty when done, else why not; `endings` names what may be written there: "a chart is written as
/// .png, .svg, .pdf or .csv".
QString writePicture(const Picture& picture, const QString& file, const QString& endings);
/// Empty when done, else why not.
QString writeText(const std::string& text, const QString& file);
/// A field of a CSV line: quoted where it must be.
std::string csvText(const std::string& text);

/// An application off screen with the light theme, where none runs: for pictures from the command line.
class OffscreenApplication {
 public:
  OffscreenApplication();
  ~OffscreenApplication();

 private:
  std::unique_ptr<QApplication> m_own;
};

}  // namespace rqscope::look
