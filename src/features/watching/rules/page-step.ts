import { HOUR_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import { readDuration } from '../../../domain/dates/duration.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import type { PageStep } from './watch.ts'

const MIN_AFTER_MS = 5 * MINUTE_MS
const MAX_RESPONDERS = 5
const MAX_STEPS = 3
/** Longer than any name or handle in Slack, with its @. */
const MAX_NAME_LENGTH = 82
const USAGE = 'needs how long to wait and whom to page, such as "10m @on-call" or "10m @on-call, 30m @lead".'

/** Reads typed steps, such as `10m @on-call @ann, 30m @lead`. Throws UserError. */
export function parsePageSteps(typed: string): PageStep[] {
  const steps = typed.split(',').map(parseStep)
  if (steps.length > MAX_STEPS) throw new UserError(`takes up to ${MAX_STEPS} steps.`)
  if (steps.some(({ afterMs }, index) => afterMs <= (steps[index - 1]?.afterMs ?? 0)))
    throw new UserError('needs steps that each wait longer than the one before.')
  return steps
}

function parseStep(typed: string): PageStep {
  const [time = '', ...names] = cleanTyped(typed).split(' ')
  const minutes = readDuration(time)
  const responders = names.map((name) => ({ name: name.replace(/^@?/, '@') }))
  const isTooLong = responders.some(({ name }) => name.length > MAX_NAME_LENGTH)
  if (minutes === undefined || responders.length === 0 || responders.length > MAX_RESPONDERS || isTooLong)
    throw new UserError(USAGE)
  const afterMs = minutes * MINUTE_MS
  if (afterMs < MIN_AFTER_MS || afterMs > 24 * HOUR_MS) throw new UserError('needs a time from 5m to 24h.')
  return { afterMs, responders }
}

/** Formats steps the way people type them. */
export const formatPageSteps = (steps: readonly PageStep[]): string =>
  steps
    .map(
      ({ afterMs, responders }) => `${afterMs / MINUTE_MS}m ${responders.map(({ name }) => name).join(' ')}`,
    )
    .join(', ')

/** How long after the beginning the page after `pages` earlier ones is due. After the last step, it repeats. */
export function getPageDelay(steps: readonly PageStep[], pages: number): number {
  const last = steps.at(-1)?.afterMs ?? 0
  const gap = last - (steps.at(-2)?.afterMs ?? 0)
  return steps[pages]?.afterMs ?? last + gap * (pages - steps.length + 1)
}
