// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueues/numbers_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QTableWidget>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::runqueues {
namespace {

using look::qs;

constexpr std::size_t kMostSteps = 64;
constexpr int kMostRows = 9;

bool isSameSubject(const api::ValueRef& a, const api::ValueRef& b) {
  return a.cpu == b.cpu && a.task == b.task && a.group == b.group;
}

/// "-1 234 567": the whole integer, in groups of three.
QString integerText(std::int64_t value) {
  QString digits = QString::number(value < 0 ? 0 - static_cast<quint64>(value) : static_cast<quint64>(value));
  for (auto at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202F));
  return value < 0 ? QStringLiteral("-") + digits : digits;
}

QString unitText(api::Unit unit) {
  switch (unit) {
    case api::Unit::Nanoseconds:
      return QStringLiteral("ns");
    case api::Unit::VirtualNs:
      return QObject::tr("virtual ns");
    case api::Unit::Capacity:
      return QObject::tr("of 1024");
    case api::Unit::Load:
      return QObject::tr("load");
    case api::Unit::Weight:
      return QObject::tr("weight");
    case api::Unit::Tasks:
      return QObject::tr("tasks");
    case api::Unit::Cpus:
      return QObject::tr("CPUs");
    default:
      return {};
  }
}

}  // namespace

NumbersPanel::NumbersPanel(QWidget* parent)
    : QWidget(parent),
      m_subject(new QComboBox(this)),
      m_back(new QToolButton(this)),
      m_close(new QToolButton(this)),
      m_table(new QTableWidget(0, 2, this)),
      m_text(new QTextBrowser(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(buildStrip());
  buildTable();
  column->addWidget(m_table, 2);
  m_text->setFrameShape(QFrame::NoFrame);
  m_text->setOpenLinks(false);
  m_text->setAccessibleName(tr("How the number comes about"));
  m_text->installEventFilter(this);
  column->addWidget(m_text, 3);
  setMinimumWidth(200);
  connect(m_back, &QToolButton::clicked, this, &NumbersPanel::back);
  connect(m_close, &QToolButton::clicked, this, &NumbersPanel::closeWanted);
  connect(m_subject, &QComboBox::activated, this, &NumbersPanel::chooseSubject);
  connect(m_text, &QTextBrowser::anchorClicked, this, &NumbersPanel::openLink);
  connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (m_isFilling || row < 0) return;
    api::ValueRef ref = m_ref;
    ref.name = m_table->item(row, 0)->data(Qt::UserRole).toString().toStdString();
    follow(ref);
  });
}

QLayout* NumbersPanel::buildStrip() {
  auto* strip = new QHBoxLayout;
  strip->setContentsMargins(6, 4, 6, 4);
  m_back->setText(QStringLiteral("\u2190"));
  m_back->setToolTip(tr("Back to the number before (Backspace)"));
  m_back->setAccessibleName(tr("Back"));
  m_close->setText(QStringLiteral("\u00D7"));
  m_close->setToolTip(tr("Hide the numbers (Esc)"));
  m_close->setAccessibleName(tr("Hide"));
  m_subject->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_subject->setMinimumContentsLength(10);
  m_subject->setAccessibleName(tr("Numbers of"));
  strip->addWidget(m_back);
  strip->addWidget(m_subject, 1);
  strip->addWidget(m_close);
  return strip;
}

void NumbersPanel::buildTable() {
  m_table->setAccessibleName(tr("Numbers"));
  m_table->horizontalHeader()->hide();
  m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(static_cast<int>(20 * look::textScale()));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setShowGrid(false);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setTabKeyNavigation(false);
  m_table->installEventFilter(this);
}

void NumbersPanel::follow(const api::ValueRef& ref) {
  if (ref == m_ref) return refresh();
  if (!m_ref.name.empty()) m_way.push_back(m_ref);
  if (m_way.size() > kMostSteps) m_way.erase(m_way.begin());
  m_ref = ref;
  refresh();
}

void NumbersPanel::back() {
  if (m_way.empty()) return;
  m_ref = m_way.back();
  m_way.pop_back();
  refresh();
}

void NumbersPanel::refresh() {
  if (!m_ref.name.empty()) Q_EMIT numberWanted(m_ref);
}

void NumbersPanel::setNumbers(const std::vector<api::ShownValue>& shown,
                              const api::ExplainedValue& explained) {
  if (!(explained.ref == m_ref)) return;
  m_shown = shown;
  m_explained = explained;
  m_isFilling = true;
  fillSubjects();
  fillTable();
  m_isFilling = false;
  fillText();
  m_back->setEnabled(!m_way.empty());
}

void NumbersPanel::fillSubjects() {
  m_subject->clear();
  int current = -1;
  for (std::size_t i = 0; i < m_shown.size(); ++i) {
    if (i > 0 && isSameSubject(m_shown[i].ref, m_shown[i - 1].ref)) continue;
    if (isSameSubject(m_shown[i].ref, m_ref)) current = m_subject->count();
    m_subject->addItem(qs(m_shown[i].subject), static_cast<int>(i));
  }
  if (current < 0 && !m_explained.subject.empty()) {
    m_subject->addItem(qs(m_explained.subject), -1);
    current = m_subject->count() - 1;
  }
  m_subject->setCurrentIndex(current);
}

void NumbersPanel::fillTable() {
  m_table->setRowCount(0);
  int chosen = -1;
  for (const api::ShownValue& value : m_shown) {
    if (!isSameSubject(value.ref, m_ref)) continue;
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    auto* name = new QTableWidgetItem(qs(value.ref.name));
    name->setData(Qt::UserRole, qs(value.ref.name));
    name->setFont(look::monoFont());
    name->setToolTip(tr("Enter: how it comes about"));
    auto* number = new QTableWidgetItem(integerText(value.value));
    number->setFont(look::monoFont());
    number->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    number->setToolTip(unitText(value.unit));
    m_table->setItem(row, 0, name);
    m_table->setItem(row, 1, number);
    if (value.ref.name == m_ref.name) chosen = row;
  }
  if (chosen >= 0) m_table->setCurrentCell(chosen, 0);
  const int rows = std::min(m_table->rowCount(), kMostRows);
  m_table->setMaximumHeight(rows * m_table->verticalHeader()->defaultSectionSize() + 2);
  m_table->setVisible(rows > 0);
}

QString NumbersPanel::operandRow(const api::ValueOperand& operand, int number) const {
  const look::Palette& p = look::colors(this);
  QString name = qs(operand.name).toHtmlEscaped();
  if (operand.ref)
    name =
        QStringLiteral("<a href='operand:%1' style='color:%2'>%3</a>").arg(number).arg(p.accent.name(), name);
  return QStringLiteral(
             "<tr><td>%1</td><td align='right'>&nbsp;&nbsp;<code>%2</code></td>"
             "<td style='color:%4'>&nbsp;%3</td></tr>")
      .arg(name, integerText(operand.value), unitText(operand.unit), p.text2.name());
}

void NumbersPanel::fillText() {
  const look::Palette& p = look::colors(this);
  const api::ExplainedValue& e = m_explained;
  if (e.rule.empty()) {
    m_text->setHtml(QStringLiteral("<p style='color:%1'>%2</p>")
                        .arg(p.text2.name(), tr("There is no such number at this moment.")));
    return;
  }
  QString html = QStringLiteral("<p><b>%1</b> <span style='color:%2'>%3</span><br>%4</p>")
                     .arg(qs(e.ref.name).toHtmlEscaped(), p.text2.name(), qs(e.subject).toHtmlEscaped(),
                          qs(e.meaning).toHtmlEscaped());
  html += QStringLiteral("<p><code>%1</code><br><span style='color:%2'>%3 · %4</span></p><table>")
              .arg(qs(e.formula).toHtmlEscaped(), p.text2.name(), qs(e.function).toHtmlEscaped(),
                   qs(e.kernel).toHtmlEscaped());
  int number = 0;
  for (const api::ValueOperand& operand : e.operands) html += operandRow(operand, number++);
  html += QStringLiteral("</table><p><b>= <code>%1</code></b> <span style='color:%2'>%3</span></p>")
              .arg(integerText(e.result), p.text2.name(), unitText(e.unit));
  if (e.sinceNs >= 0 && e.sinceEvent.empty())
    html += QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(p.text2.name(),
                     tr("The queue was last brought up to date at %1.").arg(qs(look::timeText(e.sinceNs))));
  else if (e.sinceNs >= 0)
    html += QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(p.text2.name(), tr("Unchanged since %1 (%2); the operands are those of then.")
                                         .arg(qs(look::timeText(e.sinceNs)), qs(look::word(e.sinceEvent))));
  m_text->setHtml(html);
}

QString NumbersPanel::explanationText() const { return m_text->toPlainText(); }

void NumbersPanel::chooseSubject(int index) {
  const int first = m_subject->itemData(index).toInt();
  if (first < 0 || static_cast<std::size_t>(first) >= m_shown.size()) return;
  api::ValueRef ref = m_shown[static_cast<std::size_t>(first)].ref;
  // The same number of the other subject when it has it.
  for (const api::ShownValue& value : m_shown)
    if (isSameSubject(value.ref, ref) && value.ref.name == m_ref.name) ref = value.ref;
  follow(ref);
}

void NumbersPanel::openLink(const QUrl& url) {
  const auto number = static_cast<std::size_t>(url.path().toInt());
  if (url.scheme() != QStringLiteral("operand") || number >= m_explained.operands.size()) return;
  if (const auto ref = m_explained.operands[number].ref) follow(*ref);
}

void NumbersPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Backspace) return back();
  if (event->key() == Qt::Key_Escape) return Q_EMIT closeWanted();
  QWidget::keyPressEvent(event);
}

bool NumbersPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Backspace || key->key() == Qt::Key_Escape) {
      keyPressEvent(key);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void NumbersPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) QTimer::singleShot(0, this, &NumbersPanel::fillText);
}

}  // namespace rqscope::runqueues
