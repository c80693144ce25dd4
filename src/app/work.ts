import type { Engine, WorkKind, WorkTimes } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { RequestDeadlines } from '@signalman/slack'
import { type Acts, type ActTimes, createActs, createActWork } from '../bot/acts/acts.ts'
import { JOB_TIMES, type JobTimes } from '../bot/jobs/job-message.ts'
import { createJobWork } from '../bot/jobs/job-work.ts'
import { createRunRequest } from '../bot/pipeline/pipeline.ts'
import type { RunRequest } from '../bot/request/contract.ts'
import { createSweepWork } from '../bot/retention/sweeping.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Backends } from './backends.ts'
import type { Bot } from './bot.ts'

/** Starts all background work, and returns the functions that run acts and requests. Disposing the engine stops the work. */
export async function startWork(deps: {
  bot: Bot
  backends: Backends
  log: Log
  metrics: Metrics
  engine: Engine & { start(kinds: readonly WorkKind[]): void }
  now: () => Date
  workTimes: Partial<WorkTimes & JobTimes & ActTimes> | undefined
  requestDeadlines: RequestDeadlines
}): Promise<{ acts: Acts; runRequest: RunRequest }> {
  const { bot, backends, log, now, workTimes, requestDeadlines, metrics, engine } = deps
  const { findHandler, routes, openSlot, makeContext, access, posting } = bot
  const { store, clients } = backends
  const times = { ...JOB_TIMES, ...workTimes }
  const runRequest = createRunRequest({ openSlot, log, onHandled: metrics.recordRequest })
  const actDeps = { steps: store.recordedSteps, lateOutcomes: store.lateOutcomes, runRequest, log, times }
  const jobDeps = { store: store.work, makeContext, access, postDeps: posting, clients, log, now, times }
  engine.start([
    createActWork({ ...actDeps, findHandler, openSlot }),
    ...routes.jobs.map((kind) => createJobWork(jobDeps, kind)),
    ...bot.workKinds,
    createSweepWork(store, now, log),
  ])
  return { acts: createActs({ ...actDeps, engine, store: store.work, requestDeadlines }), runRequest }
}
