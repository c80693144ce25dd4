import type { Log } from '@signalman/runtime'
import { type RequestOrigin, type SlackClients, type StepEnd, saidNo } from '@signalman/slack'
import { type Explained, problemText, UNCHANGED } from '../../bot/request/explain.ts'
import { type OpenSlot, silentSlot } from '../../bot/request/reply.ts'

/** The longest error message. Slack documents no limit, but nobody reads more. */
const MAX_ERROR_LENGTH = 3000

/** Reports the result of a step to Slack. Throws temporary errors, so that it is retried. Logs permanent refusals. */
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
    const send = async (end: StepEnd): Promise<unknown> => {
      try {
        await (await clients.of(of)).endStep(of.executionId, end)
        return undefined
      } catch (error) {
        if (saidNo(error)) return error
        throw error
      }
    }
    const refused = await send('error' in end ? { error: end.error.slice(0, MAX_ERROR_LENGTH) } : end)
    if (refused === undefined) return
    log.warn({ reference: of.reference, err: refused }, 'Slack rejected the result of a workflow step.')
    if ('outputs' in end) await send({ error: `${RESULT_REJECTED} Reference: ${of.reference}` })
  }
}

const RESULT_REJECTED = 'It was done, but Slack rejected the result.'

/** Explains the problem to a person, with a reference if it is an error. */
export function stepProblem(problem: Explained, reference: string): StepEnd {
  const { changed, fields = {}, isFault } = problem
  // People don't expect a failed step to have changed anything.
  const whole = { ...problem, changed: changed === UNCHANGED ? '' : changed }
  const words = [...problemText(whole), ...Object.values(fields)].filter(Boolean)
  return { error: [...words, ...(isFault ? [`Reference: ${reference}`] : [])].join('\n') }
}

/** Makes a problem in a workflow step end the step, because nobody sees its answer. */
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
