// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <array>
#include <mutex>
#include <random>
#include <utility>

#include "main_window.h"
#include "support/temporary_folder.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

/// What Qt, or the program by Qt, warns of in its scope.
class Warnings {
 public:
  Warnings() : m_before(qInstallMessageHandler(take)) { s_told.clear(); }
  ~Warnings() { qInstallMessageHandler(m_before); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  /// Those since the last call, a line each.
  std::string takeAll() {
    const std::scoped_lock lock(s_guard);
    return std::exchange(s_told, {}).join(QLatin1Char('\n')).toStdString();
  }

 private:
  static void take(QtMsgType type, const QMessageLogContext&, const QString& text) {
    const bool isOfPlatform = text.contains(QStringLiteral("This plugin does not support")) ||
                              text.contains(QStringLiteral("XDG_RUNTIME_DIR"));
    if (type == QtDebugMsg || type == QtInfoMsg || isOfPlatform) return;
    const std::scoped_lock lock(s_guard);
    s_told << text;
  }

  static inline std::mutex s_guard;  ///< any thread may warn
  static inline QStringList s_told;
  QtMessageHandler m_before;
};

/// A hand that uses the window at random, the same way for the same seed: keys, clicks, wheel, actions, files
/// that are good and broken, sizes, docks and themes, while runs go on. What opens above the window is
/// closed.
class RandomUse {
 public:
  RandomUse(MainWindow& window, session::Session& session, unsigned seed)
      : m_window(window), m_session(session), m_random(seed), m_above(seed) {
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, QByteArray>>{
             {"empty.json", {}},
             {"cut.json", "{\"rqscope-scenario\": 1, \"machine\": \"juno"},
             {"bytes.bin", QByteArray("\xff\xfe\x00\x01\x80", 5)},
             {"table.csv", "before,after,better\n1,2,less\n"},
             {"trace.txt",
              "  <idle>-0  [000]  1.0: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> "
              "next_comm=b next_pid=-7 next_prio=120\n"},
             {"good.json", R"({"rqscope-scenario": 1, "machine": "smt-4x2",
                              "workload": {"generator": "hogs", "count": 12}, "until": "10s"})"}}) {
      QFile file(path(name));
      if (file.open(QIODevice::WriteOnly)) file.write(text);
      m_files << file.fileName();
    }
    m_files << path("missing.json") << QStringLiteral("juno") << QStringLiteral("misfit")
            << QStringLiteral("smt") << QStringLiteral("two-groups");
    watch();
  }

  /// One thing done; its name for whoever looks for what went wrong.
  QString step() {
    switch (pick(9)) {
      case 0:
      case 1:
        return key();
      case 2:
      case 3:
        return mouse();
      case 4:
        return trigger();
      case 5:
        return wheel();
      case 6:
        return size();
      case 7:
        return dock();
      default:
        return pick(3) == 0 ? open() : run();
    }
  }

 private:
  int pick(int count) { return static_cast<int>(m_random() % static_cast<unsigned>(count)); }
  bool isHeads() { return m_above() % 2 == 0; }
  QString path(const char* name) const { return QString::fromStdString((m_folder.path() / name).string()); }

  /// Each look is asked for before the one that may open a dialog, whose own loop then brings it.
  void watch() {
    constexpr int kBetweenLooksMs = 5;
    QTimer::singleShot(kBetweenLooksMs, &m_watcher, [this] {
      watch();
      closeWhatIsAbove();
    });
  }

  void closeWhatIsAbove() {
    if (QWidget* popup = QApplication::activePopupWidget()) {
      if (isHeads()) QTest::keyClick(popup, Qt::Key_Down);
      if (isHeads()) QTest::keyClick(popup, Qt::Key_Return);
      if (QApplication::activePopupWidget() == popup) popup->close();
      return;
    }
    QWidget* modal = QApplication::activeModalWidget();
    if (modal == nullptr || modal == &m_window) return;
    if (QWidget* in = modal->focusWidget(); in != nullptr && isHeads()) QTest::keyClick(in, Qt::Key_7);
    auto* dialog = qobject_cast<QDialog*>(modal);
    if (dialog == nullptr) {
      modal->close();
    } else if (modal->inherits("QFileDialog") || isHeads()) {
      dialog->reject();  // no file is written
    } else {
      dialog->accept();
    }
  }

  QString key() {
    static constexpr std::array kKeys{
        Qt::Key_Right,  Qt::Key_Left,   Qt::Key_Up,     Qt::Key_Down,   Qt::Key_Home,    Qt::Key_End,
        Qt::Key_PageUp, Qt::Key_Space,  Qt::Key_Period, Qt::Key_Comma,  Qt::Key_Plus,    Qt::Key_Minus,
        Qt::Key_Tab,    Qt::Key_Return, Qt::Key_F2,     Qt::Key_F1,     Qt::Key_Escape,  Qt::Key_Slash,
        Qt::Key_Z,      Qt::Key_N,      Qt::Key_G,      Qt::Key_F,      Qt::Key_R,       Qt::Key_T,
        Qt::Key_A,      Qt::Key_B,      Qt::Key_0,      Qt::Key_5,      Qt::Key_C,       Qt::Key_L,
        Qt::Key_D,      Qt::Key_E,      Qt::Key_P,      Qt::Key_Delete, Qt::Key_Question};
    static constexpr std::array<Qt::KeyboardModifiers::Int, 6> kModifiers{
        Qt::NoModifier,      Qt::NoModifier,  Qt::ShiftModifier,
        Qt::ControlModifier, Qt::AltModifier, Qt::ControlModifier | Qt::ShiftModifier};
    const Qt::Key key = kKeys[static_cast<std::size_t>(pick(static_cast<int>(kKeys.size())))];
    const auto modifiers = Qt::KeyboardModifiers(
        kModifiers[static_cast<std::size_t>(pick(static_cast<int>(kModifiers.size())))]);
    QWidget* to = m_window.focusWidget() != nullptr ? m_window.focusWidget() : &m_window;
    QTest::keyClick(to, key, modifiers);
    return QStringLiteral("key %1").arg(QKeySequence(key | modifiers).toString());
  }

  /// A widget that can be seen, or none.
  QWidget* somewhere() {
    QList<QWidget*> seen;
    for (QWidget* widget : m_window.findChildren<QWidget*>())
      if (widget->isVisible() && widget->isEnabled() && !widget->isWindow() && widget->width() > 2 &&
          widget->height() > 2 && !widget->inherits("QMenuBar"))
        seen << widget;
    return seen.isEmpty() ? nullptr : seen[pick(static_cast<int>(seen.size()))];
  }

  QString mouse() {
    QWidget* widget = somewhere();
    if (widget == nullptr) return QStringLiteral("nothing to click");
    const QString what = QString::fromLatin1(widget->metaObject()->className());
    const QPoint at(pick(widget->width()), pick(widget->height()));
    switch (pick(5)) {
      case 0:
        QTest::mouseDClick(widget, Qt::LeftButton, {}, at);
        break;
      case 1:
        QTest::mouseMove(widget, at);
        break;
      case 2: {
        QTest::mousePress(widget, Qt::LeftButton, {}, at);
        QTest::mouseMove(widget, QPoint(pick(widget->width()), pick(widget->height())));
        QTest::mouseRelease(widget, Qt::LeftButton, {}, at);
        break;
      }
      case 3: {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
        QApplication::sendEvent(widget, &event);
        break;
      }
      default:
        QTest::mouseClick(widget, Qt::LeftButton, pick(4) == 0 ? Qt::ControlModifier : Qt::NoModifier, at);
    }
    return QStringLiteral("mouse on ") + what;
  }

  QString wheel() {
    QWidget* widget = somewhere();
    if (widget == nullptr) return QStringLiteral("nothing to turn");
    const QPointF at(widget->width() / 2.0, widget->height() / 2.0);
    QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, (pick(41) - 20) * 60), Qt::NoButton,
                      pick(2) == 0 ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
    return QStringLiteral("wheel on %1").arg(QString::fromLatin1(widget->metaObject()->className()));
  }

  QString trigger() {
    QList<QAction*> actions;
    for (QAction* action : m_window.findChildren<QAction*>())
      if (action->isEnabled() && !action->isSeparator() && action->menu() == nullptr &&
          action->menuRole() != QAction::QuitRole && action->shortcut() != QKeySequence(QKeySequence::Quit))
        actions << action;
    if (actions.isEmpty()) return QStringLiteral("no action");
    QAction* action = actions[pick(static_cast<int>(actions.size()))];
    const QString text = action->text();
    action->trigger();
    return QStringLiteral("action %1").arg(text);
  }

  QString size() {
    static constexpr std::array kSizes{QSize(1280, 720), QSize(1920, 1080), QSize(640, 400), QSize(1, 1),
                                       QSize(2600, 500)};
    const QSize size = kSizes[static_cast<std::size_t>(pick(static_cast<int>(kSizes.size())))];
    m_window.resize(size);
    if (pick(3) == 0) m_window.setTheme(pick(2) == 0 ? look::Theme::Dark : look::Theme::Light);
    return QStringLiteral("size %1x%2").arg(size.width()).arg(size.height());
  }

  QString dock() {
    const auto docks = m_window.findChildren<QDockWidget*>();
    QDockWidget* dock = docks[pick(static_cast<int>(docks.size()))];
    switch (pick(4)) {
      case 0:
        dock->setFloating(!dock->isFloating());
        break;
      case 1:
        dock->setVisible(!dock->isVisible());
        break;
      default:
        m_window.raiseDock(dock->objectName());
    }
    return QStringLiteral("dock %1").arg(dock->objectName());
  }

  QString open() {
    const QString& file = m_files[pick(static_cast<int>(m_files.size()))];
    m_window.openAny(file);
    return QStringLiteral("open %1").arg(file);
  }

  QString run() {
    constexpr qint64 kMs = 1'000'000;
    switch (pick(7)) {
      case 0:
        m_session.setPace(session::Pace::Run);
        return QStringLiteral("run");
      case 1:
        m_session.setPace(session::Pace::Express);
        return QStringLiteral("express");
      case 2:
        m_session.pause();
        return QStringLiteral("pause");
      case 3:
        m_session.seekTime(pick(300) * kMs);
        return QStringLiteral("seek");
      case 4:
        m_session.seekPass(static_cast<quint64>(pick(400)));
        return QStringLiteral("seek pass");
      case 5:
        m_window.stepBranch(pick(2) == 0 ? 1 : -1);
        return QStringLiteral("another branch");
      default:
        m_session.step(static_cast<api::StepKind>(pick(4)), static_cast<api::Direction>(pick(2)));
        return QStringLiteral("step");
    }
  }

  MainWindow& m_window;
  session::Session& m_session;
  std::mt19937 m_random, m_above;  ///< what opens above the window comes when it comes
  TemporaryFolder m_folder;
  QStringList m_files;
  QObject m_watcher;
};

/// Steps and seed can be given for a longer look: RQSCOPE_RANDOM_STEPS=20000 RQSCOPE_RANDOM_SEED=7.
TEST(RandomUse, EndsWithoutAWarning) {
  bool isGiven = false;
  const int given = qEnvironmentVariableIntValue("RQSCOPE_RANDOM_STEPS", &isGiven);
  const int steps = isGiven ? given : 250;
  const int seed = qEnvironmentVariableIntValue("RQSCOPE_RANDOM_SEED");
  Warnings warnings;
  {
    session::Session session;
    MainWindow window(session, look::Theme::Dark, MainWindow::Settings::Ignore);
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QStringLiteral("juno"), {});
    ASSERT_TRUE(opened.wait(kPatienceMs));
    RandomUse hand(window, session, static_cast<unsigned>(seed));
    qint64 longest = 0;
    QString slowest;
    for (int i = 0; i < steps; ++i) {
      QElapsedTimer clock;
      clock.start();
      const QString done = hand.step();
      QCoreApplication::processEvents();
      if (clock.elapsed() > longest) {
        longest = clock.elapsed();
        slowest = done;
      }
      EXPECT_EQ(warnings.takeAll(), "") << "step " << i << ", " << done.toStdString();
      if (isGiven && qEnvironmentVariableIsSet("RQSCOPE_RANDOM_TALK"))
        std::fprintf(stderr, "%d %lld ms %s\n", i, static_cast<long long>(clock.elapsed()), qPrintable(done));
      if (!window.isVisible()) window.show();
    }
    RecordProperty("longest_step_ms", static_cast<int>(longest));
    std::fprintf(stderr, "longest step: %lld ms, %s\n", static_cast<long long>(longest), qPrintable(slowest));
    // The program still does what it is told.
    session.pause();
    QSignalSpy again(&session, &session::Session::opened);
    window.openAny(QStringLiteral("misfit"));
    EXPECT_TRUE(again.wait(kPatienceMs));
  }
  EXPECT_EQ(warnings.takeAll(), "") << "at the end";
}

}  // namespace
}  // namespace rqscope::app
