import { setImmediate } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import type { TokenProbe } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createStoreInstallation } from '../../../src/bot/install/store-installation.ts'
import { createMultiTenancy } from '../../../src/bot/install/tenancy.ts'
import { createUninstalling } from '../../../src/bot/install/uninstalling.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { changeWatching } from '../../decide.ts'
import { ALL_CHECKS } from '../../features/watching/all-checks.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { createRandom, type Random } from '../../random.ts'
import { saveConnection } from '../../write-store.ts'

const ROUNDS = quickOrLong('REINSTALLS', { quick: 3, long: 1000 })
/** How many rounds run concurrently, each with its own workspaces. */
const CONCURRENT = 4
const NOW = new Date('2026-03-01T12:00:00.000Z')

const log = createLog('silent')
const clients = {
  forWorkspace: () => Promise.reject(new Error('These tests send no welcome message.')),
  forget: () => undefined,
}

/** A fake Slack that knows the token of each installation, and which tokens are still valid. */
function createSlack(random: Random) {
  const validTokens = new Set<string>()
  const tokens = new Map<string, string>()
  return {
    tokens,
    install(id: string): string {
      const token = `xoxb-${id}-${random.below(1_000_000_000)}`
      tokens.set(id, token)
      validTokens.add(token)
      return token
    },
    uninstall(id: string): void {
      validTokens.delete(tokens.get(id) ?? '')
      tokens.delete(id)
    },
    async probe(token: string): Promise<TokenProbe> {
      for (let turns = random.below(4); turns > 0; turns -= 1) await setImmediate()
      return { state: validTokens.has(token) ? 'alive' : 'ended' }
    },
  }
}

type Slack = ReturnType<typeof createSlack>

/** One process of the app. */
function createReplica(store: Store, slack: Slack) {
  const tenancy = createMultiTenancy(store)
  const { handleUninstall } = createUninstalling({ store, tenancy, clients, probe: slack.probe, log })
  const deps = { apiUrl: undefined, store, clients, bindButtons: async () => [], log, now: () => NOW }
  const storeInstallation = createStoreInstallation(deps)
  return {
    store,
    throwUnlessInstalled: tenancy.throwUnlessInstalled,
    recordOrganization: tenancy.recordOrganization,
    install: (id: string, token: string, enterpriseId?: string) =>
      storeInstallation({
        isEnterpriseInstall: false,
        team: { id, name: id },
        enterprise: enterpriseId ? { id: enterpriseId, name: enterpriseId } : undefined,
        bot: { token, userId: 'UBOT', scopes: [], id: 'B1' },
        user: { id: 'U1', token: undefined, scopes: undefined },
      }),
    handleUninstall: (id: string, enterpriseId?: string) =>
      handleUninstall(
        {
          kind: 'uninstalled',
          event: 'app_uninstalled',
          origin: { workspaceId: id, enterpriseId, userId: undefined },
        } as never,
        { reference: `uninstall ${id}` },
      ),
  }
}

type Replica = ReturnType<typeof createReplica>

async function writeData({ store }: Replica, workspaceId: string, note: string): Promise<void> {
  await changeWatching(store, workspaceId, ({ watches }) =>
    watches.add({
      id: newId(),
      workspaceId,
      channelId: note,
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      ownerId: 'U1',
    }),
  )
  await saveConnection(store, {
    ...{ workspaceId, environment: 'production', token: note, userId: 'U1', now: NOW },
  })
}

/** Reads a workspace's stored data. Each write stores its own note. */
async function readNotes({ store }: Replica, workspaceId: string) {
  const connection = await store.connections.find(workspaceId, 'production')
  return {
    watches: (await store.watching.watches.list(workspaceId)).map(({ channelId }) => channelId),
    token: connection?.token,
  }
}

/** Uninstalls and reinstalls the app while the uninstall event is still being handled. Returns the faults found. */
async function reinstall(replicas: readonly Replica[], slack: Slack, random: Random, target: InstallTarget) {
  const { id, enterpriseId } = target
  const pickReplica = () => random.oneOf(replicas)
  const faults: string[] = []
  const expectNotes = async (stage: string, watches: readonly string[], token: string | undefined) => {
    const found = JSON.stringify(await readNotes(pickReplica(), id))
    const expected = JSON.stringify({ watches: watches.toSorted(), token })
    if (found !== expected) faults.push(`${id}, ${stage}: ${found} instead of ${expected}`)
  }
  let written: string[] = []
  let removals: Promise<unknown>[] = []
  for (let round = 0; round < 3; round += 1) {
    await pickReplica().install(id, slack.install(id), enterpriseId)
    // The removal either finished before the installation or never happens.
    const { watches } = await readNotes(pickReplica(), id)
    if (watches.length === 0) written = []
    await expectNotes('installed', written, written.at(-1))
    const note = `${id}-${round}`
    await useApp(pickReplica(), { workspaceId: id, enterpriseId }, note)
    written.push(note)
    await Promise.all(removals)
    await expectNotes('used', written, note)
    slack.uninstall(id)
    const times = 1 + random.below(2)
    removals = Array.from({ length: times }, () =>
      pickReplica()
        .handleUninstall(id, enterpriseId)
        .catch(() => undefined),
    )
    for (let turns = random.below(12); turns > 0; turns -= 1) await setImmediate()
  }
  await Promise.all(removals)
  // Slack repeats an event that failed.
  await pickReplica().handleUninstall(id, enterpriseId)
  await expectNotes('removed', [], undefined)
  if (await pickReplica().store.installations.summary(id)) faults.push(`${id}: is installed`)
  const removed = await pickReplica().store.audit.search({ workspaceId: id, text: 'uninstall', limit: 9 })
  if (removed.length > 3) faults.push(`${id}: was removed ${removed.length} times`)
  return faults
}

async function useApp(
  replica: Replica,
  origin: { workspaceId: string; enterpriseId: string | undefined },
  note: string,
) {
  await replica.throwUnlessInstalled(origin)
  await replica.recordOrganization(origin)
  await writeData(replica, origin.workspaceId, note)
}

/** A workspace that installs the app, and its organization. */
interface InstallTarget {
  id: string
  enterpriseId?: string
}

async function openReplicas(database: TestDatabase, slack: Slack) {
  await using opened = new AsyncDisposableStack()
  const stores = [opened.use(await openStore(database)), opened.use(await openStore(database))]
  const replicas = stores.map((store) => createReplica(store, slack))
  const resources = opened.move()
  return { replicas, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

describe.each(eitherOf(SHARED_DATABASES))('an uninstall and a reinstallation on $name', ({ start }) => {
  it(`deletes only the removed installation’s data in ${ROUNDS} interleaved rounds`, async () => {
    const random = createRandom()
    const slack = createSlack(random)
    await using database = await start()
    await using opened = await openReplicas(database, slack)
    const { replicas } = opened
    const faults: string[] = []
    // Each round has its own seed, so that its choices don't depend on how the rounds interleave.
    const rounds = Array.from({ length: ROUNDS }, (_, nth) => ({ nth, seed: random.below(2 ** 31) })).values()
    const runRounds = async () => {
      for (const { nth, seed } of rounds) {
        const roundRandom = createRandom(seed)
        const targets: InstallTarget[] = roundRandom.oneOf([
          [{ id: `T${nth}` }],
          [{ id: `T${nth}A` }, { id: `T${nth}B` }, { id: `T${nth}C` }],
          [{ id: `T${nth}`, enterpriseId: `E${nth}` }],
        ])
        const found = await Promise.all(
          targets.map((target) => reinstall(replicas, slack, roundRandom, target)),
        )
        faults.push(...found.flat())
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT }, runRounds))
    expect(faults).toEqual([])
  })

  it('finishes an interrupted uninstall during the next install', async () => {
    const slack = createSlack(createRandom())
    await using database = await start()
    await using opened = await openReplicas(database, slack)
    const [replica] = opened.replicas
    if (!replica) throw new Error('No replica was opened.')
    for (let rows = 1; rows <= 20; rows += 1) {
      const id = `T${rows}`
      await replica.install(id, slack.install(id))
      await writeData(replica, id, 'old')
      slack.uninstall(id)
      const dyingStore = await openStore(database)
      const removal = createReplica(dyingStore, slack).handleUninstall(id)
      for (let turns = rows * 3; turns > 0; turns -= 1) await setImmediate()
      await Promise.allSettled([dyingStore[Symbol.asyncDispose](), removal])
      // Slack sends no further event.
      await replica.install(id, slack.install(id))
      const pendingRemoval = await replica.store.settings.get(id, {
        key: 'removal',
        read: (stored) => stored,
      })
      expect(pendingRemoval ?? null).toBeNull()
      const { watches } = await readNotes(replica, id)
      const events = await replica.store.audit.search({
        workspaceId: id,
        text: 'uninstall',
        limit: 9,
        withIntents: true,
      })
      // If the process died before the removal started, nothing is removed.
      expect([watches, events.map(({ outcome }) => outcome)]).toEqual(
        events.length === 0 ? [['old'], []] : [[], ['done', 'begun']],
      )
    }
  })
})
