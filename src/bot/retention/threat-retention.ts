import { DAY_MS } from '../../domain/durations.ts'
import { WHOLE_STORE } from '../../store/backup/backup-settings.ts'
import type { Store } from '../../store/store.ts'
import type { Setting } from '../../store/workspaces/settings.ts'
import {
  CLOSED_CASES_KEPT_DAYS,
  SHARES_KEPT_DAYS,
  THREATS_KEPT_UNSET_DAYS,
  UNTOUCHED_CASES_KEPT_DAYS,
  VERSIONS_KEPT_DAYS,
} from './kept-for.ts'

export const MOST_DAYS = 3650
/** True once names are removed from notes of an old version, whose erasure left them in. */
const NOTES_WITHOUT_NAMES: Setting<boolean> = {
  key: 'threats.notes-without-names',
  read: (stored) => stored === true,
}

/** How many days a workspace remembers the threat events that it has read; 0: it remembers none. */
export const THREATS_KEPT_DAYS: Setting<number> = {
  key: 'threats.kept-days',
  read: (stored) =>
    typeof stored === 'number' && Number.isInteger(stored) && stored >= 0 && stored <= MOST_DAYS
      ? stored
      : THREATS_KEPT_UNSET_DAYS,
}

/** Deletes threat events that are older than their workspace remembers them, and old cases, shares and exports. */
export async function sweepThreats(
  {
    threatMemory,
    threatVersions,
    threatCases,
    threatShares,
    takedownWatches,
    settings,
  }: Pick<
    Store,
    'threatMemory' | 'threatVersions' | 'threatCases' | 'threatShares' | 'takedownWatches' | 'settings'
  >,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS)
  for await (const some of settings.having(THREATS_KEPT_DAYS))
    for (const { workspaceId, value: days } of some) {
      signal?.throwIfAborted()
      await threatMemory.sweep({ workspaceId }, before(days))
    }
  await threatVersions.sweep(before(VERSIONS_KEPT_DAYS))
  await threatCases.sweepCases(before(CLOSED_CASES_KEPT_DAYS), before(UNTOUCHED_CASES_KEPT_DAYS))
  await threatShares.sweep(before(SHARES_KEPT_DAYS))
  await takedownWatches.sweep()
  await eraseLeftNames({ threatCases, settings }, signal)
  await threatMemory.sweep({ withoutSetting: THREATS_KEPT_DAYS.key }, before(THREATS_KEPT_UNSET_DAYS))
}

/** Runs once for a database, through all its cases; again in the next sweep while some cases do not open. */
async function eraseLeftNames(
  { threatCases, settings }: Pick<Store, 'threatCases' | 'settings'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await settings.get(WHOLE_STORE, NOTES_WITHOUT_NAMES)) return
  const { unopened } = await threatCases.eraseLeftNames(signal)
  if (unopened === 0) await settings.set(WHOLE_STORE, NOTES_WITHOUT_NAMES, true)
}
