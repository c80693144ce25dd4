import type { Setting, Settings } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatMemory } from '../rows/memory.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { ThreatVersions } from '../rows/versions.ts'

/** The default retention of threat events that were looked up. An admin can change it (`/threat memory`). */
const DEFAULT_RETENTION_DAYS = 90

export const MAX_RETENTION_DAYS = 3650

/** How many days a workspace remembers the threat events that it read. 0 turns this off. */
export const THREAT_RETENTION_DAYS: Setting<number> = {
  key: 'threats.kept-days',
  decides: true,
  read: (stored) =>
    typeof stored === 'number' && Number.isInteger(stored) && stored >= 0 && stored <= MAX_RETENTION_DAYS
      ? stored
      : DEFAULT_RETENTION_DAYS,
}

/** The tables of threat events. */
export interface StoredThreats {
  readonly threatMemory: ThreatMemory
  readonly threatVersions: ThreatVersions
  readonly threatCases: ThreatCases
  readonly threatShares: ThreatShares
}

/** Deletes threat events that are older than their workspace's retention period. */
export async function sweepThreats(
  { threatMemory, settings }: StoredThreats & { settings: Settings },
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const cutoff = (days: number): Date => new Date(now.getTime() - days * DAY_MS)
  for await (const batch of settings.listStored(THREAT_RETENTION_DAYS))
    for (const { workspaceId, value: days } of batch) {
      signal?.throwIfAborted()
      await threatMemory.sweep({ workspaceId }, cutoff(days))
    }
  await threatMemory.sweep({ withoutSetting: THREAT_RETENTION_DAYS.key }, cutoff(DEFAULT_RETENTION_DAYS))
}
