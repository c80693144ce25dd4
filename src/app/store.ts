import { type Durable, type DurableOptions, openDurable } from '@signalman/durable'
import type { Feature, FeatureDatabase, OpenedFeature } from '../bot/feature.ts'
import type { Stored } from '../bot/stored.ts'
import { createCachedReads } from '../bot/workspaces/cached-reads.ts'
import { channelStore } from '../bot/workspaces/channels.ts'
import { connectionStore } from '../bot/workspaces/connections.ts'
import { createWorkspaceRemoval, eraseWorkspace } from '../bot/workspaces/forget-workspace.ts'
import { grantStore } from '../bot/workspaces/grants.ts'
import { installationStore } from '../bot/workspaces/installations.ts'
import type { StoreStats } from '../metrics/gauges.ts'
import { FEATURES, type FeatureRows } from './features.ts'
import { MODEL } from './model.ts'
import { readStoreStats } from './store-stats.ts'

/** Everything that the app stores. Disposing closes the database; don't use it afterwards. */
export interface Store extends Stored, FeatureRows {
  /** Erases a person from the rows of every feature. Returns how many rows of each kind were changed. */
  erasePerson(
    workspaceId: string,
    person: { userId: string; alsoKnownAs: readonly string[] },
  ): Promise<Readonly<Record<string, number>>>
  /** Called when Signalman was about to post in a channel and found that it is shared with another organization. */
  handleSharedChannel(workspaceId: string, channelId: string): Promise<void>
  stats(): Promise<StoreStats>
}

/**
 * Opens the database, migrates its tables, and verifies that the keys decrypt its content. Two processes can do this at the same
 * time. If it throws StoreError, nothing has changed, and the message names the problem and the fix.
 */
export async function openStore(options: Omit<DurableOptions, 'model' | 'onLateOutcome'>): Promise<Store> {
  // Assigned once the database is open, because the features need it.
  let opened: OpenedFeature<object>[] = []
  const durable = await openDurable({
    ...options,
    model: MODEL,
    onLateOutcome: (workId) =>
      Promise.all(opened.map(async ({ onOutcomeKnown }) => onOutcomeKnown?.(workId))),
  })
  const { database, time, sealer: keys, audit } = durable
  const now = options.now ?? (() => new Date())
  const append = audit.appendInTransaction
  opened = openFeatures({ database, time, keys, append, now })
  return buildStore(durable, opened, now)
}

function buildStore(
  { sealer: keys, ...durable }: Durable,
  opened: readonly OpenedFeature<object>[],
  now: () => Date,
): Store {
  const { database, time, cache, settings, audit, steps, processes } = durable
  const append = audit.appendInTransaction
  const channels = channelStore(database)
  const connections = connectionStore(database, keys)
  const grants = grantStore(database, now)
  const installations = installationStore(database, keys, cache, settings, append)
  const workspaceRemoval = createWorkspaceRemoval(database, {
    ...cache,
    time,
    settings,
    processes,
    append,
    auditUnknownOutcomes: steps.auditUnknownOutcomes,
    now,
  })
  const stores = { connections, channels, installations, grants, settings }
  return {
    ...durable,
    ...stores,
    cached: createCachedReads(cache, stores, now),
    // Each feature's rows have their own names.
    ...(Object.assign({}, ...opened.map(({ rows }) => rows)) as FeatureRows),
    erasePerson: (workspaceId, person) =>
      sumCounts(opened, (feature) => feature.erasePerson?.(workspaceId, person)),
    async handleSharedChannel(workspaceId, channelId) {
      for (const feature of opened) await feature.onSharedChannel?.(workspaceId, channelId)
    },
    stats: () => readStoreStats(database, time, { opened }),
    forgetWorkspace: workspaceRemoval.forget,
    finishRemoval: workspaceRemoval.finish,
    async eraseWorkspace(workspaceId, reference) {
      const eraseDeps = { ...cache, audit, processes, forget: workspaceRemoval.forget, reference, now: now() }
      return eraseWorkspace(database, eraseDeps, workspaceId)
    },
  }
}

const openFeatures = (deps: FeatureDatabase): OpenedFeature<object>[] =>
  FEATURES.flatMap((feature: Feature) => feature.open?.(deps) ?? [])

/** Calls `count` for each feature, one after another, and adds up the counts by name. */
async function sumCounts(
  opened: readonly OpenedFeature<object>[],
  count: (feature: OpenedFeature<object>) => Promise<Readonly<Record<string, number>>> | undefined,
): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = {}
  for (const feature of opened) {
    const counts = (await count(feature)) ?? {}
    for (const [name, rows] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + rows
  }
  return sums
}
