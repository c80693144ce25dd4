import type { Log } from '@signalman/runtime'
import { type RequestOrigin, type SlackClients, type StepEnd, saidNo } from '@signalman/slack'
import { type Explained, problemText, UNCHANGED } from '../../bot/request/explain.ts'
import { type OpenSlot, silentSlot } from '../../bot/request/reply.ts'

/** Slack documents no limit. A longer message helps nobody. */
const LONGEST = 3000

/** Reports the end of a step to Slack. Throws temporary errors, so that it is retried. Permanent refusals are only logged. */
export type EndStep = (of: StepOrigin, end: StepEnd) => Promise<void>

export interface EndParts {
  clients: SlackClients
  log: Log
}

type StepOrigin = Pick<RequestOrigin, 'workspaceId' | 'enterpriseId' | 'reference'> & {
  executionId: string
}

/**
 * Uses the app's own token, because the token in the event expires at an undocumented time and is sometimes revoked in
 * organizations.
 */
export function createEndStep({ clients, log }: EndParts): EndStep {
  return async (of, end) => {
    const say = async (end: StepEnd): Promise<unknown> => {
      try {
        await (await clients.of(of)).endStep(of.executionId, end)
        return undefined
      } catch (error) {
        if (saidNo(error)) return error
        throw error
      }
    }
    const refused = await say('error' in end ? { error: end.error.slice(0, LONGEST) } : end)
    if (refused === undefined) return
    log.warn({ reference: of.reference, err: refused }, 'Slack rejected the result of a workflow step.')
    if ('outputs' in end) await say({ error: `${INSIDE} Reference: ${of.reference}` })
  }
}

const INSIDE = 'It was done, but Slack rejected the result.'

/** Explains the problem to a person, with a reference if it is an error. */
export function stepProblem(problem: Explained, reference: string): StepEnd {
  const { changed, fields = {}, isFault } = problem
  // For a failed step, it is obvious that nothing was changed.
  const whole = { ...problem, changed: changed === UNCHANGED ? '' : changed }
  const words = [...problemText(whole), ...Object.values(fields)].filter(Boolean)
  return { error: [...words, ...(isFault ? [`Reference: ${reference}`] : [])].join('\n') }
}

/** Nobody sees a step's answer, so a problem ends the step instead. */
export const withSteps =
  (openSlot: OpenSlot, parts: EndParts): OpenSlot =>
  (from, options) => {
    const { surface } = from
    if (surface.kind !== 'step') return openSlot(from, options)
    const slot = silentSlot()
    slot.problem = (problem) =>
      createEndStep(parts)(
        { ...from, executionId: surface.executionId },
        stepProblem(problem, from.reference),
      )
    return slot
  }
