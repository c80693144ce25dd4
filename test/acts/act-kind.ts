import type { Answer, Waiting } from '@signalman/playground/driver'
import type { Deployment } from './deployment.ts'

/** An act is a command, form, or button that changes something. This one is ready to send, and its effect can be checked. */
export interface PreparedAct {
  /** The act's verb in the audit log, such as `/hc create`. */
  verb: string
  /** Matches the message that the sender gets when the act is done. */
  donePattern: RegExp
  /** The request that the app sends to the service. */
  serviceRequest?: { method: string; path: string; name?: string }
  /** The effects that the app can't find out afterwards. */
  undetectable?: readonly ('done' | 'absent')[]
  /** True if the admin sends the act. By default, the member does. */
  isByAdmin?: boolean
  send(): Promise<Pick<Answer, 'outcome'>>
  /** Returns `done`, `absent`, `partly`, `unclear`, or a description of what is wrong. `seenText` is what the sender saw. */
  readEffect(seenText: string): Promise<string>
}

export const describeCount = (count: number): string => ['absent', 'done'][count] ?? `${count} times`

/** Waits only for Slack's acknowledgement; the outcome is checked later. */
export const NO_WAIT: Waiting = { until: () => true }
/** Waits for the form, because a modal may first show a placeholder. */
export const UNTIL_FORM: Waiting = { until: ({ view }) => Boolean(view?.view.submit) }

const UNTIL_ENDED: Waiting = { until: /Created 1|nothing was started/ }

/**
 * Submits a refused form again, now that it can be stored. The app may still be recording the refusal, and until then it refuses the
 * form once more.
 */
export async function submitAgain({ submit }: Deployment['slack']['member']): Promise<Answer> {
  let answer = await submit({}, UNTIL_ENDED)
  for (let retries = 0; retries < 3 && !answer.text.includes('Created 1'); retries += 1)
    answer = await submit({}, UNTIL_ENDED)
  return answer
}

export interface ActKind {
  name: string
  /** What it shares with other kinds, so that only one of them can be checked at a time. */
  shares?: 'the connection' | 'the roles'
  /** Prepares an act on objects with this name, which nothing else uses. */
  prepare(deployment: Deployment, name: string): Promise<PreparedAct>
}
