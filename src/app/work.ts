import type { Engine, WorkKind, WorkTimes } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type ActTimes, createActWork } from '../bot/acts.ts'
import { JOB_TIMES, type JobTimes } from '../bot/jobs/job-message.ts'
import { createJobWork } from '../bot/jobs/job-work.ts'
import { createSweepWork } from '../bot/retention/sweeping.ts'
import type { Backends } from './backends.ts'
import type { Bot } from './bot.ts'

/** Starts all background work. Disposing the engine stops it. */
export function startWork(deps: {
  bot: Bot
  backends: Backends
  log: Log
  engine: Engine & { start(kinds: readonly WorkKind[]): void }
  now: () => Date
  workTimes: Partial<WorkTimes & JobTimes & ActTimes> | undefined
  auditRetentionDays: number | undefined
}): void {
  const { bot, backends, log, now, workTimes, engine, auditRetentionDays } = deps
  const { find, run, makeContext, access, posting, queue } = bot
  const { store, clients } = backends
  const times = { ...JOB_TIMES, ...workTimes }
  const { steps, lateOutcomes } = store
  const jobDeps = {
    ...{ store: store.work, queue, makeContext, access, postDeps: posting },
    ...{ clients, log, now, times },
  }
  engine.start([
    createActWork({ steps, lateOutcomes, find, run, ...times }),
    ...bot.jobs.map((kind) => createJobWork(jobDeps, kind)),
    ...bot.workKinds,
    createSweepWork(store, auditRetentionDays),
  ])
}
