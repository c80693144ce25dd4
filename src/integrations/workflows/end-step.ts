import type { Log } from '@signalman/runtime'
import { type RequestOrigin, type SlackClients, type StepResult, wasRejected } from '@signalman/slack'
import { type Explained, problemText, UNCHANGED } from '../../bot/request/explain.ts'

/** The longest error message. Slack documents no limit. This keeps the message readable. */
const MAX_ERROR_LENGTH = 3000

/** Reports the result of a step to Slack. Throws temporary errors, so that it is retried. Logs permanent refusals. */
export type EndStep = (origin: StepOrigin, result: StepResult) => Promise<void>

export interface EndDeps {
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
export function createEndStep({ clients, log }: EndDeps): EndStep {
  return async (origin, result) => {
    /** Resolves with the error if Slack rejects the result. */
    const send = async (sent: StepResult): Promise<unknown> => {
      try {
        await (await clients.forWorkspace(origin)).endStep(origin.executionId, sent)
        return undefined
      } catch (error) {
        if (wasRejected(error)) return error
        throw error
      }
    }
    const rejection = await send(
      'error' in result ? { error: result.error.slice(0, MAX_ERROR_LENGTH) } : result,
    )
    if (rejection === undefined) return
    log.warn({ reference: origin.reference, err: rejection }, 'Slack rejected the result of a workflow step.')
    if ('outputs' in result) await send({ error: `${RESULT_REJECTED} Reference: ${origin.reference}` })
  }
}

const RESULT_REJECTED = 'The step succeeded, but Slack rejected its outputs.'

/** Explains the problem to a person, with a reference if it is an error. */
export function explainStepProblem(problem: Explained, reference: string): StepResult {
  const { changed, fields = {}, isFault } = problem
  // Leaves out “Nothing was changed”, because people assume that of a failed step.
  const shownProblem = { ...problem, changed: changed === UNCHANGED ? '' : changed }
  const lines = [...problemText(shownProblem), ...Object.values(fields)].filter(Boolean)
  return { error: [...lines, ...(isFault ? [`Reference: ${reference}`] : [])].join('\n') }
}
