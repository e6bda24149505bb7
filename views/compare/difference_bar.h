// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace rqscope::compare {

/// The band above both sides: which difference is shown, what each run did, and to the next or previous one.
class DifferenceBar : public QWidget {
  Q_OBJECT
 public:
  explicit DifferenceBar(QWidget* parent);

  /// `number` from 1, of `count`; 0: `text` stands alone.
  void setText(const QString& text, std::size_t number, std::size_t count);
  QString text() const;
  QPushButton* previousButton() const { return m_previous; }
  QPushButton* nextButton() const { return m_next; }

 Q_SIGNALS:
  void previousWanted();
  void nextWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel *m_text, *m_number;
  QPushButton *m_previous, *m_next;
};

}  // namespace rqscope::compare
