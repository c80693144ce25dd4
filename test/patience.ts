import type { PlaygroundOptions } from '@signalman/playground'
import type { AnswerTimes } from '../packages/slack/src/receive/deliveries.ts'
import type { BudgetLimits } from '../src/bot/pipeline/budgets.ts'

/**
 * A Slack that waits longer than 3 s, for tests that aren't about timeouts: a busy machine may not run a process for a second.
 */
export const PATIENT_SLACK = {
  ackTimeoutMs: 15_000,
  triggerLifeMs: 15_000,
} as const satisfies PlaygroundOptions['limits']

/** Times with which the app neither times out nor shows placeholders before such a Slack. */
export const PATIENT_APP: AnswerTimes = {
  takesMs: 10_000,
  answersMs: 12_000,
  opensWholeMs: 8000,
  placeholderMs: 12_000,
}

/** No limits, for load that stands for many people and comes from one. */
export const UNLIMITED: BudgetLimits = {
  personBurst: Number.POSITIVE_INFINITY,
  personPerMinute: Number.POSITIVE_INFINITY,
  personConcurrent: Number.POSITIVE_INFINITY,
  workspaceConcurrent: Number.POSITIVE_INFINITY,
  totalConcurrent: Number.POSITIVE_INFINITY,
}
