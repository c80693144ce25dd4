import type { Environment } from '../../../domain/environment.ts'
import type { MovedWatches } from '../../../domain/outages/move-watches.ts'
import type { StepState } from './change.ts'

/** The details that a job stores besides its steps. */
export interface ChangesDetails {
  /** The command, for the audit log: `/hc import`. */
  readonly verb: string
  /** The title: `Set frequency to 30 s: name web-*`, or the name of an imported file. */
  readonly title: string
  /** Completes `3 health checks are …` once everything is done: `now checked every 30 s`. */
  readonly newStateText?: string | undefined
  /** The message once everything is done: `Deleted “web”`. */
  readonly doneText?: string | undefined
  /** The imported file's name. */
  readonly fileName?: string | undefined
  readonly planned: Readonly<Record<'create' | 'edit' | 'delete', number>>
  /** The account that the job was planned with. The job never changes another account. */
  readonly account: string
  /** The first owner. For an undo, the owner of the job that it undoes. */
  readonly startedBy: string
  /** The last person other than `startedBy` who started or continued the job: an admin or a new owner. */
  readonly by?: { readonly does: 'Started' | 'Continued'; readonly userId: string } | undefined
  /** True if the window that started it shows how it ends. Then it does nothing later than the window says. */
  readonly inWindow?: boolean | undefined
  /** For an undo: the ID of the job that it undoes. */
  readonly undoes?: string | undefined
  /** For an undo: the changes of that job that can't be undone. */
  readonly notUndone?: readonly StepProblem[] | undefined
}

/** A step that a person should look at. */
export interface StepProblem {
  /** The check's name, or its line in a file. */
  readonly label: string
  readonly reason: string
}

export type StepCounts = Readonly<Record<StepState, number>>

export const countSteps = (counts: StepCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Steps with a final outcome. */
export const countSettledSteps = (counts: StepCounts): number =>
  countSteps(counts) - counts.ready - counts.begun - counts.partial

/** What a person can do about a job that has ended, unless it was undone. */
export function nextActions({ undoes }: Pick<ChangesDetails, 'undoes'>, counts: StepCounts) {
  return {
    canContinue: counts.ready + counts.begun + counts.partial > 0,
    /** Whether there are refused or unclear steps. Only a person can decide to repeat them. */
    canTryAgain: counts.unclear + counts.refused > 0,
    canUndo: undoes === undefined && counts.done + counts.begun + counts.partial > 0,
  }
}

/** The result that a job reports when it ends. */
export interface JobResult {
  readonly counts: StepCounts
  /** How many steps were done, or done in part, by kind. */
  readonly done: Readonly<Record<'create' | 'edit' | 'delete', number>>
  /** Steps that weren't fully done: skipped, refused, unclear, or partly done. */
  readonly problems: readonly StepProblem[]
  /** The number of further problems beyond the limit of `problems`. */
  readonly unlistedCount: number
  /** How many of the remaining steps can't be decrypted. */
  readonly undecryptable: number
  /** True if a file with the problems was sent. */
  readonly hasReport: boolean
  /** Why the job ended early. */
  readonly endReason: string | undefined
  readonly isStopped: boolean
  /** The watches and silences that moved to recreated checks. */
  readonly movedWatches: MovedWatches
  readonly next: ReturnType<typeof nextActions>
}

/** A job that has ended and can still be continued, retried, or undone. */
export interface StoppedJob {
  readonly id: string
  readonly environment: Environment
  readonly details: ChangesDetails
  readonly counts: StepCounts
}

/** A change that can be undone, or the undo of a change that hasn't finished. */
export interface UndoOffer extends StoppedJob {
  readonly isUnfinishedUndo: boolean
  /** When it ended. */
  readonly at: Date
  /** Until when it is stored. */
  readonly until: Date
}

/** A job that is waiting or running. */
export interface OpenJob {
  readonly id: string
  readonly userId: string
  readonly environment: Environment
  readonly isRunning: boolean
  readonly details: ChangesDetails
  readonly counts: StepCounts
}
