import type { Answer, Waiting } from '@signalman/playground/driver'
import type { Stage } from './stage.ts'

/** An act that is ready to send, and how to check its effect. */
export interface PreparedAct {
  /** Its verb in the audit log. */
  verb: string
  /** Matches the message that the person who sent it gets once it is done. */
  says: RegExp
  /** The request that it sends to the service. */
  writes?: { method: string; path: string }
  /** It has several steps; later ones may fail although the main one was done. */
  isOfMany?: boolean
  /** Its effect can't be seen afterwards. */
  isBlind?: boolean
  /** Sent by the admin; otherwise by the member. */
  isByAdmin?: boolean
  send(): Promise<Pick<Answer, 'outcome'>>
  /** `done`, `absent`, `partly`, `unclear`, or what is wrong; `read` is what the person saw. */
  effect(read: string): Promise<string>
}

/** Waits only for Slack's acknowledgement; the outcome is checked later. */
export const NO_WAIT: Waiting = { until: () => true }
/** Waits for the form, because a modal may first show a placeholder. */
export const UNTIL_FORM: Waiting = { until: ({ view }) => Boolean(view?.view.submit) }

export interface ActKind {
  name: string
  /** Prepares an act on objects with this name, which nothing else uses. */
  prepare(stage: Stage, name: string): Promise<PreparedAct>
}
