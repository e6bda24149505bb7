// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QScrollArea>
#include <QTest>
#include <QTreeWidget>

#include "domains/domains_view.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "rqscope/topology.h"

namespace rqscope::domains {
namespace {

/// A frame of an idle machine.
std::shared_ptr<const api::Frame> frameOf(const std::string& machine) {
  const api::MachineTopology topology = api::machineTopology(machine, "v6.12");
  EXPECT_TRUE(topology.layout) << machine;
  auto frame = std::make_shared<api::Frame>();
  frame->layout = topology.layout;
  for (const api::LayoutCpu& cpu : topology.layout->cpus) {
    api::CpuFrame out;
    out.id = cpu.id;
    out.online = cpu.online;
    frame->cpus.push_back(out);
  }
  frame->groups.resize(topology.layout->groups.size());
  for (api::GroupFrame& group : frame->groups) group.type = "has_spare";
  frame->domains.resize(topology.layout->domains.size());
  return frame;
}

QStringList namesIn(const QTreeWidget& tree) {
  QStringList names;
  for (int i = 0; i < tree.topLevelItemCount(); ++i) names << tree.topLevelItem(i)->text(0);
  return names;
}

// Levels of one name are numbered as in the list of levels, from the lowest.
TEST(DomainsView, NumbersLevelsOfOneName) {
  DomainsView view;
  view.setFrame(frameOf("hypertransport-8node"));
  view.setSelectedCpu(8);
  EXPECT_EQ(namesIn(*view.tree()).filter(QStringLiteral("NUMA")),
            (QStringList{QStringLiteral("NUMA 2"), QStringLiteral("NUMA 1")}));
  view.setFrame(frameOf("juno-r2"));
  EXPECT_EQ(namesIn(*view.tree()), (QStringList{QStringLiteral("PKG"), QStringLiteral("MC")}));
}

// Where there is nothing to show it says why, and shows no figures of something seen before.
TEST(DomainsView, SaysWhyACpuIsInNoDomain) {
  DomainsView view;
  view.resize(260, 270);
  view.setFrame(frameOf("juno-r2"));
  EXPECT_EQ(view.tree()->accessibleDescription(), QString());
  view.setFrame(frameOf("1 core"));
  EXPECT_EQ(view.tree()->topLevelItemCount(), 0);
  EXPECT_TRUE(view.tree()->accessibleDescription().contains(QStringLiteral("one CPU")));
  view.setFrame(frameOf("4 cores, offline 2"));
  view.setSelectedCpu(2);
  EXPECT_TRUE(view.tree()->accessibleDescription().contains(QStringLiteral("CPU 2 is offline")));
  view.setFrame(frameOf("4 cores, isolated 2"));
  EXPECT_TRUE(view.tree()->accessibleDescription().contains(QStringLiteral("CPU 2 is isolated")));
  view.setSelectedCpu(1);
  EXPECT_EQ(view.tree()->accessibleDescription(), QString());
}

// At any height both lists end with a whole row.
TEST(DomainsView, CutsNoRow) {
  DomainsView view;
  view.setFrame(frameOf("juno-r2"));
  view.show();
  for (int height = 240; height < 300; height += 7) {
    view.resize(262, height);
    QTest::qWait(5);
    const auto* facts = view.findChild<QScrollArea*>();
    ASSERT_TRUE(facts);
    EXPECT_EQ((facts->viewport()->height() - 6) % static_cast<int>(20 * look::textScale()), 0) << height;
    const int row = view.tree()->visualItemRect(view.tree()->topLevelItem(0)).height();
    EXPECT_LE(view.tree()->viewport()->height() % row, 4) << height;
  }
}

}  // namespace
}  // namespace rqscope::domains
