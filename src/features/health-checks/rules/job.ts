import type { Environment } from '../../../domain/environment.ts'
import type { Carried } from '../../../domain/outages/carry-checks.ts'
import type { StepState } from './change.ts'
import type { AddressListing } from './server-address.ts'

/** What a job that changes health checks remembers beside its steps. */
export interface ChangesAbout {
  /** As it is typed: `/hc import`. */
  readonly verb: string
  /** What it is about, in words: `Set frequency to 30 on web-*`; of an import, the name of the file. */
  readonly title: string
  /** What its checks are afterwards: `now checked every 30 s`. */
  readonly became?: string | undefined
  /** What it says once all of it is done: `Deleted “web”`. */
  readonly did?: string | undefined
  /** The name of the file that it comes from. */
  readonly fileName?: string | undefined
  readonly planned: Readonly<Record<'create' | 'edit' | 'delete', number>>
  /** The account that it was planned with; with any other nothing is sent. */
  readonly account: string
  readonly listing: AddressListing
  /** Whose job it was at first; of an undo, the owner of what it undoes. */
  readonly startedBy: string
  /** Who else started or continued it last: an admin, or whoever it was handed over to. */
  readonly by?: { readonly does: 'Started' | 'Continued'; readonly userId: string } | undefined
  /** The job that it undoes, and what of that one no undo takes back. */
  readonly undoes?: string | undefined
  readonly notUndone?: readonly NamedStep[] | undefined
}

/** A step that a person should look at. */
export interface NamedStep {
  /** The name of its check, or its line in a file. */
  readonly where: string
  readonly says: string
}

export type StepCounts = Readonly<Record<StepState, number>>

export const totalSteps = (counts: StepCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Steps that have their outcome. */
export const settledSteps = (counts: StepCounts): number => totalSteps(counts) - counts.ready - counts.begun

/** What can be done about a job that has ended, unless it was undone. */
export function possibleNext({ undoes }: Pick<ChangesAbout, 'undoes'>, counts: StepCounts) {
  return {
    canContinue: counts.ready + counts.begun > 0,
    /** What was refused, and what may have been done: for a person to decide. */
    canTryAgain: counts.unclear + counts.refused > 0,
    canUndo: undoes === undefined && counts.done + counts.begun > 0,
  }
}

/** What is told at the end of a job. */
export interface Ending {
  readonly counts: StepCounts
  /** How many were done, by what they do. */
  readonly done: Readonly<Record<'create' | 'edit' | 'delete', number>>
  /** Steps that weren't done as asked for: skipped, refused, unclear, or done in part. */
  readonly named: readonly NamedStep[]
  /** How many more there are, which are in the file where there is one. */
  readonly unnamed: number
  /** How many of those that are left can't be read. */
  readonly unread: number
  readonly hasReport: boolean
  /** Why it ended before all was done. */
  readonly because: string | undefined
  readonly isStopped: boolean
  /** What names a check that was brought back. */
  readonly carried: Carried
  readonly next: ReturnType<typeof possibleNext>
}

/** What a person has done and can undo: what was done, the line of its button, and what the button asks first. */
export interface Undoable {
  line: string
  says: string
  asks: string
  /** ISO texts. */
  at: string
  until: string
}

/** A job that has ended, and of which something can still be continued or undone. */
export interface StoppedJob {
  readonly id: string
  readonly environment: Environment
  readonly about: ChangesAbout
  readonly counts: StepCounts
}

/** A job that waits or runs. */
export interface OpenJob {
  readonly id: string
  readonly userId: string
  readonly environment: Environment
  readonly isRunning: boolean
  readonly about: ChangesAbout
  readonly counts: StepCounts
}
