import { HOUR_MS, MINUTE_MS, readDuration, UserError } from '@signalman/runtime'

/** A user group or a person; without an id as it is typed, which is looked up before it is kept. */
export interface Called {
  readonly name: string
  readonly id?: string | undefined
  readonly isGroup?: boolean | undefined
}

/** Nobody is on it after so long: these are called. */
export interface EscalationStep {
  readonly afterMs: number
  readonly call: readonly Called[]
}

const MOST_STEPS = 3
const MOST_CALLED = 5
const HOW =
  'needs up to 3 steps, such as "10m @on-call, 30m @lead @ann": how long nobody has been on it, and whom to page.'

/** Throws UserError. */
export function readEscalation(typed: string): readonly EscalationStep[] {
  const steps = typed.split(',').map((part) => {
    const words = part.trim().split(/\s+/)
    const at = words.findIndex((word) => readDuration(word) === undefined)
    const afterMs = readDuration(words.slice(0, at).join(' '))
    const call = words.slice(at).map((name) => ({ name: name.replace(/^@?/, '@') }))
    if (
      at < 1 ||
      afterMs === undefined ||
      call.length > MOST_CALLED ||
      call.some(({ name }) => name.length > 82)
    )
      throw new UserError(HOW)
    if (afterMs < MINUTE_MS || afterMs > 24 * HOUR_MS) throw new UserError('needs times from 1m to 24h.')
    return { afterMs, call }
  })
  const isRising = steps.every(({ afterMs }, index) => afterMs > (steps[index - 1]?.afterMs ?? 0))
  if (steps.length > MOST_STEPS || !isRising) throw new UserError(HOW)
  return steps
}

/** As it is typed. */
export const writeEscalation = (steps: readonly EscalationStep[]): string =>
  steps.map(({ afterMs, call }) => `${afterMs / MINUTE_MS}m ${namesOf(call)}`).join(', ')

/** Why Slack would notify nobody of a step, by what was last found, such as `@ann is deactivated`; undefined if it would notify somebody. */
export function whyNobody(call: readonly Called[], unreachable: readonly string[]): string[] | undefined {
  const why = call.map(({ name }) => unreachable.find((one) => one.startsWith(`${name} `)))
  return why.every((one) => one !== undefined) ? why : undefined
}

export const namesOf = (call: readonly Called[]): string => call.map(({ name }) => name).join(' ')
