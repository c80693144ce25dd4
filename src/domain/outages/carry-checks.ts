import type { Environment } from '../environment.ts'

/** How many watches (those of takedowns among them) and silences name one of some checks by its UUID. */
export interface Carried {
  readonly watches: number
  readonly silences: number
}

/**
 * Lets every watch, mute, and maintenance window that names one of these checks by its UUID name the check that has taken its place,
 * and counts the watches and silences that name one of the new checks then. Done again, it changes nothing more.
 */
export type CarryChecks = (
  of: { readonly workspaceId: string; readonly environment: Environment },
  /** Maps each old UUID to the new one. */
  uuids: ReadonlyMap<string, string>,
) => Promise<Carried>
