import { formatDuration, HOUR_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import { cmd } from '../../../domain/command-names.ts'
import { parseDuration } from '../../../domain/dates/duration.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import type { PageStep, Responder } from './watch.ts'

const MIN_AFTER_MS = 5 * MINUTE_MS
const MAX_RESPONDERS = 5
/** Longer than any name or handle in Slack, with its @. */
const MAX_NAME_LENGTH = 82
const MAX_STEPS = 5
/** `1 day 2 hours 30 minutes` */
const MAX_TIME_WORDS = 8
const createUsage = () =>
  `needs how long to wait and whom to page, such as "10m @on-call", and more steps after commas: "10m @on-call, 30m @lead". To page nobody, leave it out, or empty it with Change in ${cmd('/hc watches')}.`

/** Parses steps as they are typed, such as `10m @on-call @ann, 30m @lead`. Throws UserError. */
export function parsePageSteps(typed: string): readonly PageStep[] {
  const steps = cleanTyped(typed)
    .split(/\s*,\s*/)
    .map(parseStep)
  if (steps.length > MAX_STEPS) throw new UserError(`takes up to ${MAX_STEPS} steps.`)
  if (steps.some(({ afterMs }, index) => afterMs <= (steps[index - 1]?.afterMs ?? 0)))
    throw new UserError(
      'needs each step to wait longer than the one before: all times count from the same moment.',
    )
  return steps
}

function parseStep(typed: string): PageStep {
  const words = typed.split(' ')
  // `10m`, `10 min`, or `1h 30m`. A duration after a name is another step, without its comma.
  const count =
    words.slice(0, MAX_TIME_WORDS).findLastIndex((_, index) => isDuration(words.slice(0, index + 1))) + 1
  const minutes = parseDuration(words.slice(0, count).join(' '))
  const names = words.slice(count)
  const responders = names.map((name) => ({ name: name.replace(/^@?/, '@') }))
  const isName = (name: string): boolean => name.length < MAX_NAME_LENGTH && !isDuration([name])
  if (minutes === undefined || names.length === 0 || names.length > MAX_RESPONDERS || !names.every(isName))
    throw new UserError(createUsage())
  const afterMs = minutes * MINUTE_MS
  if (afterMs < MIN_AFTER_MS || afterMs > 24 * HOUR_MS) throw new UserError('needs a time from 5m to 24h.')
  return { afterMs, responders }
}

const isDuration = (words: readonly string[]): boolean => parseDuration(words.join(' ')) !== undefined

export const formatPageSteps = (steps: readonly PageStep[]): string =>
  steps
    .map(({ afterMs, responders }) =>
      [`${afterMs / MINUTE_MS}m`, ...responders.map(({ name }) => name)].join(' '),
    )
    .join(', ')

export const formatResponders = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')

/** `@on-call after 10 min, then @lead after 30 min`. */
export const describePageSteps = (steps: readonly PageStep[]): string =>
  steps
    .map(({ afterMs, responders }) => `${formatResponders(responders)} after ${formatDuration(afterMs)}`)
    .join(', then ')
