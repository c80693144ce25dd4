import { HOUR_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import { readDuration } from '../../../domain/dates/duration.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import type { PageStep } from './watch.ts'

const MIN_AFTER_MS = 5 * MINUTE_MS
const MAX_RESPONDERS = 5
/** Longer than any name or handle in Slack, with its @. */
const MAX_NAME_LENGTH = 82
const USAGE = 'needs how long to wait and whom to page, such as "10m @on-call @ann".'

/** Reads a typed step, such as `10m @on-call @ann`. Throws UserError. */
export function parsePageStep(typed: string): PageStep {
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

/** Formats a step the way people type it. */
export const formatPageStep = ({ afterMs, responders }: PageStep): string =>
  `${afterMs / MINUTE_MS}m ${responders.map(({ name }) => name).join(' ')}`
