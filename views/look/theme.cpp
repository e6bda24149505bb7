// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>
#include <algorithm>

#include "look/fonts.h"

namespace rqscope::look {
namespace {

const char* const kSheet = R"(
QToolTip { background: @raise; color: @text; border: 1px solid @line2; padding: 3px 6px; }
QMainWindow::separator { background: @line; width: 5px; height: 5px; }
QMainWindow::separator:hover { background: @accent; }
QMenuBar { background: @window; padding: 2px 4px; border-bottom: 1px solid @line; }
QMenuBar::item { padding: 4px 9px; border-radius: 3px; background: transparent; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @hover; }
QMenu { background: @window; border: 1px solid @line2; padding: 4px; }
QMenu::item { padding: 4px 26px 4px 22px; border-radius: 3px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @text3; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }
QToolBar { background: @window; border: 0; border-bottom: 1px solid @line; spacing: 2px; padding: 2px 6px; }
QToolBar::separator { background: @line; width: 1px; margin: 5px 7px; }
QToolBar QToolButton { border: 1px solid transparent; border-radius: 3px; padding: 3px 5px; }
QToolBar QToolButton:hover { background: @hover; }
QToolBar QToolButton:pressed, QToolBar QToolButton:checked { background: @selection; }
QToolBar QToolButton:focus { border: 1px solid @accent; }
rqscope--look--ToolStrip QToolButton { background: @raise; border: 1px solid @line2; border-radius: 3px;
  padding: 2px 14px 2px 7px; min-height: 18px; }
rqscope--look--ToolStrip QToolButton::menu-indicator { subcontrol-position: right center; right: 3px; }
QStatusBar { background: @window; border-top: 1px solid @line; }
QStatusBar::item { border: 0; }
QTabBar { qproperty-drawBase: 0; background: @head; }
QTabBar::tab { background: @head; color: @text2; padding: 4px 13px 5px 13px; border: 0;
  border-top: 2px solid transparent; }
QTabBar::tab:selected { background: @dock; color: @text; border-top: 2px solid @accent; font-weight: 600; }
QTabBar::tab:hover:!selected { background: @hover; }
QComboBox { background: @raise; border: 1px solid @line2; border-radius: 3px; padding: 2px 4px 2px 7px; min-height: 18px; }
QComboBox:hover { background: @hover; }
QComboBox:focus { border: 1px solid @accent; }
QComboBox::drop-down { border: 0; width: 18px; }
QComboBox::down-arrow { image: none; width: 0; height: 0; border-left: 4px solid @raise;
  border-right: 4px solid @raise; border-top: 5px solid @text2; margin-right: 6px; }
QComboBox QAbstractItemView { background: @window; border: 1px solid @line2; selection-background-color: @selection;
  selection-color: @text; outline: 0; }
QPushButton, QDialogButtonBox QPushButton { background: @raise; border: 1px solid @line2; border-radius: 3px;
  padding: 3px 10px; min-height: 18px; }
QPushButton:hover { background: @hover; }
QPushButton:focus { border: 2px solid @accent; padding: 2px 9px; }
QPushButton:disabled { color: @text3; border-color: @line; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; }
QLineEdit, QPlainTextEdit, QSpinBox { background: @canvas; border: 1px solid @line2; border-radius: 3px;
  padding: 2px 5px; selection-background-color: @selection; selection-color: @text; }
QPlainTextEdit { border: 0; border-radius: 0; }
QLineEdit:focus { border: 1px solid @accent; }
QHeaderView { background: @head; }
QHeaderView::section { background: @head; color: @text2; border: 0; border-right: 1px solid @line;
  border-bottom: 1px solid @line; padding: 3px 7px; }
QTreeView, QTableView, QListView { background: @dock; alternate-background-color: @alternate; border: 0;
  outline: 0; gridline-color: @line; }
QTreeView::item, QTableView::item, QListView::item { padding: 0 4px; min-height: 21px; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: @selection;
  color: @text; }
QTreeView:focus, QTableView:focus, QListView:focus { border: 1px solid @accent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line2; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea { border: 0; background: @dock; }
QProgressBar { background: @line; border: 0; border-radius: 2px; }
QProgressBar::chunk { background: @text3; border-radius: 2px; }
QSlider::groove:horizontal { height: 3px; background: @line2; border-radius: 1px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 1px; }
QSlider::handle:horizontal { background: @raise; border: 2px solid @text3; width: 10px; height: 10px;
  margin: -6px 0; border-radius: 7px; }
QSlider::handle:horizontal:focus { border-color: @accent; }
QCheckBox:focus { color: @accent; }
QCheckBox::indicator { width: 12px; height: 12px; background: @canvas; border: 1px solid @text3; border-radius: 2px; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/@tick.svg); }
QCheckBox::indicator:focus { border-color: @accent; }
)";

QString sheetFor(const Palette& p) {
  QString sheet = QString::fromLatin1(kSheet);
  // Longer names first: "@line2" before "@line", "@text2" before "@text".
  const std::pair<const char*, QColor> colors[] = {
      {"@alternate", mix(p.head, p.dock, 0.5)},
      {"@selection", p.selection},
      {"@onAccent", p.theme == Theme::Dark ? QColor(0x12, 0x16, 0x1B) : QColor(Qt::white)},
      {"@accent", p.accent},
      {"@canvas", p.canvas},
      {"@window", p.window},
      {"@raise", p.raise},
      {"@hover", p.hover},
      {"@line2", p.line2},
      {"@line", p.line},
      {"@text2", p.text2},
      {"@text3", p.text3},
      {"@text", p.text},
      {"@head", p.head},
      {"@dock", p.dock}};
  for (const auto& [name, color] : colors) sheet.replace(QString::fromLatin1(name), color.name());
  sheet.replace(QStringLiteral("@tick"),
                p.theme == Theme::Dark ? QStringLiteral("check-dark") : QStringLiteral("check-light"));
  return sheet;
}

}  // namespace

void applyTheme(QApplication& application, Theme theme) {
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(qtPalette(theme));
  QApplication::setFont(uiFont());
  application.setStyleSheet(sheetFor(palette(theme)));
}

void setTextScale(QApplication& application, double scale, Theme theme) {
  application.setProperty("rqscopeTextScale", std::clamp(scale, 0.8, 2.0));
  applyTheme(application, theme);
}

}  // namespace rqscope::look
