import { DAY_MS } from '../../domain/durations.ts'
import { WHOLE_STORE } from '../../store/backup/backup-settings.ts'
import type { Store } from '../../store/store.ts'
import type { Setting } from '../../store/workspaces/settings.ts'

const DEFAULT_DAYS = 90
export const MOST_DAYS = 3650
/** Whoever imported an export has long since let its indicators expire. */
const VERSIONS_KEPT_DAYS = 1095

/** A case that is closed is looked up again when the same domain comes back; one that nobody touches is no case any more. */
const CLOSED_CASES_KEPT_DAYS = 365
const UNTOUCHED_CASES_KEPT_DAYS = 1095
/** Whoever takes a case finds the card that was shared in this time. */
const SHARES_KEPT_DAYS = 90

/** That the names are out of old notes which an erasure had left in them before notes were written without names. */
const NOTES_WITHOUT_NAMES: Setting<boolean> = {
  key: 'threats.notes-without-names',
  read: (stored) => stored === true,
}

/** For how many days a workspace remembers the threat events that it has read; 0: it remembers none. */
export const THREATS_KEPT_DAYS: Setting<number> = {
  key: 'threats.kept-days',
  read: (stored) =>
    typeof stored === 'number' && Number.isInteger(stored) && stored >= 0 && stored <= MOST_DAYS
      ? stored
      : DEFAULT_DAYS,
}

/** Deletes what every workspace has read of threat events before it wants it remembered, and what was done about them long ago. */
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
  await threatMemory.sweep({ withoutSetting: THREATS_KEPT_DAYS.key }, before(DEFAULT_DAYS))
}

/** Once for a database, as far back as its cases go; again where some did not open, in case they do by then. */
async function eraseLeftNames(
  { threatCases, settings }: Pick<Store, 'threatCases' | 'settings'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await settings.get(WHOLE_STORE, NOTES_WITHOUT_NAMES)) return
  const { unopened } = await threatCases.eraseLeftNames(signal)
  if (unopened === 0) await settings.set(WHOLE_STORE, NOTES_WITHOUT_NAMES, true)
}
