// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace rqscope::compare {

/// Stands where the two machines will: says what a comparison gives and offers the nearest ones.
class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);
  /// One button for each name of a change, as the view's list of them has it; the first is the foremost.
  void setOffers(const QString& scenario, const QStringList& names);
  const QList<QPushButton*>& buttons() const { return m_buttons; }

 Q_SIGNALS:
  /// The offer of this place was taken.
  void taken(int place);

 private:
  QLabel* m_heading;
  QVBoxLayout* m_offers;
  QList<QPushButton*> m_buttons;
};

}  // namespace rqscope::compare
