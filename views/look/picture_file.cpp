// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/picture_file.h"

#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "look/theme.h"

namespace rqscope::look {
namespace {

constexpr int kPngScale = 2;
constexpr int kPdfDpi = 96;

QString cannotWrite(const QString& file) { return QObject::tr("cannot write %1").arg(file); }

QString paintOn(QPaintDevice& device, const Picture& picture, const QString& file) {
  QPainter painter;
  if (!painter.begin(&device)) return cannotWrite(file);
  picture.paint(painter);
  return painter.end() ? QString() : cannotWrite(file);
}

QString writePng(const Picture& picture, const QString& file) {
  QImage image(picture.size * kPngScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kPngScale);
  if (QString error = paintOn(image, picture, file); !error.isEmpty()) return error;
  return image.save(file, "PNG") ? QString() : cannotWrite(file);
}

QString writeSvg(const Picture& picture, const QString& file) {
  QSvgGenerator generator;
  generator.setFileName(file);
  generator.setSize(picture.size);
  generator.setViewBox(QRect(QPoint(0, 0), picture.size));
  generator.setTitle(picture.title);
  return paintOn(generator, picture, file);
}

QString writePdf(const Picture& picture, const QString& file) {
  QPdfWriter writer(file);
  writer.setResolution(kPdfDpi);
  writer.setPageSize(
      QPageSize(QSizeF(picture.size) * 72.0 / kPdfDpi, QPageSize::Point, QString(), QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  return paintOn(writer, picture, file);
}

}  // namespace

QString writePicture(const Picture& picture, const QString& file, const QString& endings) {
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending == QStringLiteral("png")) return writePng(picture, file);
  if (ending == QStringLiteral("svg")) return writeSvg(picture, file);
  if (ending == QStringLiteral("pdf")) return writePdf(picture, file);
  return QStringLiteral("%1: %2").arg(file, endings);
}

QString writeText(const std::string& text, const QString& file) {
  QFile out(file);
  const auto size = static_cast<qint64>(text.size());
  const bool isDone = out.open(QIODevice::WriteOnly) && out.write(text.data(), size) == size && out.flush();
  return isDone ? QString() : cannotWrite(file);
}

std::string csvText(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

OffscreenApplication::OffscreenApplication() {
  if (QCoreApplication::instance() != nullptr) return;
  static char name[] = "rqscope";
  static char* arguments[] = {name, nullptr};
  static int count = 1;
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  m_own = std::make_unique<QApplication>(count, arguments);
  applyTheme(*m_own, Theme::Light);
}

OffscreenApplication::~OffscreenApplication() = default;

}  // namespace rqscope::look
