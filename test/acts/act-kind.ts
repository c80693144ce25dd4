import type { Answer, Waiting } from '@signalman/playground/driver'
import type { Deployment } from './deployment.ts'

/** An act (a command, form, or button that changes something) that is ready to send, and how to check its effect. */
export interface PreparedAct {
  /** Its verb in the audit log, such as `/hc create`. */
  verb: string
  /** Matches the message that its sender gets once it is done. */
  donePattern: RegExp
  /** The request that the app sends to the service. */
  serviceRequest?: { method: string; path: string }
  /** True if it has several steps. Later steps may fail even if the main step succeeded. */
  hasSeveralSteps?: boolean
  /** True if its effect can't be looked up afterwards. */
  effectCannotBeLookedUp?: boolean
  /** True if the admin sends it; otherwise the member does. */
  isByAdmin?: boolean
  send(): Promise<Pick<Answer, 'outcome'>>
  /** Returns `done`, `absent`, `partly`, `unclear`, or a description of what is wrong. `seenText` is what the sender saw. */
  readEffect(seenText: string): Promise<string>
}

/** Waits only for Slack's acknowledgement; the outcome is checked later. */
export const NO_WAIT: Waiting = { until: () => true }
/** Waits for the form, because a modal may first show a placeholder. */
export const UNTIL_FORM: Waiting = { until: ({ view }) => Boolean(view?.view.submit) }

export interface ActKind {
  name: string
  /** Prepares an act on objects with this name, which nothing else uses. */
  prepare(deployment: Deployment, name: string): Promise<PreparedAct>
}
