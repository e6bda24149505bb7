// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>

namespace rqscope::topology_editor {

/// One piece of work on another thread. A newer one replaces it: the older is asked to stop, and what it
/// finds is dropped.
class Background : public QObject {
  Q_OBJECT
 public:
  /// Runs on the other thread and gives what is to be done with the answer on this one.
  using Work = std::function<std::function<void()>(const std::stop_token&)>;

  using QObject::QObject;
  ~Background() override;

  /// `what` names the work for people: "Reading the machine".
  void run(const QString& what, Work work);
  void cancel();
  bool isBusy() const { return m_isBusy; }
  QString what() const { return m_what; }

 Q_SIGNALS:
  void busyChanged();

 private:
  void setBusy(bool isBusy);

  std::stop_source m_stop;
  quint64 m_turn = 0;
  bool m_isBusy = false;
  QString m_what;
};

/// Lets go of something large on another thread, as freeing it takes long too.
void releaseElsewhere(std::shared_ptr<const void> what);

}  // namespace rqscope::topology_editor
