// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/picture_export.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QSvgRenderer>
#include <QTemporaryDir>

#include "machine/canvas.h"
#include "views/support/sample_frames.h"

namespace rqscope::machine {
namespace {

class PictureExportTest : public testing::Test {
 protected:
  PictureExportTest() {
    canvas.resize(660, 340);
    canvas.setMotion(false);
    canvas.setFrame(samples::junoDetach());
  }
  QString path(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
  Canvas canvas;
  QTemporaryDir folder;
};

TEST_F(PictureExportTest, SvgHasShapesAndNamesAndTheSizeOfTheView) {
  ASSERT_EQ(writePicture(canvas, path("a.svg")), QString());
  QSvgRenderer renderer(path("a.svg"));
  ASSERT_TRUE(renderer.isValid());
  EXPECT_EQ(renderer.viewBox(), QRect(0, 0, 660, 340));
  QFile file(path("a.svg"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  EXPECT_TRUE(text.contains("CPU 5"));
  EXPECT_GT(text.count("<path"), 10);
  EXPECT_FALSE(text.contains("<image"));
}

TEST_F(PictureExportTest, PngShowsWhatTheViewShows) {
  ASSERT_EQ(writePicture(canvas, path("a.png")), QString());
  const QImage image(path("a.png"));
  ASSERT_EQ(image.size(), QSize(1320, 680));
  const QImage shown = canvas.grab().toImage();
  int equal = 0, all = 0;
  for (int y = 5; y < 340; y += 10)
    for (int x = 5; x < 660; x += 10, ++all)
      equal += image.pixelColor(2 * x, 2 * y) == shown.pixelColor(x, y) ? 1 : 0;
  EXPECT_GT(equal, all * 9 / 10);
}

TEST_F(PictureExportTest, PdfIsWrittenAndOtherEndingsAreRefused) {
  ASSERT_EQ(writePicture(canvas, path("a.pdf")), QString());
  QFile file(path("a.pdf"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().startsWith("%PDF"));
  EXPECT_FALSE(writePicture(canvas, path("a.gif")).isEmpty());
  EXPECT_FALSE(writePicture(canvas, path("no/such/folder.png")).isEmpty());
}

}  // namespace
}  // namespace rqscope::machine
