import { join } from 'node:path'
import {
  asides,
  auditAnchoring,
  auditStore,
  createReadCache,
  createSealer,
  createWorkspaceKeys,
  type Database,
  databaseTime,
  ephemeralStateStore,
  forgedRows,
  holdsWorkspace,
  idempotencyKeyStore,
  journalFolder,
  keepUp,
  type OpenedStore,
  openProven,
  outcomeJournal,
  postAttempts,
  processStore,
  type RecordedSteps,
  readId,
  recordedSteps,
  rowProofs,
  type Sealer,
  type Settings,
  STORE_ID,
  type StoreOptions,
  sealedState,
  settingStore,
  sweepRows,
  workStepStore,
  workStore,
} from '@signalman/durable'
import type { Feature, FeatureDatabase, Opened } from '../bot/feature.ts'
import type { Stored } from '../bot/stored.ts'
import { cachedReads } from '../bot/workspaces/cached-reads.ts'
import { channelStore } from '../bot/workspaces/channels.ts'
import { connectionStore } from '../bot/workspaces/connections.ts'
import { createForgetting, eraseWorkspace } from '../bot/workspaces/forget-workspace.ts'
import { grantStore } from '../bot/workspaces/grants.ts'
import { installationStore, organizationStore } from '../bot/workspaces/installations.ts'
import type { Figures } from '../metrics/readings.ts'
import { FEATURES, type FeatureRows } from './features.ts'
import { readFigures } from './figures.ts'
import { MODEL } from './model.ts'

/** Everything that the app stores. Disposing closes the database; don't use it afterwards. */
export interface Store extends Stored, FeatureRows {
  /** Erases a person from the rows of every feature. Returns how many rows of each kind were changed. */
  erasePerson(
    workspaceId: string,
    person: { userId: string; alsoKnownAs: readonly string[] },
  ): Promise<Readonly<Record<string, number>>>
  /** Signalman was about to post in a channel and found that it is shared with another organization. */
  foundShared(workspaceId: string, channelId: string): Promise<void>
  /** Figures for monitoring. */
  figures(): Promise<Figures>
}

/**
 * Opens the database, migrates its tables, and verifies that the keys decrypt its content; two processes may do so at the
 * same time. If it throws StoreError, nothing has changed, and the message names the problem and the fix.
 */
export async function openStore(options: Omit<StoreOptions, 'model'>): Promise<Store> {
  const opened = await openProven({ ...options, model: MODEL })
  return await storeOver(opened, options).catch(async (error: unknown) => {
    await opened.database[Symbol.asyncDispose]()
    throw error
  })
}

async function storeOver(
  { database, keys }: OpenedStore,
  { now = () => new Date(), clock, onUnopened, journal: folder }: Omit<StoreOptions, 'keys' | 'model'>,
): Promise<Store> {
  const time = databaseTime(database.kind, clock)
  const sealer = createSealer(keys)
  const cache = createReadCache()
  const workspaceKeys = createWorkspaceKeys(database, sealer, { now, onUnopened })
  const proofs = rowProofs(MODEL.tables, sealer, onUnopened)
  const audit = auditStore(database, { sealer, keys, time, decided: cache.invalidate })
  const settings = settingStore(database, cache, proofs, audit)
  const channels = channelStore(database, cache)
  const connections = connectionStore(database, workspaceKeys, cache, proofs)
  const grants = grantStore(database, audit, proofs, now)
  const organizations = organizationStore(settings)
  const installations = installationStore(database, workspaceKeys, cache, proofs, settings, audit.appendWith)
  const { chains } = audit
  const steps = recordedSteps(database, time, workspaceKeys, audit)
  const opened = openFeatures({
    database,
    time,
    cache,
    keys: workspaceKeys,
    append: audit.appendWith,
    settings,
    now,
  })
  const beside = await besidesRows(database, { settings, sealer, steps, folder, opened })
  const forgetting = createForgetting(database, {
    ...cache,
    keys: workspaceKeys,
    time,
    settings,
    organizations,
    append: audit.appendWith,
    giveUp: steps.giveUp,
    forgetInFeatures: (id, inTransaction) =>
      sumCounts(opened, (one) => one.forgetWorkspace?.(id, inTransaction)),
    now,
  })
  const processes = processStore(database, time, keys)
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await beside.outcomeJournal[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  const anchoring = auditAnchoring(database, chains, settings, keys)
  const stores = { connections, channels, installations, grants, organizations, settings }
  return {
    ...stores,
    idempotencyKeys: idempotencyKeyStore(database, time),
    ephemeralState: ephemeralStateStore(database, workspaceKeys),
    sealedState: sealedState(sealer),
    cached: cachedReads(cache, stores, now),
    audit,
    anchoring,
    // Each feature has its own rows.
    ...(Object.assign({}, ...opened.map(({ rows }) => rows)) as FeatureRows),
    async sweepFeatures(now, signal) {
      for (const one of opened) await one.sweep?.(now, signal)
    },
    erasePerson: (workspaceId, person) => sumCounts(opened, (one) => one.erasePerson?.(workspaceId, person)),
    async foundShared(workspaceId, channelId) {
      for (const one of opened) await one.foundShared?.(workspaceId, channelId)
    },
    work: workStore(database, time, workspaceKeys, processes),
    workSteps: workStepStore(database, time, workspaceKeys, audit),
    recordedSteps: steps,
    ...beside,
    postAttempts: postAttempts(database, time),
    processes,
    forgedRows: () => forgedRows(database.reading, MODEL.tables, sealer),
    figures: () => readFigures(database, time, { settings, anchoring, opened }),
    forgetWorkspace: forgetting.forget,
    finishRemoval: forgetting.finish,
    removeCovered: forgetting.uncover,
    sweepRows: () => sweepRows(database, time),
    shrink: (signal) => database.shrink(signal),
    silentMs: () => database.silentMs(),
    async eraseWorkspace(workspaceId, reference) {
      const all = { ...cache, chains, forget: forgetting.forget, keys: workspaceKeys, reference, now: now() }
      await beside.outcomeJournal.erase(workspaceId)
      return eraseWorkspace(database, all, workspaceId)
    },
    ping: () => keepUp(database, keys),
    async [Symbol.asyncDispose]() {
      closing ??= close()
      await closing
    },
  }
}

const openFeatures = (parts: FeatureDatabase): Opened<object>[] =>
  FEATURES.flatMap((feature: Feature) => feature.open?.(parts) ?? [])

/** One after the other: the counts of all features together. */
async function sumCounts(
  opened: readonly Opened<object>[],
  count: (one: Opened<object>) => Promise<Readonly<Record<string, number>>> | undefined,
): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = {}
  for (const one of opened)
    for (const [name, more] of Object.entries((await count(one)) ?? {})) sums[name] = (sums[name] ?? 0) + more
  return sums
}

/** Data kept outside the database: known outcomes on this machine, and databases that a restore retired. */
async function besidesRows(
  database: Database,
  parts: {
    settings: Settings
    sealer: Sealer
    steps: RecordedSteps
    folder: string | undefined
    opened: readonly Opened<object>[]
  },
): Promise<Pick<Store, 'asides' | 'knows' | 'outcomeJournal'>> {
  const { settings, sealer, steps, opened, folder = journalFolder(database) } = parts
  // Each database has its own folder there, so that none adopts another's outcomes after a restore.
  const own = folder && join(folder, await readId(settings, STORE_ID))
  const aside = asides(database, folder)
  return {
    asides: aside,
    knows: async (workspaceId) =>
      (await holdsWorkspace(database.rows, database, workspaceId)) || (await aside.hold(workspaceId)),
    outcomeJournal: outcomeJournal(steps, sealer, own, (workId) =>
      Promise.all(opened.map(async ({ outcomeKnown }) => outcomeKnown?.(workId))),
    ),
  }
}
