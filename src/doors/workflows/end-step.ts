import type { Log } from '@signalman/runtime'
import { type RequestOrigin, type SlackClients, type StepEnd, saidNo } from '@signalman/slack'
import { type Explained, problemWords, UNCHANGED } from '../../bot/request/explain.ts'
import { type OpenSlot, silentSlot } from '../../bot/request/reply.ts'

/** Slack names no limit; more is of no use to whoever reads it. */
const LONGEST = 3000

/** Says to Slack how a step ended. Throws what may pass: then it is to be said again. What Slack refuses for good is in the log. */
export type EndStep = (of: StepOrigin, end: StepEnd) => Promise<void>

export interface EndParts {
  clients: SlackClients
  log: Log
}

type StepOrigin = Pick<RequestOrigin, 'workspaceId' | 'enterpriseId' | 'reference'> & {
  executionId: string
}

/** The app's own token says it: that of the event lasts for nobody knows how long, and is revoked in organizations at times. */
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
    log.warn({ reference: of.reference, err: refused }, 'Slack does not take what a step came to.')
    if ('outputs' in end) await say({ error: `${INSIDE} Reference: ${of.reference}` })
  }
}

const INSIDE = 'It was done, but Slack rejected the result.'

/** What is wrong, as a person would read it; with the reference where something broke. */
export function stepProblem(problem: Explained, reference: string): StepEnd {
  const { changed, fields = {}, isFault } = problem
  // That a step which failed has changed nothing goes without saying.
  const whole = { ...problem, changed: changed === UNCHANGED ? '' : changed }
  const words = [...problemWords(whole), ...Object.values(fields)].filter(Boolean)
  return { error: [...words, ...(isFault ? [`Reference: ${reference}`] : [])].join('\n') }
}

/** For a step, where nobody looks: what goes wrong ends it, and nothing else is shown. */
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
