import type { Answer, Waiting } from '@signalman/playground/driver'
import type { Stage } from './stage.ts'

/** An act that is ready to be sent in, and how to tell what became of it. */
export interface Prepared {
  /** As the audit log names it. */
  verb: string
  /** Read by whoever did it, once it is done. */
  says: RegExp
  /** The requests that it is at the service. */
  writes?: { method: string; path: string }
  /** It has several steps; those after the first may fail although what counts is done. */
  isOfMany?: boolean
  /** Nothing shows afterwards whether it was done. */
  isBlind?: boolean
  /** By the admin; else by the member. */
  isByAdmin?: boolean
  send(): Promise<Pick<Answer, 'outcome'>>
  /** `done`, `absent`, `partly`, `unclear`, or what is wrong; `read` is what the person has read. */
  effect(read: string): Promise<string>
}

/** Whoever has acted waits for Slack's answer alone: what comes of it is read later. */
export const AT_ONCE: Waiting = { until: () => true }
/** Until the form is there: a window may open before what it shows. */
export const FORM: Waiting = { until: ({ view }) => Boolean(view?.view.submit) }

export interface ActKind {
  name: string
  /** With a name that nothing else has. */
  prepare(stage: Stage, name: string): Promise<Prepared>
}
