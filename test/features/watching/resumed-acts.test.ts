import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { Arguments } from '../../../src/bot/grammar/read-words.ts'
import type { Roles } from '../../../src/domain/roles.ts'
import { digestPages, onItCommands } from '../../../src/features/watching/commands/on-it.ts'
import { silenceCommands } from '../../../src/features/watching/commands/silences.ts'
import { watchingCommands } from '../../../src/features/watching/commands/watches.ts'
import type { WatchDeps } from '../../../src/features/watching/save-watch.ts'
import { openActContext, storeAct } from '../../bot/acts/act-context.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { changeWatching } from '../../decide.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

const CHANNEL = 'C1'
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
const WATCH = { ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1, ownerId: 'U9' }
const sees = (bad: readonly string[]) => ({
  ...{ bad: new Map(bad.map((name) => [name, { uuid: name, name }])), good: new Set<string>() },
  ...{ installing: new Set<string>(), deleted: new Set<string>() },
})

/** Adds a watch whose channel has a card about a check that is down. Returns the card's ID. */
async function openCard(store: Store, pass: () => void): Promise<string> {
  const { watching, work } = store
  await changeWatching(store, 'T1', ({ watches }) => watches.add({ ...WATCH, id: newId(), page: PAGE }))
  const { savePoll } = await claimPolling({ work }, 'one', 30_000)
  await savePoll(watching, sees([]))
  pass()
  await savePoll(watching, sees(['shop']))
  const [incident] = await watching.history.listDown(SCOPE)
  const card = await watching.onIt.findCard('T1', incident?.id ?? '', CHANNEL)
  if (!card) throw new Error('There is no card.')
  return card.id
}

const take = (store: Store, card: string) =>
  changeWatching(store, 'T1', ({ onIt }) => onIt.take(card, { userId: 'U1', name: 'Bea' }))
const takeByOther = (store: Store, card: string) =>
  changeWatching(store, 'T1', ({ onIt }) => onIt.take(card, { userId: 'U2', name: 'Ann' }))
const mute = (store: Store) =>
  changeWatching(store, 'T1', ({ silences }) =>
    silences.add([
      {
        ...{ ...SCOPE, id: newId(), channelId: CHANNEL, subject: { kind: 'all' } },
        ...{ isMaintenance: false, from: NOW, to: new Date(NOW.getTime() + 7_200_000), timeZone: 'UTC' },
        ...{ reason: '', ownerId: 'U1', ownerName: 'Bea', madeAt: NOW },
      },
    ]),
  )
const countOnIt = async ({ watching }: Store) => (await watching.onIt.listTaken('T1', 'U1')).length
const countMutes = async ({ watching }: Store) => (await watching.silences.list('T1', NOW)).length
const countWatches = async ({ watching }: Store) => (await watching.watches.list('T1')).length
const countMessages = async ({ watching }: Store) => (await watching.readStats()).outbox.waiting
const NOW = new Date(Date.UTC(2026, 10, 28))

interface Press {
  readonly line: string
  readonly args?: object
  readonly flags?: object
  /** Prepares what the press is about. */
  readonly before?: (store: Store, card: string) => Promise<unknown>
  /** Counts what there is after the press. */
  readonly count: (store: Store) => Promise<number>
  readonly expected: number
  readonly answer: string
  /** What the audit log says that it was about. */
  readonly object: RegExp
  /** What the audit log says became of it, if nothing was changed. */
  readonly after?: string
}

const PRESSES: readonly Press[] = [
  {
    line: '/hc watch-ack',
    ...{ count: countOnIt, expected: 1, answer: 'You’re on it', object: /^outage shop \(shop\)$/ },
  },
  {
    ...{ line: '/hc watch-ack', before: takeByOther, after: 'somebody was already on it' },
    ...{ count: countOnIt, expected: 0, answer: 'Ann has been on it', object: /^outage shop \(shop\)$/ },
  },
  {
    ...{ line: '/hc watch-step-down', before: takeByOther, after: 'wasn’t on it' },
    ...{ count: countOnIt, expected: 0, answer: 'You aren’t on', object: /^outage shop \(shop\)$/ },
  },
  {
    ...{ line: '/hc watch-step-down', before: take },
    ...{ count: countOnIt, expected: 0, answer: 'stepped down', object: /^outage shop \(shop\)$/ },
  },
  {
    line: '/hc watch-page',
    flags: { whom: digestPages(PAGE.map((step) => ({ ...step, before: 0 }))) },
    ...{ count: countMessages, expected: 2, answer: 'Paging @on-call', object: /^outage shop \(shop\)$/ },
  },
  {
    ...{ line: '/hc mute', args: { values: { all: 'all', for: '2h' }, flags: { yes: true } } },
    ...{
      count: countMutes,
      expected: 1,
      answer: 'This is for this channel only',
      object: /^mute \S+ \(everything\)$/,
    },
  },
  {
    ...{ line: '/hc unmute', before: mute, args: { values: { all: 'all' }, flags: {} } },
    ...{ count: countMutes, expected: 0, answer: 'Ended: the mute', object: /^mute \S+ \(everything\)$/ },
  },
  {
    ...{ line: '/hc unwatch', args: { values: { all: 'all' }, flags: { yes: true } } },
    ...{ count: countWatches, expected: 0, answer: 'Ended 1 watch', object: /^watch \S+ \(every/ },
  },
]

describe.each(SHARED_DATABASES)('what is resumed after a crash, on $name', ({ start }) => {
  it.each(PRESSES)(
    'was done once, and has the same answer: $line',
    async ({ line, before, args, flags = {}, answer, ...press }) => {
      await using database = await start()
      let ms = NOW.getTime()
      await using store = await openStore({ ...database, clock: () => new Date(ms) })
      const card = await openCard(store, () => (ms += 60_000))
      await before?.(store, card)
      const work = await storeAct(store)
      // Casts: only these are used.
      const reachability = {
        lookUp: async (_: unknown, reachable: unknown) => ({ reachable, not: [], unknown: [] }),
      }
      const deps = { watching: store.watching, reachability } as unknown as Parameters<
        typeof onItCommands
      >[0] &
        WatchDeps
      const commands = [...onItCommands(deps), ...silenceCommands(deps), ...watchingCommands(deps)]
      const typed = { lists: {}, ...(args ?? { values: { card }, flags }) } as unknown as Arguments
      async function run(attempts: number): Promise<unknown> {
        const others = { channelId: CHANNEL, now: new Date(ms), tell: async () => '' }
        const context = await openActContext(store, work, attempts, {
          ...others,
          roles: async () => new Map([['operator', {}]]) as unknown as Roles,
          // Also if the app was removed from the channel meanwhile.
          mayPost: async () => (attempts === 1 ? 'yes' : 'not-in-channel'),
        })
        return commands.find((one) => one.line === line)?.run(context, typed)
      }
      const first = await run(1)
      expect(JSON.stringify(first)).toContain(answer)
      ms += 5000
      expect(await run(2)).toEqual(first)
      expect(await press.count(store)).toBe(press.expected)
      const found = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })
      const entries = found.filter(({ verb }) => verb !== 'prepare')
      expect(entries).toMatchObject([
        {
          verb: line.replace('watch-page', 'page'),
          outcome: 'done',
          object: expect.stringMatching(press.object),
          ...(press.after !== undefined && { after: press.after }),
        },
      ])
    },
  )

  it('is recorded as failed if the card is gone', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const context = await openActContext(store, await storeAct(store), 1)
    const card = newId()
    // Casts: only these are used.
    const [press] = onItCommands({ watching: store.watching } as unknown as Parameters<
      typeof onItCommands
    >[0]).filter(({ line }) => line === '/hc watch-ack')
    const pressing = press?.run(context, { values: { card }, flags: {} } as unknown as Arguments)
    await expect(pressing).rejects.toThrow('This card is no longer stored. Nothing was changed.')
    expect(await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })).toMatchObject([
      { verb: '/hc watch-ack', object: `outage ${card}`, outcome: 'failed' },
    ])
  })
})
