// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_main.h"

#include <QApplication>
#include <QSettings>
#include <QTextStream>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <utility>

#include "compare/compare_view.h"
#include "compare/trace_view.h"
#include "lesson/lesson_view.h"
#include "look/theme.h"
#include "main_window.h"
#include "published/published_view.h"
#include "session/session.h"

namespace rqscope::app {
namespace {

constexpr int kSettleMs = 350;  ///< from the last answer to the picture

look::Theme themeOf(const WindowOptions& options) {
  QString name = QString::fromStdString(options.theme);
  if (name.isEmpty() && options.screenshot.empty())
    name = QSettings().value(QStringLiteral("theme")).toString();
  return name == QStringLiteral("light") ? look::Theme::Light : look::Theme::Dark;
}

/// More than a time was asked for.
bool wantsDecision(const WindowOptions& options) {
  api::DecisionFilter filter = options.decision;
  filter.fromNs = -1;
  return !filter.isEmpty();
}

void goThere(session::Session& session, const WindowOptions& options) {
  if (options.atNs >= 0) session.seekTime(options.atNs);
  if (options.pass >= 0) session.seekPass(static_cast<quint64>(options.pass));
  if (options.pass < 0 && wantsDecision(options)) session.seekDecision(options.decision);
  if (options.isRungRefusing) session.stepToRefusal();
  constexpr std::int64_t kMostRungs = 4096;  // More than any decision has; what is beyond is told.
  if (options.rung >= kMostRungs) return;
  for (std::int64_t i = 0; i < options.rung; ++i) session.step(api::StepKind::Rung, api::Direction::Forward);
}

/// What of the wanted place is not in this run; empty: nothing.
QString missing(const session::Session& session, const WindowOptions& options) {
  const auto frame = session.frame();
  if (!frame) return {};
  const QString select = QString::fromStdString(options.select);
  const int cpu = select.isEmpty() ? -1 : select.mid(3).toInt();
  const bool hasCpu =
      std::any_of(frame->cpus.begin(), frame->cpus.end(), [&](const auto& c) { return c.id == cpu; });
  if (!select.isEmpty() && !hasCpu)
    return QStringLiteral("--select %1: %2 has no such CPU")
        .arg(select,
             QString::fromStdString(frame->layout ? frame->layout->name : std::string("the machine")));
  if (options.pass >= 0 && (!frame->ladder || frame->ladder->index != static_cast<quint64>(options.pass)))
    return options.rung > 0 ? QStringLiteral("--pass %1 --rung %2: there is no such decision or rung")
                                  .arg(options.pass)
                                  .arg(options.rung)
                            : QStringLiteral("--pass %1: the run has fewer decisions").arg(options.pass);
  if (options.pass < 0 && wantsDecision(options) && !frame->ladder)
    return QStringLiteral("there is no such decision in this run");
  if (options.isRungRefusing && (!frame->ladder || api::refusingRung(*frame->ladder) != frame->rung))
    return QStringLiteral("--rung refused: this decision refuses nothing");
  if (options.rung >= 0 && options.pass >= 0) {
    const auto rungs = static_cast<std::int64_t>(frame->ladder->rungs.size());
    if (options.rung >= rungs)
      return QStringLiteral("--rung %1: this decision has the rungs 0 to %2")
          .arg(options.rung)
          .arg(rungs - 1);
  }
  if (options.pass < 0 && options.atNs > frame->timeNs && frame->atEnd)
    return QStringLiteral("--at %1 ms: the run ends at %2 ms")
        .arg(static_cast<double>(options.atNs) / 1e6)
        .arg(static_cast<double>(frame->timeNs) / 1e6, 0, 'f', 3);
  return {};
}

/// Saves the picture once the session has been quiet for a while after it opened, then quits.
class Photographer : public QObject {
 public:
  Photographer(MainWindow& window, session::Session& session, const WindowOptions& options)
      : m_window(window), m_session(session), m_options(options) {
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(kSettleMs);
    connect(&session, &session::Session::busyChanged, this, [this](bool busy) {
      if (m_isOpen && !busy) m_quiet.start();
      if (busy) m_quiet.stop();
    });
    connect(&session, &session::Session::opened, this, [this] { m_isOpen = true; });
    connect(&session, &session::Session::problemsFound, this,
            [](const session::Problems& problems, bool isOpen) {
              for (const api::Problem& problem : problems)
                QTextStream(stderr) << QString::fromStdString(problem.text()) << Qt::endl;
              if (!isOpen) QApplication::exit(1);
            });
    connect(&m_quiet, &QTimer::timeout, this, &Photographer::shoot);
  }

 private:
  void shoot() {
    if (m_window.traceView()->isRunning()) {  // a trace is being compared
      connect(m_window.traceView(), &compare::TraceView::finished, &m_quiet, qOverload<>(&QTimer::start),
              Qt::UniqueConnection);
      return;
    }
    if (std::exchange(m_isShooting, true)) return;  // what is shown in a dock keeps the session busy again
    if (const QString wrong = missing(m_session, m_options); !wrong.isEmpty()) {
      QTextStream(stderr) << "rqscope: " << wrong << Qt::endl;
      return QApplication::exit(1);
    }
    const QString select = QString::fromStdString(m_options.select);
    if (select.startsWith(QStringLiteral("cpu"))) m_window.chooseCpu(select.mid(3).toInt());
    const QString level = QString::fromStdString(m_options.level);
    if (!level.isEmpty() && !m_window.showLevel(level)) {
      QTextStream(stderr) << "rqscope: --level " << level << ": the machine has the levels "
                          << m_window.levels().join(QStringLiteral(", ")) << Qt::endl;
      return QApplication::exit(1);
    }
    const QString dock = QString::fromStdString(m_options.dock);
    const QString name = dock.section(QLatin1Char(':'), 0, 0), what = dock.section(QLatin1Char(':'), 1);
    if (!name.isEmpty()) m_window.raiseDock(name);
    if (what.isEmpty()) return shootSoon();
    const bool isRunning = m_window.showInDock(name, what);
    if (const QString wrong = m_window.dockProblem(name, what); !wrong.isEmpty()) {
      QTextStream(stderr) << "rqscope: --dock " << dock << ": " << wrong << Qt::endl;
      return QApplication::exit(1);
    }
    if (!isRunning) return shootSoon();
    connect(m_window.published(), &published::PublishedView::finished, this, &Photographer::shootSoon);
    connect(m_window.compareView(), &compare::CompareView::finished, this, &Photographer::shootSoon);
  }

  void shootSoon() {
    QTimer::singleShot(kSettleMs, &m_window, [this] {
      const bool isSaved = m_window.grab().save(QString::fromStdString(m_options.screenshot));
      if (!isSaved)
        QTextStream(stderr) << "rqscope: --screenshot " << QString::fromStdString(m_options.screenshot)
                            << ": the file cannot be written" << Qt::endl;
      QApplication::exit(isSaved ? 0 : 1);
    });
  }

  MainWindow& m_window;
  session::Session& m_session;
  WindowOptions m_options;
  QTimer m_quiet;
  bool m_isOpen = false, m_isShooting = false;
};

/// Opens what is to be run: of a lesson's file the scenario of its first step. Empty when done or when the
/// session will tell, else why not.
QString openScenario(session::Session& session, MainWindow& window, const WindowOptions& options) {
  const QString wanted = QString::fromStdString(options.scenario.empty() ? "juno" : options.scenario);
  if (!api::isLessonFile(options.scenario)) {
    session.open(wanted, options.overrides);
    return {};
  }
  if (const QString error = window.openAny(wanted); !error.isEmpty()) return error;
  const lesson::LessonPtr lesson = window.lesson()->lesson();
  const api::LessonStep& first = lesson->steps.front();
  session.open(QString::fromStdString(first.scenario), api::overridesOf(*lesson, first, {}));
  return {};
}

/// A picture is taken without a screen, on a platform that warns of what it cannot do for a window.
void dropPlatformNotes(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  const bool isPlatformNote = text.contains(QStringLiteral("propagateSizeHints")) ||
                              text.startsWith(QStringLiteral("QStandardPaths: XDG_RUNTIME_DIR"));
  if (!isPlatformNote) QTextStream(stderr) << qFormatLogMessage(type, context, text) << Qt::endl;
}

}  // namespace

int runWindow(int& argc, char** argv, const WindowOptions& options) {
  QApplication::setOrganizationName(QStringLiteral("rqscope"));
  QApplication::setApplicationName(QStringLiteral("rqscope"));
  const bool hasDisplay =
      !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
  const bool isPicture = !options.screenshot.empty();
  if (isPicture && !hasDisplay && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  if (isPicture) qInstallMessageHandler(dropPlatformNotes);
  QApplication application(argc, argv);
  const look::Theme theme = themeOf(options);
  look::setTextScale(application, options.textScale, theme);
  session::Session session;
  MainWindow window(session, theme, isPicture ? MainWindow::Settings::Ignore : MainWindow::Settings::Keep);
  if (options.width > 0 && options.height > 0) window.resize(options.width, options.height);
  std::unique_ptr<Photographer> photographer;
  if (isPicture) {
    window.setMotion(false);
    photographer = std::make_unique<Photographer>(window, session, options);
  }
  window.show();
  if (const QString error = openScenario(session, window, options); !error.isEmpty()) {
    QTextStream(stderr) << error << Qt::endl;
    return 1;
  }
  goThere(session, options);
  if (!options.publishedReport.empty()) {
    const QString error = window.openReport(QString::fromStdString(options.publishedReport));
    if (!error.isEmpty()) {
      QTextStream(stderr) << "rqscope: --published-report: " << error << Qt::endl;
      return 1;
    }
  }
  return QApplication::exec();
}

}  // namespace rqscope::app
