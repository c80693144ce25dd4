import type { Environment } from '../environment.ts'

/** The number of watches (including those of takedowns) and silences that name some checks by UUID. */
export interface MovedWatches {
  readonly watches: number
  readonly silences: number
}

/**
 * Moves the watches, mutes, and maintenance windows that name a check by its UUID to the check that has replaced it. Returns the
 * number of watches and silences that name the new checks. Safe to repeat.
 */
export type MoveWatches = (
  where: { readonly workspaceId: string; readonly environment: Environment },
  /** Maps each old UUID to the new one. */
  uuids: ReadonlyMap<string, string>,
) => Promise<MovedWatches>
