import type { PlaygroundOptions } from '@signalman/playground'
import type { AnswerTimes } from '../packages/slack/src/receive/deliveries.ts'
import type { BudgetLimits } from '../src/bot/pipeline/budgets.ts'

/** A Slack that waits longer than its 3 s, for what is not about them: a busy machine may run no process for a second. */
export const PATIENT_SLACK = {
  ackTimeoutMs: 15_000,
  triggerLifeMs: 15_000,
} as const satisfies PlaygroundOptions['limits']

/** An app that, before such a Slack, neither gives up nor says that it still asks. */
export const PATIENT_APP: AnswerTimes = {
  takesMs: 10_000,
  answersMs: 12_000,
  opensWholeMs: 8000,
  placeholderMs: 12_000,
}

/** For load that stands for many people and comes from one. */
export const UNLIMITED: BudgetLimits = {
  personBurst: Number.POSITIVE_INFINITY,
  personPerMinute: Number.POSITIVE_INFINITY,
  personAtOnce: Number.POSITIVE_INFINITY,
  workspaceAtOnce: Number.POSITIVE_INFINITY,
  atOnce: Number.POSITIVE_INFINITY,
}
