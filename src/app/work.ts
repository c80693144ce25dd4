import { type Acts, type ActTimes, actWork, createActs } from '../bot/acts/acts.ts'
import { anchorWork } from '../bot/audit/anchor.ts'
import { createPutRecord } from '../bot/audit/anchor-targets.ts'
import { JOB_TIMES, type JobTimes } from '../bot/jobs/job-times.ts'
import { jobWork } from '../bot/jobs/job-work.ts'
import type { RunRequest } from '../bot/requests/request-handler.ts'
import { createRunRequest } from '../bot/requests/run-request.ts'
import { sweeping } from '../bot/retention/sweeping.ts'
import type { AnchorTarget } from '../domain/audit-anchor.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AnswerTimes } from '../slack/receive/answer-times.ts'
import type { Tracer } from '../tracing/span.ts'
import { type Engine, startEngine } from '../work/engine.ts'
import type { WorkTimes } from '../work/lease-times.ts'
import type { Bot } from './bot.ts'
import type { Outside } from './outside.ts'

/** Starts whatever is done without a request, and what makes a request an act. Disposing of the engine ends it. */
export async function startWork(parts: {
  bot: Bot
  outside: Outside
  log: Log
  metrics: Metrics
  tracer: Tracer | undefined
  /** Where the signed ends of the audit log are put. */
  anchor: AnchorTarget | undefined
  now: () => Date
  workTimes: Partial<WorkTimes & JobTimes & ActTimes> | undefined
  answerTimes: AnswerTimes
}): Promise<{ engine: Engine; acts: Acts; runRequest: RunRequest }> {
  const { bot, outside, log, anchor, now, workTimes, answerTimes, metrics, tracer } = parts
  const { requestHandlers, routes, replies, orderWork, watchWork, caseWork } = bot
  const { makeContext, access, messenger, postOnce } = bot
  const { store, clients } = outside
  const times = { ...JOB_TIMES, ...workTimes }
  const runRequest = createRunRequest({ replies, log, handled: metrics.handled })
  const acting = { steps: store.recordedSteps, journal: store.outcomeJournal, runRequest, log, times }
  const jobs = { store: store.work, makeContext, access, messenger, postOnce, clients, log, now, times }
  // Before anybody looks at what was begun: of some of it this machine knows how it ended.
  await store.outcomeJournal.reconcile()
  const engine = startEngine({
    store: store.work,
    beforeTakeOver: () => store.outcomeJournal.reconcile(),
    kinds: [
      actWork({ ...acting, requestHandlers, replies, now }),
      ...routes.jobs.map((kind) => jobWork(jobs, kind)),
      ...orderWork,
      ...watchWork,
      ...caseWork,
      sweeping(store, now, log),
      ...(anchor
        ? [anchorWork({ store, put: createPutRecord(anchor, clients, outside.observe), now, log })]
        : []),
    ],
    log,
    tracer,
    times: workTimes,
  })
  return { engine, acts: createActs({ ...acting, engine, store: store.work, answerTimes }), runRequest }
}
