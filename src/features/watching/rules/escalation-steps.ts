import { HOUR_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import { readDuration } from '../../../domain/dates/duration.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'

/** A user group or person. `id` is undefined until the typed name is looked up. */
export interface Responder {
  readonly name: string
  readonly id?: string | undefined
  readonly isGroup?: boolean | undefined
}

/** Pages these people if nobody is on the outage for this long. */
export interface EscalationStep {
  readonly afterMs: number
  readonly responders: readonly Responder[]
  /** When the step was saved, on the watch clock. */
  readonly savedMs?: number | undefined
}

const MAX_STEPS = 3
/** `an hour and 30 minutes` */
const MAX_DURATION_WORDS = 5
const MAX_RESPONDERS = 5
/** Longer than any name or handle in Slack, with its @. */
const MAX_NAME_LENGTH = 82
const USAGE =
  'takes 1 to 3 steps, such as "10m @on-call, 30m @lead @ann". Each step says how long to wait and who to page.'

/** Reads typed steps, such as `10m @on-call, 30m @lead`. Throws UserError. */
export function parseEscalation(typed: string): readonly EscalationStep[] {
  const steps = cleanTyped(typed)
    .split(',')
    .map((part) => {
      const words = part.trim().split(' ')
      const { minutes, count } = readLeadingDuration(words)
      const afterMs = (minutes ?? 0) * MINUTE_MS
      const responders = words.slice(count).map((name) => ({ name: name.replace(/^@?/, '@') }))
      if (
        minutes === undefined ||
        responders.length === 0 ||
        responders.length > MAX_RESPONDERS ||
        responders.some(({ name }) => name.length > MAX_NAME_LENGTH)
      )
        throw new UserError(USAGE)
      if (afterMs < MINUTE_MS || afterMs > 24 * HOUR_MS)
        throw new UserError('needs waiting times from 1m to 24h.')
      return { afterMs, responders }
    })
  const isAscending = steps.every(({ afterMs }, index) => afterMs > (steps[index - 1]?.afterMs ?? 0))
  if (steps.length > MAX_STEPS || !isAscending) throw new UserError(USAGE)
  return steps
}

/** Reads the duration at the start, which can have several words, such as `90 minutes`. */
function readLeadingDuration(words: readonly string[]): { minutes: number | undefined; count: number } {
  for (let count = Math.min(words.length, MAX_DURATION_WORDS); count > 0; count -= 1) {
    const minutes = readDuration(words.slice(0, count).join(' '))
    if (minutes !== undefined) return { minutes, count }
  }
  return { minutes: undefined, count: 0 }
}
/** Remembers when each step was saved: a step that a watch had before keeps its time. */
export const keepStepTimes = (
  steps: readonly EscalationStep[],
  before: readonly EscalationStep[],
  clockMs: number,
): readonly EscalationStep[] =>
  steps.map(({ afterMs, responders }) => {
    const same = before.find((one) => formatEscalation([one]) === formatEscalation([{ afterMs, responders }]))
    return { afterMs, responders, savedMs: same?.savedMs ?? clockMs }
  })

/** Formats steps the way people type them. */
export const formatEscalation = (steps: readonly EscalationStep[]): string =>
  steps.map(({ afterMs, responders }) => `${afterMs / MINUTE_MS}m ${formatNames(responders)}`).join(', ')

export const formatNames = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')
