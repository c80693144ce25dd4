import type { PlaygroundOptions } from '@signalman/playground'
import type { RequestDeadlines } from '../packages/slack/src/receive/deliveries.ts'
import type { AppDeps } from '../src/app.ts'
import type { BudgetLimits } from '../src/bot/request/budgets.ts'

/**
 * Makes the playground's Slack wait longer than 3 s, for tests that aren't about timeouts. On a busy machine, a process may not run
 * for a second.
 */
export const LONG_SLACK_TIMEOUTS = {
  ackTimeoutMs: 15_000,
  triggerLifeMs: 15_000,
} as const satisfies PlaygroundOptions['limits']

/** Gives the app more time to respond as well, so that it neither times out nor shows placeholders. */
export const LONG_DEADLINES: RequestDeadlines = {
  storeDeadlineMs: 10_000,
  responseDeadlineMs: 12_000,
  modalDeadlineMs: 8000,
  placeholderMs: 12_000,
}

/** No limits, for tests in which one person sends the requests of many. */
export const UNLIMITED: BudgetLimits = {
  personBurst: Number.POSITIVE_INFINITY,
  personPerMinute: Number.POSITIVE_INFINITY,
  workspaceConcurrent: Number.POSITIVE_INFINITY,
}

/** The tests change the health checks beside the app, and would look for a name among those of an earlier one. */
export const KEEP_NO_NAMES: AppDeps['serviceLimits'] = { namesKeptMs: 0 }
