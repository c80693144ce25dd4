import { HOUR_MS, MINUTE_MS, parseDuration, UserError } from '@signalman/runtime'

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
}

const MAX_STEPS = 3
const MAX_RESPONDERS = 5
/** Longer than any name or handle in Slack, with its @. */
const MAX_NAME_LENGTH = 82
const USAGE =
  'takes 1 to 3 steps, such as "10m @on-call, 30m @lead @ann". Each step says how long to wait and who to page.'

/** Reads typed steps, such as `10m @on-call, 30m @lead`. Throws UserError. */
export function parseEscalation(typed: string): readonly EscalationStep[] {
  const steps = typed.split(',').map((part) => {
    const words = part.trim().split(/\s+/)
    const timeWordCount = words.findIndex((word) => parseDuration(word) === undefined)
    const afterMs = parseDuration(words.slice(0, timeWordCount).join(' '))
    const responders = words.slice(timeWordCount).map((name) => ({ name: name.replace(/^@?/, '@') }))
    if (
      timeWordCount < 1 ||
      afterMs === undefined ||
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

/** Formats steps the way people type them. */
export const formatEscalation = (steps: readonly EscalationStep[]): string =>
  steps.map(({ afterMs, responders }) => `${afterMs / MINUTE_MS}m ${formatNames(responders)}`).join(', ')

export const formatNames = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')
