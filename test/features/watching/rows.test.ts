import type { Rows } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { lineElements } from '@signalman/slack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import type { PollFailure } from '../../../src/domain/outages/outage.ts'
import { createFindNearby } from '../../../src/features/watching/find-card.ts'
import { pollService } from '../../../src/features/watching/polling/poll-service.ts'
import type { PendingPost } from '../../../src/features/watching/rows/outbox.ts'
import { WATCH_WORK } from '../../../src/features/watching/rows/work.ts'
import type { Waits } from '../../../src/features/watching/rules/channel/state.ts'
import type { Silence } from '../../../src/features/watching/rules/silence.ts'
import type { NewWatch } from '../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { changeWatching } from '../../decide.ts'
import { quickOrLong } from '../../long.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

const CHANNEL = 'C1'
const INTERVAL_MS = 30_000
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
const PERSON = { userId: 'U1', name: 'Bea' }

const toWatch = (values: Partial<NewWatch> = {}): NewWatch => ({
  ...{ id: newId(), ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1 },
  ...{ ownerId: 'U9', ...values },
})
const check = (name: string) => ({ uuid: name, name })
const sees = (bad: readonly string[], good: readonly string[] = []) => ({
  ...{ bad: new Map(bad.map((name) => [name, check(name)])), good: new Set(good) },
  ...{ installing: new Set<string>(), deleted: new Set<string>() },
})
const createMute = (clock: () => Date): Silence => ({
  ...{ ...SCOPE, id: newId(), channelId: CHANNEL, subject: { kind: 'all' } },
  ...{ isMaintenance: false, from: clock(), to: new Date(clock().getTime() + 7_200_000), timeZone: 'UTC' },
  ...{ reason: '', ownerId: 'U1', ownerName: 'Bea', madeAt: clock() },
})

describe.each(SHARED_DATABASES)('the rows of watching on $name', ({ start }) => {
  /** A store whose clock the test moves, and a process that polls. */
  async function open(watch: Partial<NewWatch> = {}) {
    await using started = new AsyncDisposableStack()
    const database = started.use(await start())
    let ms = Date.UTC(2026, 10, 28)
    const clock = () => new Date(ms)
    const store = started.use(await openStore({ ...database, clock }))
    const second = started.use(await openStore({ ...database, clock }))
    const { rows } = started.use(await openDatabase(database.url))
    await changeWatching(store, 'T1', ({ watches }) => watches.add(toWatch(watch)))
    const { lease, savePoll } = await claimPolling(store, 'one', INTERVAL_MS)
    const resources = started.move()
    return {
      ...{ store, second, lease, clock, rows },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
      pass: (minutes: number) => (ms += minutes * 60_000),
      poll: (bad: readonly string[], good?: readonly string[]) => savePoll(store.watching, sees(bad, good)),
      savePoll,
      /** Polls once a minute. */
      async stay(minutes: number, bad: readonly string[]) {
        for (let minute = 0; minute < minutes; minute += 1) {
          ms += 60_000
          await savePoll(store.watching, sees(bad))
          await store.watching.update('T1', 'production')
        }
      },
      next: () => store.watching.outbox.findNext('T1', CHANNEL),
    }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  /** Sends what is pending, as delivery does. */
  async function send(opened: Opened): Promise<string[]> {
    const sent: string[] = []
    for (;;) {
      const pending = await opened.next()
      if (!pending || 'waitMs' in pending) return sent
      sent.push(...(await sendOne(opened, pending)))
    }
  }

  async function sendOne({ store }: Opened, pending: PendingPost): Promise<string[]> {
    const { outbox } = store.watching
    const begun = pending.ts === undefined ? await outbox.begin(pending) : pending
    if (!begun) return []
    await outbox.markShown(begun, { channelId: CHANNEL, ts: begun.ts ?? newId() }, begun.version)
    if (begun.post.about) await store.watching.update('T1', 'production')
    return [describeSent(begun)]
  }

  /** How often each watch has paged about each incident. */
  async function countPages({ rows }: Opened): Promise<number[]> {
    const lines = await rows.selectFrom('incident_line').select('waits').execute()
    const waits = lines.map((line) => JSON.parse(line.waits ?? '{}') as Partial<Waits>)
    return waits.flatMap(({ pages = {} }) => Object.values(pages).map(({ count }) => count))
  }

  /** A store in which these checks went down a minute after the first poll, and the channel was told. */
  async function openDown(watch: Partial<NewWatch> = {}, down = ['shop']) {
    const opened = await open(watch)
    await opened.poll([], [])
    opened.pass(1)
    await opened.poll(down)
    await send(opened)
    return opened
  }

  it.each(['the last watch ends', 'another account’s checks are polled'])(
    'say of what nobody sees anymore whether it was down, up, or being installed: %s',
    async (what) => {
      await using opened = await openDown({}, ['shop', 'shop-2', 'mail', 'mail-2', 'web', 'web-2'])
      const { store, clock, savePoll, pass } = opened
      const { watches } = store.watching
      pass(1)
      const seen = sees(['shop', 'shop-2'], ['mail', 'mail-2'])
      await savePoll(store.watching, { ...seen, installing: new Set(['web', 'web-2']) })
      await send(opened)
      pass(1)
      if (what.includes('watch'))
        for (const { id } of await watches.list('T1'))
          await changeWatching(store, 'T1', ({ watches }) => watches.remove(id, clock()))
      else await savePoll(store.watching, { ...sees([]), isAnotherAccount: true })
      const span = { from: new Date(0), to: clock() }
      const ended = await store.watching.history.listIncidents(SCOPE, span, 10)
      expect(Object.fromEntries(ended.map(({ check, ending }) => [check.name, ending]))).toEqual({
        ...{ shop: 'unseen', 'shop-2': 'unseen', mail: 'recovered', 'mail-2': 'recovered' },
        ...{ web: 'installing', 'web-2': 'installing' },
      })
    },
  )

  it('wait with a message whose outcome is unknown, unless the clock was set back', async () => {
    await using opened = await open()
    await opened.poll([], [])
    opened.pass(1)
    await opened.poll(['shop'])
    const card = await opened.next()
    if (!card || 'waitMs' in card) throw new Error('There is no card.')
    const { outbox } = opened.store.watching
    await outbox.checkLater(card, 60_000)
    expect(await opened.next()).toEqual({ waitMs: 60_000 })
    await outbox.checkLater(card, 600_000)
    expect(await opened.next()).toMatchObject({ post: { kind: 'card' } })
  })

  it('settles soon what may have been posted before a channel was paused, and delays nothing else for it', async () => {
    await using world = await open({ page: PAGE })
    const { store, clock, rows, poll, pass } = world
    const { outbox, channels } = store.watching
    await poll([], ['a', 'b'])
    await poll(['a', 'b'])
    const card = await outbox.findNext('T1', CHANNEL)
    const begun = card && !('waitMs' in card) ? await outbox.begin(card) : undefined
    if (!begun) throw new Error('Nothing is to be sent.')
    const where = { workspace_id: 'T1', kind: WATCH_WORK.deliver, key: CHANNEL }
    const work = rows.selectFrom('work').where((row) => row.and(where))
    const readDueMs = async () =>
      Date.parse((await work.select('due_at').executeTakeFirstOrThrow()).due_at) - clock().getTime()
    const pause = () => channels.pause('T1', CHANNEL, 'refused', { now: clock() })
    const resume = (agreedOutsideAt?: Date) =>
      changeWatching(store, 'T1', ({ channels }) =>
        channels.resume(CHANNEL, { isSharedOutside: false, askedAt: clock(), agreedOutsideAt }),
      )
    await outbox.checkLater(begun, 60_000)
    await pause()
    expect(await readDueMs()).toBe(60_000)
    // Whoever resumes it waits for nothing.
    await resume(clock())
    expect(await readDueMs()).toBe(0)
    // An admin has agreed, so nothing is paused.
    await channels.pause('T1', CHANNEL, 'shared-outside', { now: clock() })
    expect(await readDueMs()).toBe(0)
    // From when the clock was ahead.
    await outbox.checkLater(begun, 4 * 3_600_000)
    await pause()
    expect(await readDueMs()).toBe(0)
    // It couldn't be settled, because its card is gone: nothing is tried again and again.
    await outbox.checkLater(begun, 0)
    pass(2)
    const due_at = new Date(clock().getTime() + 3_600_000).toISOString()
    await rows
      .updateTable('work')
      .set({ due_at })
      .where((row) => row.and(where))
      .execute()
    await pause()
    expect(await readDueMs()).toBe(3_600_000)
  })

  it('name an incident once, also if another channel lists it', async () => {
    await using opened = await open({ page: PAGE })
    const { store, poll, pass, stay } = opened
    await changeWatching(store, 'T1', ({ watches }) => watches.add(toWatch({ channelId: 'C2', page: PAGE })))
    await poll([], [])
    pass(1)
    await poll(['shop'])
    expect(await send(opened)).toEqual(['card: shop'])
    await stay(10, ['shop'])
    expect(await send(opened)).toEqual(['note: shop', 'card: shop'])
  })

  it('edit the card once the checks can’t be seen for another reason', async () => {
    await using opened = await open()
    const { store, savePoll, pass, poll } = opened
    const fail = (failure: PollFailure) => savePoll(store.watching, failure)
    await poll([], [])
    for (let minute = 0; minute < 6; minute += 1) {
      pass(1)
      await fail('unreachable')
    }
    expect(await send(opened)).toEqual(['card: production'])
    await fail('unreachable')
    expect(await send(opened)).toEqual([])
    await fail('unauthorized')
    expect(await send(opened)).toEqual(['card: production'])
  })

  it('have no two watches of a channel and environment with the same patterns and exclusions', async () => {
    await using opened = await open()
    const { store } = opened
    const list = () => store.watching.watches.list('T1')
    const rules = fc
      .uniqueArray(fc.constantFrom('shop*', 'Shop*', 'web'), { maxLength: 2 })
      .map((patterns) => patterns.map((pattern) => ({ field: 'name' as const, pattern })))
    const wanted = fc.record({
      filter: fc.record({ include: rules, exclude: rules }),
      channelId: fc.constantFrom(CHANNEL, 'C2'),
      environment: fc.constantFrom('production' as const, 'ote' as const),
      page: fc.constantFrom(undefined, PAGE),
      changed: fc.option(fc.nat(3)),
    })
    const write = (all: readonly { pattern: string }[]) =>
      [...new Set(all.map(({ pattern }) => pattern.toLowerCase()))].toSorted().join()
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 4, maxLength: 12 }), async (lines) => {
        for (const { changed, ...values } of lines) {
          const before = changed === null ? undefined : (await list())[changed]
          const saving = before
            ? changeWatching(store, 'T1', ({ watches }) =>
                watches.change(before.id, { ...before, filter: values.filter, page: values.page }),
              )
            : changeWatching(store, 'T1', ({ watches }) => watches.add(toWatch(values)))
          await saving.catch((error: unknown) => expect(String(error)).toContain('Another watch'))
        }
        const keys = (await list()).map(({ channelId, environment, filter }) =>
          [channelId, environment, write(filter.include), write(filter.exclude)].join(' '),
        )
        expect(keys).toEqual([...new Set(keys)])
        for (const { id } of await list())
          await changeWatching(store, 'T1', ({ watches }) => watches.remove(id, opened.clock()))
      }),
      { numRuns: quickOrLong('WATCH_RUNS', { quick: 15, long: 400 }) },
    )
  })

  it('save polls only of who polls, once, and note a gap', async () => {
    await using opened = await open()
    const { savePoll, pass, store, lease, clock } = opened
    const { history, polls } = store.watching
    await savePoll(store.watching, sees([]))
    pass(0.5)
    const read = await polls.find(SCOPE)
    if (!read) throw new Error('Nothing is polled.')
    const other = { ...lease, owner: 'two' }
    expect(await savePoll(store.watching, sees(['shop']), { as: other })).toBe(false)
    expect(await savePoll(store.watching, sees([]))).toBe(false)
    expect(await history.findPoll(SCOPE)).toMatchObject({ polls: 2, lastOkAt: clock() })
    // What was read before another poll was saved is out of date.
    expect(await polls.save(read, lease, sees(['shop']), { intervalMs: INTERVAL_MS })).toBe(false)
    for (let failedPolls = 1; failedPolls <= 5; failedPolls += 1) {
      pass(2)
      expect([failedPolls, await savePoll(store.watching, 'unreachable')]).toEqual([
        failedPolls,
        failedPolls === 5,
      ])
    }
    expect(await history.findPoll(SCOPE)).toMatchObject({ failedPolls: 5, polls: 2 })
    pass(5)
    const seenTo = (await history.findPoll(SCOPE))?.lastOkAt
    await savePoll(store.watching, sees([]))
    expect(await history.findPoll(SCOPE)).toMatchObject({ polls: 3, seenSince: clock(), failedPolls: 0 })
    const observed = await history.listObserved(SCOPE, { from: new Date(0), to: clock() })
    expect(observed.map(({ to }) => to)).toEqual([seenTo, clock()])
  })

  it('see nothing of another account that they knew, and tell nothing of it as new', async () => {
    await using opened = await open({ page: PAGE })
    const { savePoll, store, stay, pass } = opened
    const poll = (account: string, bad: string[], isAnotherAccount = false) =>
      savePoll(store.watching, { ...sees(bad), isAnotherAccount }, { account })
    await poll('one', [])
    pass(1)
    await poll('one', ['shop'])
    expect(await send(opened)).toEqual(['card: shop'])
    pass(1)
    // A new token of the same account.
    await poll('two', ['shop', 'mail'])
    pass(1)
    await poll('three', ['lab'], true)
    expect(await send(opened)).toEqual(['card: lab', 'card: mail shop'])
    await stay(12, ['lab'])
    expect((await send(opened)).filter((text) => text.startsWith('note'))).toEqual([])
  })

  it('page what fell while the token of the same account was replaced, as told by what was down before', async () => {
    await using opened = await open({ page: PAGE })
    const { poll, savePoll, store, pass, stay } = opened
    await poll([])
    pass(1)
    await poll(['mail', 'old'])
    pass(1)
    await savePoll(store.watching, { ...sees([], ['mail']), deleted: new Set(['old']) }, { account: 'one' })
    for (let minute = 0; minute < 40; minute += 1) {
      pass(1)
      await poll([], ['mail'])
    }
    await send(opened)
    const former = await store.watching.polls.listFormer(SCOPE)
    expect(former).toEqual(['mail'])
    const statuses: Record<string, string> = { mail: 'HEALTHY', shop: 'UNHEALTHY' }
    const toCheck = (uuid: string) => ({ ...check(uuid), status: statuses[uuid] })
    const healthChecks = {
      async *listAll() {
        yield { total: 1, results: [toCheck('shop')], unreadable: 0 }
      },
      get: async (uuid: string) => toCheck(uuid),
    }
    const api = { healthChecks, account: 'two' } as never
    const { signal } = new AbortController()
    const found = await pollService(api, new Map(), signal, { account: 'one', uuids: former })
    await savePoll(store.watching, found, { account: 'two' })
    await stay(11, ['shop'])
    expect(await send(opened)).toEqual(['card: shop', 'note: shop', 'card: shop'])
  })

  it('know only what a card lists of what was down before a watch, and page nobody about the rest', async () => {
    const filter = { include: [{ field: 'name' as const, pattern: 'web-*' }], exclude: [] }
    await using opened = await open({ filter })
    const { store, rows, clock, poll, pass, stay } = opened
    const old = Array.from({ length: 600 }, (_, nth) => `lab-${nth}`)
    await poll([])
    pass(1)
    await poll(old)
    pass(1)
    const mute = { ...createMute(clock), to: new Date(clock().getTime() + 60_000) }
    await changeWatching(store, 'T1', ({ silences }) => silences.add([mute]))
    await changeWatching(store, 'T1', ({ watches }) => watches.add(toWatch({ page: PAGE })))
    expect(await rows.selectFrom('incident_line').selectAll().execute()).toHaveLength(0)
    await stay(15, old)
    expect((await send(opened)).map((text) => text.split(':')[0])).toEqual(['card'])
    expect(await rows.selectFrom('incident_line').selectAll().execute()).toHaveLength(500)
  })

  it('keep a press that comes between what a poll read and what it saves', async () => {
    await using opened = await openDown({ page: PAGE })
    const { poll, pass, store, second } = opened
    pass(1)
    const before = await store.watching.polls.find(SCOPE)
    const [{ id: postId = '' } = {}] = await listPosts(opened)
    expect(await changeWatching(second, 'T1', ({ onIt }) => onIt.take(postId, PERSON))).toMatchObject({
      taken: [{ name: 'shop' }],
    })
    await poll(['shop', 'mail'])
    expect(before?.known.get('shop')?.onIt).toBeUndefined()
    expect(await store.watching.onIt.listTaken('T1', 'U1')).toMatchObject([{ incident: { badPolls: 2 } }])
  })

  it('put a person on what may go down again, say so on the card, name only what is down, and page nobody then', async () => {
    await using opened = await openDown({ page: PAGE }, ['a', 'b'])
    const { poll, pass, stay, store } = opened
    const { onIt } = store.watching
    pass(1)
    await poll(['a'], ['b'])
    await send(opened)
    const [{ id: postId = '' } = {}] = await listPosts(opened)
    expect(await changeWatching(store, 'T1', ({ onIt }) => onIt.take(postId, PERSON))).toMatchObject({
      taken: [{ name: 'a' }],
    })
    expect(await onIt.listTaken('T1', PERSON.userId)).toHaveLength(2)
    expect(await send(opened)).toEqual(['card: a b'])
    await stay(25, ['a'])
    expect(await send(opened)).toEqual([])
    const other = { userId: 'U2', name: 'Bo' }
    expect(await changeWatching(store, 'T1', ({ onIt }) => onIt.take(postId, other))).toMatchObject({
      takenBy: { by: PERSON.userId },
    })
    expect(
      await changeWatching(store, 'T1', ({ onIt }) =>
        onIt.take(postId, other, { takeOverFrom: PERSON.userId }),
      ),
    ).toMatchObject({ taken: [{ name: 'a' }] })
    // A button that says whom it takes over from, pressed too late, takes it from nobody else.
    expect(
      await changeWatching(store, 'T1', ({ onIt }) =>
        onIt.take(postId, { userId: 'U3', name: 'Cy' }, { takeOverFrom: PERSON.userId }),
      ),
    ).toMatchObject({ takenBy: { by: other.userId } })
    pass(1)
    await poll([], ['a', 'b'])
    expect(
      await changeWatching(store, 'T1', ({ onIt }) =>
        onIt.take(postId, PERSON, { takeOverFrom: other.userId }),
      ),
    ).toBe('none')
    expect(await onIt.removePerson('T1', PERSON.userId)).toBe(0)
    expect(await onIt.listTaken('T1', other.userId)).toHaveLength(2)
  })

  it('survive polls and presses of two processes at the same time', async () => {
    await using opened = await openDown({ page: PAGE }, ['a'])
    const { poll, stay, store, second } = opened
    const [{ id: postId = '' } = {}] = await listPosts(opened)
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all([
      ...names.map((_, index) => poll(names.slice(0, index + 1))),
      ...names.map((_, index) =>
        changeWatching(second, 'T1', ({ onIt }) => onIt.take(postId, { userId: `U${index}`, name: 'x' })),
      ),
      ...names.map(() => second.watching.update('T1', 'production')),
      ...names.map(() => store.watching.update('T1', 'production')),
    ])
    await poll(names)
    await stay(6, names)
    await Promise.all([store.watching.update('T1', 'production'), second.watching.update('T1', 'production')])
    const sent = await send(opened)
    expect(sent.filter((text) => text.startsWith('note')).length).toBeLessThan(2)
    const cards = (await listPosts(opened)).filter(({ kind }) => kind === 'card')
    expect(cards.map(({ id }) => id)).toEqual([postId])
    const lines = await opened.rows.selectFrom('incident_line').selectAll().execute()
    expect(lines.map(({ card_id }) => card_id)).toEqual(names.map(() => postId))
  })

  it('offer in a channel what nobody is on there, however much is down', async () => {
    await using opened = await openDown({}, ['a', 'b'])
    const { watching } = opened.store
    const [one] = await watching.history.listDown(SCOPE)
    if (!one) throw new Error('Nothing is down.')
    const listDown = async () =>
      Array.from({ length: 70_000 }, (_, nth) => ({ ...one, check: check(`${nth}`) }))
    const find = createFindNearby({ ...watching, history: { ...watching.history, listDown } })
    const labels = async (channelId: string) =>
      (await find({ ...SCOPE, userId: 'U1', channelId } as never, undefined))?.buttons.map(
        ({ label }) => label,
      )
    expect([await labels(CHANNEL), await labels('C2')]).toEqual([['I’m on it'], []])
    const [{ id: postId = '' } = {}] = await listPosts(opened)
    await changeWatching(opened.store, 'T1', ({ onIt }) => onIt.take(postId, PERSON))
    expect(await labels(CHANNEL)).toEqual([])
  })

  it('send no page once maintenance has begun, although nothing was decided since', async () => {
    await using opened = await openDown({ page: PAGE })
    const { store, clock, stay, pass, next } = opened
    const from = new Date(clock().getTime() + 630_000)
    const planned = { ...createMute(clock), isMaintenance: true, from }
    await changeWatching(store, 'T1', ({ silences }) => silences.add([planned]))
    await stay(10, ['shop'])
    const page = await next()
    if (!page || 'waitMs' in page) throw new Error('Nobody is paged.')
    pass(1)
    expect([page.post.kind, await store.watching.outbox.begin(page)]).toEqual(['note', undefined])
  })

  it('send no page by hand about what their channel doesn’t watch anymore', async () => {
    const filter = { include: [{ field: 'name' as const, pattern: 'shop' }], exclude: [] }
    await using opened = await openDown({ filter })
    const { store, clock } = opened
    const [own] = await store.watching.watches.list('T1')
    await changeWatching(store, 'T1', ({ watches }) => watches.add(toWatch({ channelId: 'C2' })))
    const about = { channelId: CHANNEL, environment: 'production', uuid: 'shop' } as const
    const page = { askedBy: 'Ann', responders: [{ name: '@lee', id: 'U7' }] }
    await changeWatching(store, 'T1', ({ onIt }) => onIt.page(about, page))
    await changeWatching(store, 'T1', ({ watches }) => watches.remove(own?.id ?? '', clock()))
    expect(await send(opened)).toEqual(['card: '])
  })

  it('page about a check that went down during a mute, or that isn’t down often enough', async () => {
    await using opened = await open({ page: PAGE, afterBadPolls: 3 })
    const { poll, pass, store, clock } = opened
    await poll([], [])
    await changeWatching(store, 'T1', ({ silences }) => silences.add([createMute(clock)]))
    pass(1)
    await poll(['shop'])
    expect(await send(opened)).toEqual([])
    const about = { channelId: CHANNEL, environment: 'production', uuid: 'shop' } as const
    const responders = [{ name: '@lee', id: 'U7' }]
    expect(
      await changeWatching(store, 'T1', ({ onIt }) => onIt.page(about, { askedBy: 'Ann' })),
    ).toMatchObject([{ channelId: CHANNEL, responders: [{ name: '@on-call' }] }])
    expect(await send(opened)).toEqual(['card: shop', 'note: shop'])
    expect(
      await changeWatching(store, 'T1', ({ onIt }) => onIt.page(about, { askedBy: 'Ann', responders })),
    ).toMatchObject([{ responders }])
    expect(await send(opened)).toEqual(['note: shop'])
    for (const { id } of await store.watching.silences.list('T1', clock()))
      await changeWatching(store, 'T1', ({ silences }) => silences.end([id], clock()))
    await opened.stay(9, ['shop'])
    expect((await send(opened)).filter((text) => text.startsWith('note'))).toEqual([])
  })

  it('count a page once it was sent, whether Slack’s answer came or was found, and not one that nobody needed by then', async () => {
    await using opened = await openDown({ page: PAGE })
    const { poll, pass, stay, store, next } = opened
    const { outbox } = store.watching
    const findPage = async () => {
      const pending = await next()
      if (!pending || 'waitMs' in pending) throw new Error('Nothing is to be sent.')
      return pending
    }
    await stay(10, ['shop'])
    const page = await findPage()
    expect([page.post.kind, await countPages(opened)]).toEqual(['note', []])
    await poll([], ['shop'])
    expect(await outbox.begin(page)).toBeUndefined()
    expect(await send(opened)).toEqual(['reply in a thread: shop', 'card: shop'])
    pass(1)
    await poll(['shop'])
    const again = await outbox.begin(await findPage())
    if (!again) throw new Error('The page isn’t needed.')
    // Its answer is lost: what happens meanwhile doesn't change what it was about.
    await poll([], ['shop'])
    const found = await findPage()
    expect(found).toMatchObject({ post: { id: again.post.id, attemptedAt: opened.clock() } })
    // It shows what was so, and is edited.
    expect(found.version).toBe(again.version + 1)
    for (const version of [again.version, again.version, found.version])
      await outbox.markShown(found, { channelId: CHANNEL, ts: '1' }, version)
    expect(await countPages(opened)).toEqual([1])
    await store.watching.update('T1', 'production')
    expect(await send(opened)).toEqual(['reply in a thread: shop', 'card: shop'])
  })

  it.each(['up', 'down again'])(
    'count only minutes down if Slack confirms a page when the check is %s',
    async (state) => {
      await using opened = await openDown({ page: PAGE })
      const { poll, pass, stay, store, next } = opened
      await stay(10, ['shop'])
      const page = await next()
      const begun = page && !('waitMs' in page) && (await store.watching.outbox.begin(page))
      if (!begun) throw new Error('Nobody is paged.')
      const confirm = () =>
        store.watching.outbox.markShown(begun, { channelId: CHANNEL, ts: '1' }, begun.version)
      await stay(2, ['shop'])
      // Until Slack answers, nobody is paged about it a second time.
      expect((await listPosts(opened)).filter(({ kind }) => kind === 'note')).toHaveLength(1)
      for (let minute = 0; minute < 5; minute += 1) {
        pass(1)
        await poll([], ['shop'])
        if (state === 'up' && minute === 0) await confirm()
      }
      await stay(1, ['shop'])
      if (state === 'down again') await confirm()
      await stay(9, ['shop'])
      await send(opened)
      expect(await countPages(opened)).toEqual([1])
      await stay(1, ['shop'])
      await send(opened)
      expect(await countPages(opened)).toEqual([2])
    },
  )

  it('page when they would have, if the version before has saved since when they wait and when they paged', async () => {
    await using opened = await openDown({ page: PAGE })
    const { stay, rows, store, clock } = opened
    const fellAt = clock()
    /** As that version wrote it. */
    const saveBefore = (pages: Record<string, { atMs: number; count: number }>) =>
      rows
        .updateTable('incident_line')
        .set({ waits: null, waits_from: fellAt.toISOString(), pages: JSON.stringify(pages) })
        .execute()
    const sendPages = async () => (await send(opened)).filter((text) => text.startsWith('note'))
    await stay(6, ['shop'])
    await saveBefore({})
    await stay(3, ['shop'])
    expect(await sendPages()).toEqual([])
    await stay(1, ['shop'])
    expect(await sendPages()).toEqual(['note: shop'])
    const [watch] = await store.watching.watches.list('T1')
    await stay(3, ['shop'])
    await saveBefore({ [watch?.id ?? '']: { atMs: fellAt.getTime() + 600_000, count: 1 } })
    await stay(6, ['shop'])
    expect(await sendPages()).toEqual([])
    await stay(1, ['shop'])
    expect(await sendPages()).toEqual(['note: shop'])
  })

  it('pause a channel that is shared outside until an admin has agreed, and again if it is shared with others', async () => {
    await using opened = await open()
    const { store, clock, pass } = opened
    const { channels } = store.watching
    const pause = (revokes = false) =>
      channels.pause('T1', CHANNEL, 'shared-outside', { now: clock(), revokes })
    const isPaused = async () => (await channels.find('T1', CHANNEL)).paused !== undefined
    const resume = (asked: { isSharedOutside: boolean; askedAt: Date; agreedOutsideAt?: Date }) =>
      changeWatching(store, 'T1', ({ channels }) => channels.resume(CHANNEL, asked))
    const agree = () => resume({ isSharedOutside: true, askedAt: clock(), agreedOutsideAt: clock() })
    expect([await pause(), await isPaused()]).toEqual([true, true])
    expect(await pause()).toBe(false)
    expect(await agree()).toBe(true)
    expect([await pause(), await isPaused()]).toEqual([false, false])
    const before = clock()
    pass(1)
    expect([await pause(true), await isPaused()]).toEqual([true, true])
    // Only an admin ends this pause, or whoever asks Slack after it and reads that it isn't shared anymore.
    await channels.resume('T1', CHANNEL)
    expect(await resume({ isSharedOutside: true, askedAt: clock() })).toBe(false)
    expect(await resume({ isSharedOutside: false, askedAt: before })).toBe(false)
    expect(await resume({ isSharedOutside: true, askedAt: before, agreedOutsideAt: before })).toBe(false)
    expect(await isPaused()).toBe(true)
    expect(await resume({ isSharedOutside: false, askedAt: clock() })).toBe(true)
    expect([await pause(), await isPaused()]).toEqual([true, true])
    // The clock was a day ahead.
    pass(24 * 60)
    await pause(true)
    pass(-24 * 60)
    expect(await agree()).toBe(true)
  })

  it.each([true, false])(
    'forget whoever is erased in what channels were told (it was sent: %s)',
    async (isSent) => {
      await using opened = await openDown({ page: PAGE })
      const { store, clock, rows } = opened
      const said = { line: lineElements('Bea "Bee" Example muted everything.') }
      const page = { askedBy: 'Bea\\Example', responders: [{ name: '@bea', id: 'UBEA' }] }
      await changeWatching(store, 'T1', ({ onIt }) =>
        onIt.page({ ...SCOPE, channelId: CHANNEL, uuid: 'shop' }, page),
      )
      await changeWatching(store, 'T1', ({ silences }) => silences.add([createMute(clock)], said))
      if (isSent) await send(opened)
      const person = { userId: 'UBEA', alsoKnownAs: [] }
      expect(await store.erasePerson('T1', person)).toMatchObject({ messages: 2 })
      expect(JSON.stringify(await rows.selectFrom('watch_post').selectAll().execute())).not.toMatch(/bea/i)
    },
  )

  it('tell nothing again when a mute ends, and say who changed what', async () => {
    await using opened = await openDown({ page: PAGE })
    const { stay, store, clock } = opened
    const mute = createMute(clock)
    await changeWatching(store, 'T1', ({ silences }) => silences.add([mute], { line: [] }))
    await stay(20, ['shop'])
    expect(await send(opened)).toEqual(['said: ', 'card: shop'])
    await changeWatching(store, 'T1', ({ silences }) =>
      silences.end([mute.id], clock(), () => ({ line: [] })),
    )
    expect(
      await changeWatching(store, 'T1', ({ silences }) =>
        silences.end([mute.id], clock(), () => ({ line: [] })),
      ),
    ).toEqual([])
    expect(await send(opened)).toEqual(['said: ', 'card: shop'])
    await stay(9, ['shop'])
    expect((await send(opened)).filter((text) => text.startsWith('note'))).toEqual([])
    await stay(1, ['shop'])
    expect(await send(opened)).toEqual(['note: shop', 'card: shop'])
  })
})

function describeSent({ post, incidents, target }: PendingPost): string {
  const names = incidents.map(({ check }) => check.name).sort()
  return `${post.kind}${target.threadTs ? ' in a thread' : ''}: ${names.join(' ')}`
}

const listPosts = ({ rows }: { readonly rows: Rows }) =>
  rows.selectFrom('watch_post').selectAll().orderBy('opened_at').orderBy('id').execute()
