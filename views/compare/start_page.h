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

/// Stands where a comparison will: says what it gives and offers the nearest ones.
class StartPage : public QWidget {
  Q_OBJECT
 public:
  /// `text` stands above the offers, `note` below.
  StartPage(const QString& text, const QString& note, QWidget* parent);
  /// One button for each name; the first is the foremost.
  void setOffers(const QString& heading, const QStringList& names);
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
