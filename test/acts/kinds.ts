import type { Answer } from '@signalman/playground/driver'
import { ACTS_OF_ACCESS } from './acts-of-access.ts'
import { ACTS_OF_CHECKS } from './acts-of-checks.ts'
import type { Stage } from './stage.ts'

/** An act that is ready to be sent in, and how to tell what became of it. */
export interface Prepared {
  /** As the audit log names it. */
  verb: string
  /** Read by whoever did it, once it is done. */
  says: RegExp
  /** The requests that it is at the service. */
  writes?: { method: string; path: string }
  /** Nothing shows afterwards whether it was done. */
  isBlind?: boolean
  /** By the admin; else by the member. */
  isByAdmin?: boolean
  send(): Promise<Pick<Answer, 'outcome'>>
  /** `done`, `absent`, `partly`, or what is wrong; `read` is what the person has read. */
  effect(read: string): Promise<string>
}

export interface ActKind {
  name: string
  /** With a name that nothing else has. */
  prepare(stage: Stage, name: string): Promise<Prepared>
}

export const ACT_KINDS: readonly ActKind[] = [...ACTS_OF_CHECKS, ...ACTS_OF_ACCESS]
