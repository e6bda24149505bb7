// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/scheduler.h"
#include "engine/sim_state.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Moves a SimState from event to event: the one step primitive, stepEvent(). Every other way to run (until,
/// seek, replay, fast) is a loop around it. Simultaneous events happen in the order (time, kind, CPU,
/// sequence); marks that an event leaves on CPUs (reschedule, softirq, stopper) are served within it, lowest
/// CPU first.
class Simulator final : private Observer {
  friend class RecordDriver;  // does what a record shows instead of running programs

 public:
  explicit Simulator(SimState state) : m_state(std::move(state)) {}
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  SimState& state() { return m_state; }
  const SimState& state() const { return m_state; }
  /// Told of everything that happens, after the simulator's own accounts; nullptr: nobody.
  void setObserver(Observer* observer) { m_observer = observer; }

  /// The event that stepEvent() would run; kind None after the End event.
  SimEvent nextEvent() const;
  /// Runs one event. False, and state().isAtEnd, when there is none.
  bool stepEvent();

 private:
  /// What a program event led to: the next one, the same one later, a wait, or the thread's end.
  enum class Progress : std::uint8_t { Next, Again, Blocked, Ended };

  /// An event as two numbers, which compare in the order of simultaneous events: its time, then its kind,
  /// CPU and subject.
  struct EventKey {
    std::uint64_t timeNs = UINT64_MAX;
    std::uint64_t rank = UINT64_MAX;  ///< all bits: no event
  };

  // The event loop: simulator.cpp.
  static std::uint64_t rankOf(SimEventKind kind, CpuId cpu, std::int32_t subject);
  static void consider(EventKey& best, std::uint64_t timeNs, std::uint64_t rank);
  EventKey findNext() const;
  static SimEvent eventOf(const EventKey& key);
  void lookAhead() const;
  EventKey nextTick() const;
  EventKey nextOffsetTick() const;
  void considerQueues(EventKey& best) const;
  void considerScript(EventKey& best) const;
  void considerGroupPeriods(EventKey& best) const;
  std::uint64_t endNs() const;
  bool isFinished() const;
  void advanceTime(std::uint64_t timeNs);
  void dispatch(const SimEvent& event);
  void tick(CpuId cpu);
  void hrtick(CpuId cpu);
  void groupPeriod(GroupId group);
  void servePending();
  UserReturn userReturnOf(CpuId cpu) const;
  bool isComingOutOfIdle(CpuId cpu);
  void idleExit(CpuId cpu);

  // A balance softirq that takes time: timed_softirq.cpp.
  bool isInSoftirq(CpuId cpu);
  void softirqStep(CpuId cpu);
  CallTiming timingOf(const SoftirqWork& work) const;
  bool goOnIn(CpuId cpu, std::uint64_t ns);
  bool runCall(CpuId cpu, SoftirqWork& work);
  std::uint64_t drawn(const std::vector<std::uint64_t>& values, CpuId cpu) const;

  void finishEvent(const SimEvent& event);
  void refreshCpu(CpuId cpu);
  void refreshTouched();
  void refreshHrtick(CpuId cpu);
  void changeActivity(CpuId cpu, bool runs);
  void enterIdle(CpuId cpu);
  void startTick(CpuId cpu);
  void recountIdleWaiting();
  void mixIntoHash(const SimEvent& event);

  // Contended lines and costs by distance: simulator_costs.cpp.
  void beginWakeup(const Placement& placement);
  void endWakeup();
  bool isLeftToItsCpu(TaskId task, CpuId waker);
  void noteLeaving(const Switch& sw);
  AccessEnvironment accessEnvironment(CpuId cpu) const;
  std::uint64_t migrationCostNs(CpuId from, CpuId to) const;
  std::uint64_t slowed(CpuId cpu, std::uint64_t ns) const;
  void shareCore(CpuId cpu);
  void lockRq(CpuId asking, CpuId locked);
  std::uint64_t runqueueLinesNs(CpuId asking, CpuId locked);
  void accessTgLoadAvg(GroupId group, CpuId cpu, bool isWrite);

  // What happens to threads: threads.cpp, thread_events.cpp,
  // work_clock.cpp.
  void launch(std::size_t number);
  TaskId startThread(std::int32_t programIndex, TaskId parent, CpuId cpu);
  void startAsleep(TaskId task, const ProgramEvent& timer);
  void initThread(TaskId task, std::int32_t programIndex);
  void settle(CpuId cpu, TaskId task);
  void readClock(ThreadState& t) const;
  void countByClock(const Switch& sw);
  void leaveByClock(CpuId cpu, TaskId task);
  void returnByClock(CpuId cpu, TaskId task);
  std::uint64_t lastReadNs(CpuId cpu) const;
  void arm(CpuId cpu, TaskId task);
  std::uint64_t nextClockReadNs(CpuId cpu, TaskId task) const;
  void readOwnClock(CpuId cpu);
  std::uint64_t rateOf(CpuId cpu, const ThreadState& thread) const;
  void continueThread(CpuId cpu);
  bool advance(CpuId cpu, TaskId task);
  bool nextPosition(TaskId task);
  Progress runEvent(CpuId cpu, TaskId task, const ProgramEvent& event);
  Progress runWaiting(CpuId cpu, TaskId task, const ProgramEvent& event);
  Progress sleepUntil(CpuId cpu, TaskId task, std::uint64_t timeNs, CpuId timerCpu);
  Progress waitTimer(CpuId cpu, TaskId task, const ProgramEvent& event);
  Progress lockMutex(CpuId cpu, TaskId task, std::int32_t mutex);
  void unlockMutex(TaskId task, CpuId cpu, std::int32_t mutex);
  Progress waitCondition(CpuId cpu, TaskId task, const ProgramEvent& event);
  Progress passBarrier(CpuId cpu, TaskId task, std::int32_t barrier);
  Progress takeSemaphore(CpuId cpu, TaskId task, std::int32_t semaphore);
  Progress block(CpuId cpu, TaskId task, WaitKind kind, std::int32_t object);
  std::uint64_t pipeLinesNs(CpuId cpu, PipeState& pipe, const ProgramPipe& what);
  void payPipeLines(CpuId cpu, TaskId task, PipeState& pipe, const ProgramPipe& what);
  std::uint64_t fileLineNs(CpuId cpu, PipeState& pipe, const ProgramPipe& what);
  void payFileLine(CpuId cpu, TaskId task, PipeState& pipe, const ProgramPipe& what);
  Progress waitAtPipe(CpuId cpu, TaskId task, WaitKind kind, std::int32_t pipe);
  void wakeAtPipe(WaitQueue& queue, CpuId cpu, const ProgramPipe& what);
  Progress writePipe(CpuId cpu, TaskId task, std::int32_t pipe);
  Progress readPipe(CpuId cpu, TaskId task, std::int32_t pipe);
  void wakeFirst(WaitQueue& queue, CpuId wakerCpu, std::uint32_t wakeFlags = 0);
  void wakeAll(WaitQueue& queue, CpuId wakerCpu);
  void wakeThread(TaskId task, CpuId wakerCpu, std::uint32_t wakeFlags = 0);
  void leaveWaitQueue(TaskId task);
  WaitQueue* queueOf(WaitKind kind, std::int32_t object);
  void timerFired(TaskId task, CpuId cpu);
  void exitThread(CpuId cpu, TaskId task);
  void leaveGroupAtExit(CpuId cpu);
  void applySettings(TaskId task, const ThreadProgram& what, const ProgramSettings& settings, CpuId caller);
  void changeAffinity(TaskId task, const CpuMask& mask, CpuId caller);
  bool isRestricted(TaskId task) const;
  std::uint64_t drawNs(const ProgramEvent& event);

  // The mutex of a pipe: pipe_lock.cpp.
  Progress lockPipe(CpuId cpu, TaskId task, std::int32_t pipe);
  void unlockPipe(CpuId cpu, TaskId task, std::int32_t pipe);
  void takePipe(CpuId cpu, TaskId task, std::int32_t pipe);
  void grantPipe(TaskId task, std::int32_t pipe, std::uint64_t sinceNs);
  void sleepForPipe(CpuId cpu, TaskId task, std::int32_t pipe);
  void spinnersGiveUp(std::int32_t pipe);
  void leaveCpuAtPipe(TaskId task);
  void dropPipe(CpuId cpu, TaskId task);

  // Kernel work that takes CPU time: kernel_time.cpp.
  std::uint64_t owedUntil(CpuId cpu) const;
  void chargeCpu(CpuId cpu, std::uint64_t ns);
  void payCharges(CpuId cpu);
  void countLatency(ThreadState& thread);
  std::uint64_t sharedQueueNodesNs(SharedQueueUse use, std::uint32_t entries) const;
  void holdSharedQueue(SharedQueueLock& lock, std::uint64_t nodesNs);

  // The script: operations.cpp, hotplug.cpp.
  bool runOperation(const Operation& operation);
  void runTaskOperation(const Operation& operation, TaskId task);
  bool runCpuOperation(const Operation& operation);
  bool runGroupOperation(const Operation& operation);
  bool forkByScript(const Operation& operation);
  void wakeByScript(TaskId task, CpuId cpu);
  void killByScript(TaskId task);
  bool setCpuOnline(CpuId cpu, bool online);
  void recountRestricted();
  std::vector<TaskId> tasksNamed(std::string_view name) const;
  GroupId groupNamed(std::string_view name) const;

  // Observer: accounts first, then whoever watches. simulator_observer.cpp.
  bool wantsDecisions() const override;
  void onPlaceEntity(const Machine& m, const PlacedEntity& placed) override;
  void onSwitch(const Machine& m, const Switch& sw) override;
  void onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) override;
  void onWakeup(const Machine& m, TaskId task, CpuId cpu) override;
  void onNewTask(const Machine& m, TaskId task) override;
  void onTaskDead(const Machine& m, TaskId task) override;
  void onTick(const Machine& m, CpuId cpu) override;
  void onSoftirq(const Machine& m, CpuId cpu, bool idle) override;
  void onNohzKick(const Machine& m, CpuId by, CpuId target, std::uint32_t flags) override;
  void onNewidleBegin(const Machine& m, CpuId cpu) override;
  void onNewidleEnd(const Machine& m, CpuId cpu, int pulled) override;
  void onNewidleSkip(const Machine& m, const NewidleSkip& skip) override;
  void onBalanceBegin(const Machine& m, const BalancePass& pass) override;
  void onPlacementBegin(const Machine& m, const PlacementCall& call) override;
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onPlacement(const Machine& m, const Placement& placement) override;
  void onSharedQueueLock(const Machine& m, std::int32_t queue, SharedQueueUse use,
                         std::uint32_t entries) override;
  void onTgLoadAvgAccess(const Machine& m, GroupId group, CpuId cpu, bool write) override;

  Context context() { return {m_state.machine, *this}; }
  ThreadState& thread(TaskId task) { return m_state.workload.threads[task.index()]; }
  const Workload& program() const { return m_state.plan->workload; }

  SimState m_state;
  Observer* m_observer = nullptr;
  CpuId m_actingCpu;  ///< whose kernel code runs, within an event
  CpuId m_wakerCpu;   ///< while the CPU that was chosen for a wakeup does the rest of it
  CpuId m_lockedRq;   ///< whose queue's lock is held now
};

}  // namespace rqscope
