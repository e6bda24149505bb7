// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

#include "rqscope/lesson.h"

namespace rqscope::lesson {

using LessonPtr = std::shared_ptr<const api::Lesson>;
using MarkPtr = std::shared_ptr<const api::LessonMark>;

/// Lets the model answer one question at a time on a thread of its own.
class Marker : public QObject {
  Q_OBJECT
 public:
  explicit Marker(QObject* parent = nullptr);
  ~Marker() override;

  /// `kernel`: the one that the lesson is read with; empty: its first.
  void start(const LessonPtr& lesson, std::size_t step, const std::string& kernel);
  /// Makes a running one end soon; marked() tells.
  void cancel() { m_isCancelled = true; }
  bool isCancelled() const { return m_isCancelled; }
  bool isRunning() const { return m_thread != nullptr; }

 Q_SIGNALS:
  void marked(const rqscope::lesson::MarkPtr& mark);

 private:
  QThread* m_thread = nullptr;
  std::atomic<bool> m_isCancelled = false;
};

}  // namespace rqscope::lesson
