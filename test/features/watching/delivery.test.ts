import type { WorkKind } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createDeliveryWork } from '../../../src/features/watching/delivery/deliver-work.ts'
import { createTellWork } from '../../../src/features/watching/delivery/tell-work.ts'
import type { Responder } from '../../../src/features/watching/rules/watch.ts'
import { createMayPostWatched } from '../../../src/features/watching/watching-work.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { changeWatching } from '../../decide.ts'
import { eitherOf } from '../../long.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

const CHANNEL = 'C1'
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@oncall', id: 'UONCALL' }] }]
const SHOP = { channelId: CHANNEL, environment: 'production', uuid: 'shop' } as const
const NAMES = ['shop', 'mail', 'web']
const error = (code: string) => new Error(`An API error occurred: ${code}`)

describe.each(eitherOf(SHARED_DATABASES))('what is sent on $name', ({ start }) => {
  /** A channel that read that shop is down, a minute after the first poll. */
  async function openDown(settings: object = {}) {
    await using started = new AsyncDisposableStack()
    const database = started.use(await start())
    let nowMs = Date.UTC(2026, 10, 28)
    const clock = () => new Date(nowMs)
    const store = started.use(await openStore({ ...database, clock }))
    const { rows } = started.use(await openDatabase(database.url))
    const { watching, steps, work } = store
    const watch = { id: newId(), ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1 }
    await changeWatching(store, 'T1', ({ watches }) =>
      watches.add({ ...watch, ownerId: 'UOWNER', ...settings }),
    )
    const { savePoll } = await claimPolling(store, 'poller', 30_000)
    const reads: string[] = []
    /** What each message says now. */
    const shown = new Map<string, string>()
    /** Whom Slack can't notify in the channel, whom it doesn't look up, and how it refuses messages there and in DMs. */
    const slack = {
      absent: new Set<string>(),
      unknown: new Set<string>(),
      refusal: '',
      directRefusal: '',
      /** What the service says is being installed. */
      installing: new Set<string>(),
      isDeleted: false,
      isShared: false,
      /** The next message is posted, but the answer is lost. */
      isLost: false,
    }
    const refuse = (to?: string): void => {
      const refusal = to === undefined ? slack.refusal : slack.directRefusal
      if (refusal) throw error(refusal)
    }
    const loseAnswer = (): void => {
      if (slack.isLost) throw Object.assign(new Error('reset'), { code: 'slack_webapi_request_error' })
    }
    const log = createLog('silent')
    const posting = {
      ...{
        steps,
        mayPost: createMayPostWatched({
          ...{ watching, now: clock, mayPost: async () => (slack.isShared ? 'shared-outside' : 'yes') },
          reader: {
            read: async () => ({ isMember: true, isArchived: false, isSharedOutside: slack.isShared }),
            forget: () => undefined,
          },
        } as never),
        log,
        times: { assumeLostAfterMs: 0 },
      },
      poster: {
        async post(
          { to, target }: { to?: string; target: { threadTs?: string } },
          { text }: { text: string },
        ) {
          refuse(to)
          if (to === undefined && target.threadTs && slack.isDeleted) {
            slack.isDeleted = false
            throw error('thread_not_found')
          }
          reads.push(`${to ?? (target.threadTs ? 'thread' : 'channel')}: ${text}`)
          const ts = newId()
          shown.set(ts, text)
          loseAnswer()
          return { channelId: to ?? CHANNEL, ts }
        },
        async edit(_: unknown, ts: string, { text }: { text: string }) {
          if (!shown.has(ts)) throw error('message_not_found')
          if (slack.refusal) throw error(slack.refusal)
          shown.set(ts, text)
        },
        async find() {
          const [ts] = [...shown.keys()].slice(-1)
          return slack.isLost ? { channelId: CHANNEL, ts } : undefined
        },
      },
      reachability: {
        explainPerson: async () => undefined,
        async *listReachable() {
          yield ['UADMIN']
        },
      },
    }
    const reachability = {
      lookUp: async (_: unknown, responders: readonly Responder[]) => ({
        reachable: [],
        not: responders.flatMap((one) =>
          slack.absent.has(one.id ?? '') ? [{ one, reason: 'isn’t in the channel' }] : [],
        ),
        unknown: responders.flatMap((one) =>
          slack.unknown.has(one.id ?? '') ? [{ one, error: error('ratelimited') }] : [],
        ),
      }),
    }
    // Casts: only these parts are used.
    const kinds = [
      createDeliveryWork({
        watching,
        posting,
        reachability,
        log,
        now: clock,
        findAddress: async () => undefined,
      } as never),
      createTellWork({ watching, steps, posting } as never),
    ]
    /** Runs what is due within 20 seconds. */
    async function send(): Promise<void> {
      for (let second = 0; second < 20; second += 5) {
        nowMs += 5000
        await watching.update('T1', 'production')
        for (const kind of kinds) await runDue(kind)
      }
    }
    async function runDue({ kind, run }: WorkKind): Promise<void> {
      for (const claimed of await work.claimDue('one', [kind], 100)) {
        const { signal } = new AbortController()
        const leased = { work: claimed, owner: 'one', signal, wantsStop: () => false }
        await work.release(claimed.id, 'one', await run(leased))
      }
    }
    /** Polls once a minute, and sends what is due. */
    async function pass(minutes: number, ...down: string[]): Promise<void> {
      for (let minute = 0; minute < minutes; minute += 1) {
        nowMs += 40_000
        const bad = new Map(down.map((name) => [name, { uuid: name, name }]))
        const good = new Set(NAMES.filter((name) => !bad.has(name) && !slack.installing.has(name)))
        await savePoll(watching, { bad, good, installing: slack.installing, deleted: new Set() })
        await send()
      }
    }
    /** The service doesn't answer for these minutes. */
    async function blind(minutes: number): Promise<void> {
      for (let minute = 0; minute < minutes; minute += 1) {
        nowMs += 40_000
        await savePoll(watching, 'unreachable')
        await send()
      }
    }
    await pass(1)
    await pass(1, 'shop')
    const [card] = await rows.selectFrom('watch_post').selectAll().execute()
    const resources = started.move()
    return {
      ...{ store, watching, watch, slack, clock, pass, blind, send, shown, cardId: card?.id ?? '' },
      /** What the pages say now, oldest first. */
      pages: () => [...shown.values()].filter((text) => text.startsWith('<@')),
      /** What was read since the last call. */
      read: () => reads.splice(0),
      pageBob: () =>
        changeWatching(store, 'T1', ({ onIt }) =>
          onIt.page(SHOP, { askedBy: 'Ann', responders: [{ name: '@bob', id: 'UBOB' }] }),
        ),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }
  /** Sends the next message, which nobody in the channel would hear of, to others. */
  async function handOver({ watching: { outbox } }: Awaited<ReturnType<typeof openDown>>): Promise<void> {
    const pending = await outbox.findNext('T1', CHANNEL)
    const begun = pending && !('waitMs' in pending) ? await outbox.begin(pending) : undefined
    if (!begun) throw new Error('Nothing is to be sent.')
    await outbox.handOver(begun)
  }
  const ownWatch = async ({ watching }: Awaited<ReturnType<typeof openDown>>) =>
    (await watching.watches.list('T1'))[0]?.id ?? ''

  it.each([
    ['the owner of a watch, if no watch pages', false, 'UOWNER'],
    ['an admin, if the watch has ended meanwhile', true, 'UADMIN'],
  ])('reaches %s, when somebody asks for a page of someone who left', async (_, isEnded, to) => {
    await using world = await openDown()
    expect(world.read()).toMatchObject([expect.stringContaining('channel: ')])
    world.slack.absent.add('UBOB')
    await changeWatching(world.store, 'T1', ({ onIt }) =>
      onIt.take(world.cardId, { userId: 'UCARL', name: 'Carl' }),
    )
    await world.pageBob()
    if (isEnded) {
      const ended = await ownWatch(world)
      await handOver(world)
      await changeWatching(world.store, 'T1', ({ watches }) =>
        watches.add({ ...world.watch, id: newId(), channelId: 'C2', ownerId: 'UOTHER' }),
      )
      await changeWatching(world.store, 'T1', ({ watches }) => watches.remove(ended, world.clock()))
    }
    await world.send()
    const [told, ...others] = world.read().filter((text) => !text.startsWith('channel'))
    expect(others).toEqual([])
    expect(told).toMatch(new RegExp(`^${to}: .*shop .* down.*<@UCARL> is on it\\. Ann asked to page `))
  })

  it('lets only the page wait whose people Slack doesn’t look up, for a minute, and then mentions them', async () => {
    await using world = await openDown({ page: PAGE })
    world.slack.unknown.add('UONCALL')
    world.read()
    await world.pass(9, 'shop')
    expect(world.read()).toEqual([])
    await world.pass(1, 'shop', 'web')
    expect(world.read()).toMatchObject([expect.stringContaining('channel: 🔴 web is down')])
    await world.pass(2, 'shop', 'web')
    expect(world.read()).toMatchObject([expect.stringContaining('channel: <@UONCALL>')])
  })

  it.each(['internal_error', 'ratelimited'])(
    'says once that a check is up whose card is posted only then, because Slack answered %s before',
    async (refusal) => {
      await using world = await openDown()
      const { slack, read, pass } = world
      await pass(32)
      slack.refusal = refusal
      await pass(1, 'web')
      await pass(1)
      slack.refusal = ''
      read()
      await pass(5)
      expect(read()).toEqual([expect.stringMatching(/^channel: 🟢 web is up again/)])
    },
  )

  it('pages everybody whom its watches page, once, if somebody asks for that twice before it is sent', async () => {
    await using world = await openDown({ page: PAGE })
    const { store, watch } = world
    const bob = [{ afterMs: 900_000, responders: [{ name: '@bob', id: 'UBOB' }] }]
    const filter = { include: [{ field: 'name' as const, pattern: 'sh*' }], exclude: [] }
    await world.pass(9, 'shop')
    await changeWatching(store, 'T1', ({ watches }) =>
      watches.add({ ...watch, id: newId(), ownerId: 'UOWNER', filter, page: bob }),
    )
    const page = () => changeWatching(store, 'T1', ({ onIt }) => onIt.page(SHOP, { askedBy: 'Ann' }))
    const names = async () => (await page())?.flatMap(({ responders }) => responders.map(({ id }) => id))
    for (const paged of [await names(), await names()]) expect(paged?.toSorted()).toEqual(['UBOB', 'UONCALL'])
    await world.send()
    expect(world.pages()).toHaveLength(2)
  })

  it('mentions nobody who was ruled out, and tells the owner if that is everybody', async () => {
    await using world = await openDown({ page: PAGE })
    world.slack.absent.add('UONCALL')
    world.read()
    await world.pass(10, 'shop')
    expect(world.read()).toMatchObject([
      expect.stringMatching(/^UOWNER: .*down for 10 min, and nobody is on it\. .*couldn’t notify/),
      expect.stringMatching(/^UOWNER: Slack can’t notify/),
    ])
    await world.pass(9, 'shop')
    expect(world.read()).toEqual([])
  })

  it('tells the owner of a watch once whom of those it pages Slack can’t notify, also if others get the page', async () => {
    const [ann, bob] = [
      { name: '@ann', id: 'UANN' },
      { name: '@bob', id: 'UBOB' },
    ]
    await using world = await openDown({ page: [{ afterMs: 600_000, responders: [ann, bob] }] })
    const readStale = () => world.read().filter((text) => text.includes('can’t notify'))
    await world.pass(2, 'shop')
    expect(readStale()).toEqual([])
    world.slack.absent.add('UANN')
    // What Slack said counts for five minutes, and an edit of the card asks again.
    await world.pass(6, 'shop')
    for (const names of [['shop', 'mail'], ['shop']]) await world.pass(1, ...names)
    const stale = readStale()
    expect(stale).toEqual([
      expect.stringMatching(
        /^UOWNER: Slack can’t notify @.?ann in .*your watch of every health check pages them/,
      ),
    ])
    await world.pass(40)
    await world.pass(8, 'shop')
    expect(readStale()).toEqual([])
    world.slack.absent.add('UBOB')
    await world.pass(40)
    await world.pass(8, 'shop')
    expect(readStale()).toEqual([expect.stringMatching(/^UOWNER: Slack can’t notify @.?bob in /)])
  })

  it.each([false, true])(
    'goes on to say of a page whom it mentioned, and nobody who was ruled out (its answer was lost: %s)',
    async (isLost) => {
      const [ann, bob] = [
        { name: '@ann', id: 'UANN' },
        { name: '@bob', id: 'UBOB' },
      ]
      await using world = await openDown({ page: [{ afterMs: 600_000, responders: [ann, bob] }] })
      world.slack.absent.add('UANN')
      await world.pass(9, 'shop')
      world.slack.isLost = isLost
      await world.pass(1, 'shop')
      expect(world.pages()).toMatchObject([
        expect.stringMatching(/^<@UBOB> 🔴 shop has been down for 10 min/),
      ])
      await world.pass(1, 'shop')
      world.slack.isLost = false
      world.slack.absent.clear()
      await world.pass(1)
      expect(world.pages()).toMatchObject([expect.stringMatching(/^<@UBOB> 🟢 shop is up again/)])
    },
  )

  it('counts none of a mute that ended before the next poll saw what fell during it', async () => {
    await using world = await openDown({ page: PAGE })
    const { store, watch, pass, read, clock } = world
    const silence = { id: newId(), ...SCOPE, channelId: CHANNEL, isMaintenance: false, reason: '' }
    const now = clock()
    const times = { from: now, to: new Date(now.getTime() + 1e9), timeZone: 'UTC', madeAt: now }
    const subject = { kind: 'check', uuid: 'web', name: 'web' } as const
    await changeWatching(store, 'T1', ({ silences }) =>
      silences.add([{ ...silence, ...times, subject, ownerId: watch.id, ownerName: 'Ann' }]),
    )
    await pass(1, 'web')
    await world.blind(3)
    await changeWatching(store, 'T1', ({ silences }) => silences.end([silence.id], clock()))
    await world.send()
    read()
    await pass(9, 'web')
    expect(read().filter((text) => text.includes('<@UONCALL>'))).toEqual([])
    await pass(1, 'web')
    expect(read().filter((text) => text.includes('<@UONCALL>'))).toHaveLength(1)
  })

  it('pages in a DM also if the channel becomes shared before that, and then nobody until an admin agrees', async () => {
    await using world = await openDown({ page: PAGE })
    world.slack.absent.add('UBOB')
    world.read()
    await world.pageBob()
    await handOver(world)
    await world.watching.channels.pause('T1', CHANNEL, 'shared-outside', { now: world.clock() })
    await world.send()
    const told = world.read().toSorted()
    expect(told).toMatchObject([
      expect.stringContaining('shared with another organization'),
      expect.stringContaining('🔴 shop is down'),
    ])
    await world.pass(12, 'shop')
    expect(world.read()).toEqual([])
  })

  it('posts a deleted card again, and then the reply for whoever is on it', async () => {
    await using world = await openDown()
    await changeWatching(world.store, 'T1', ({ onIt }) =>
      onIt.take(world.cardId, { userId: 'UANN', name: 'Ann' }),
    )
    world.read()
    world.slack.isDeleted = true
    await world.pass(1)
    expect(world.read()).toMatchObject([
      expect.stringContaining('channel: 🟢 shop is up again'),
      expect.stringMatching(/^thread: 🟢 shop is up again.*<@UANN> was on it/),
    ])
  })

  const TAKEN = { userId: 'UBEA', name: 'Bea' }
  it.each([
    ['UBEA', 'down'],
    ['UANN', 'down'],
    ['UBEA', 'installing'],
  ])(
    'tells whoever is on it once in a DM that it’s up, also if it wasn’t before that: %s, %s',
    async (other, state) => {
      await using world = await openDown()
      const { store, watching, slack, clock, pass, read, cardId } = world
      const take = (postId: string, userId: string) =>
        changeWatching(store, 'T1', ({ onIt }) => onIt.take(postId, { userId, name: userId }))
      await take(cardId, 'UBEA')
      await pass(6, 'shop', 'mail')
      const [mail] = (await watching.history.listDown(SCOPE)).filter(({ check }) => check.name === 'mail')
      await take((await watching.onIt.findCard('T1', mail?.id ?? '', CHANNEL))?.id ?? '', other)
      await watching.channels.pause('T1', CHANNEL, 'refused', { now: clock() })
      slack.refusal = 'is_archived'
      await world.send()
      slack.directRefusal = 'ratelimited'
      await pass(1)
      const names = ['shop', 'mail']
      const stillDown = state === 'down' ? names : []
      slack.installing = new Set(state === 'down' ? [] : names)
      await pass(1, ...stillDown)
      slack.directRefusal = ''
      read()
      await pass(2, ...stillDown)
      expect(read()).toEqual([])
      slack.installing = new Set()
      await pass(5)
      const told = read()
      for (const [name, by] of [
        ['shop', 'UBEA'],
        ['mail', other],
      ] as const)
        expect(told.filter((text) => text.startsWith(`${by}: 🟢`) && text.includes(name))).toHaveLength(1)
    },
  )

  it('keeps what its page says true: taken, stepped down from, taken again, up, and down again', async () => {
    await using world = await openDown({ page: PAGE })
    const { store, cardId, pass, pages } = world
    const change = (work: Parameters<typeof changeWatching>[2]) => changeWatching(store, 'T1', work)
    await pass(10, 'shop')
    expect(pages()).toMatchObject([
      expect.stringMatching(/^<@UONCALL> 🔴 shop has been down for 10 min, and nobody/),
    ])
    await change(({ onIt }) => onIt.take(cardId, TAKEN))
    await pass(1, 'shop')
    expect(pages()).toMatchObject([
      expect.stringMatching(/^<@UONCALL> 🔴 shop has been down since .*\. Bea is on it\.$/),
    ])
    await change(({ onIt }) => onIt.stepDown(cardId, 'UBEA'))
    await pass(1, 'shop')
    const [stepped] = [...world.shown].filter(([, text]) => text.includes('Bea stepped down.'))
    expect(pages()).toMatchObject([expect.stringMatching(/down since .*, and nobody is on it\.$/)])
    await change(({ onIt }) => onIt.take(cardId, { userId: 'UANN', name: 'Ann' }))
    await pass(1, 'shop')
    expect(world.shown.get(stepped?.[0] ?? '')).toMatch(/^🔴 shop has been down since .*\. Ann is on it\.$/)
    await pass(2)
    expect([...pages(), world.shown.get(stepped?.[0] ?? '')]).toEqual([
      '<@UONCALL> 🟢 shop is up again after 14 min. Ann was on it.',
      '🟢 shop is up again after 14 min. Ann was on it.',
    ])
    await pass(1, 'shop')
    expect(pages()).toMatchObject([
      expect.stringMatching(/🔴 shop has been down again since .*\. Ann is on it\.$/),
    ])
    await pass(32)
    expect(pages()).toMatchObject([
      expect.stringMatching(/^<@UONCALL> 🟢 shop is up again after being down 2 times/),
    ])
  })

  it('keeps the latest five pages true, and says of older ones that there are newer ones', async () => {
    await using world = await openDown({ page: PAGE })
    await world.pass(70, 'shop', 'web')
    const outdated = world
      .pages()
      .filter((text) => text.startsWith('<@UONCALL> ⚪ There are newer messages about'))
    expect([world.pages().length, outdated.length]).toEqual([7, 2])
    await world.pass(4, 'web')
    expect(
      world.pages().filter((text) => /🔴 web has been down since .*🟢 shop is up again/.test(text)),
    ).toHaveLength(5)
    await world.pass(40)
    expect(world.pages().filter((text) => text.includes('🟢 '))).toHaveLength(5)
  })

  it('names on a card whom Slack can notify of its next page', async () => {
    const [ann, bob] = [
      { name: '@ann', id: 'UANN' },
      { name: '@bob', id: 'UBOB' },
    ]
    await using world = await openDown({ page: [{ afterMs: 600_000, responders: [ann, bob] }] })
    const card = () => [...world.shown.values()][0]?.replaceAll('\u2060', '')
    expect(card()).toContain('Nobody is on it. Pages @ann @bob ')
    const later = async (...absent: string[]) => {
      world.slack.absent.clear()
      for (const id of absent) world.slack.absent.add(id)
      // The card's next edit, with the page after this one.
      await world.pass(10, 'shop')
      return card()
    }
    expect(await later('UANN')).toContain('Pages @bob ')
    expect(await later('UANN', 'UBOB')).toMatch(
      /Nobody is on it\. @ann isn’t in the channel, @bob isn’t in the channel, so the owner of the watch or an admin gets a page /,
    )
    world.slack.unknown.add('UBOB')
    await later('UANN')
    // The page waited a minute for Slack.
    await world.pass(2, 'shop')
    expect(card()).toContain('Pages @bob ')
  })

  it('edits a page by hand about several, for each what is so', async () => {
    await using world = await openDown()
    await world.pass(1, 'shop', 'web')
    await changeWatching(world.store, 'T1', ({ onIt }) =>
      onIt.page({ postId: world.cardId }, { askedBy: 'Ann', responders: [{ name: '@bob', id: 'UBOB' }] }),
    )
    await world.send()
    expect(world.pages()).toMatchObject([
      expect.stringMatching(/🔴 (shop|web) and (shop|web) have been down .*Ann paged you/),
    ])
    await world.pass(1, 'web')
    expect(world.pages()).toMatchObject([
      expect.stringMatching(
        /^<@UBOB> 🔴 web has been down since .*, and nobody is on it\. 🟢 shop is up again after 2 min\.$/,
      ),
    ])
  })

  it.each(['by itself', 'by hand'])('posts a page %s that somebody deleted no second time', async (how) => {
    await using world = await openDown({ page: PAGE })
    if (how === 'by hand') await world.pageBob()
    await world.pass(how === 'by hand' ? 1 : 10, 'shop')
    const [page] = [...world.shown].filter(([, text]) => text.startsWith('<@'))
    world.shown.delete(page?.[0] ?? '')
    world.read()
    await changeWatching(world.store, 'T1', ({ onIt }) => onIt.take(world.cardId, TAKEN))
    await world.pass(2, 'shop')
    expect([page === undefined, world.pages(), world.read()]).toEqual([false, [], []])
    await world.pass(2)
    expect([world.pages(), world.read()]).toMatchObject([[], [expect.stringContaining('thread: 🟢 shop')]])
  })

  it.each(['admin agrees', 'watch ends'])(
    'edits no page while others read the channel, until an admin agrees, or nothing is watched (%s)',
    async (end) => {
      await using world = await openDown({ page: PAGE })
      const { watching, store, clock, pass, pages } = world
      await pass(10, 'shop')
      const before = pages()
      world.slack.isShared = true
      await watching.channels.pause('T1', CHANNEL, 'shared-outside', { now: clock() })
      await pass(5)
      expect(pages()).toEqual(before)
      if (end === 'watch ends') {
        const id = await ownWatch(world)
        await changeWatching(store, 'T1', ({ watches }) => watches.remove(id, clock()))
        await world.send()
        expect(pages()).toEqual(['<@UONCALL> ⚪ This channel doesn’t watch this anymore.'])
      } else {
        const asked = { isSharedOutside: true, askedAt: clock(), agreedOutsideAt: clock() }
        await changeWatching(store, 'T1', ({ channels }) => channels.resume(CHANNEL, asked))
        await world.send()
        expect(pages()).toMatchObject([expect.stringContaining('🟢 shop is up again')])
      }
    },
  )

  it('asks an admin again if others than those they agreed to read the channel, although Slack’s events were lost', async () => {
    await using world = await openDown()
    const { store, slack, clock, pass, read } = world
    slack.isShared = true
    await pass(1, 'shop', 'web')
    expect(read().filter((text) => text.includes('another organization'))).toHaveLength(1)
    const now = clock()
    await changeWatching(store, 'T1', ({ channels }) =>
      channels.resume(CHANNEL, { isSharedOutside: true, askedAt: now, agreedOutsideAt: now }),
    )
    // An answer from before the agreement says nothing about it.
    slack.isShared = false
    await pass(1, 'shop')
    slack.isShared = true
    await pass(8, 'shop', 'web')
    expect(read().join()).toContain('channel: 🔴 web has been down')
    slack.isShared = false
    await pass(1, 'shop')
    slack.isShared = true
    read()
    await pass(20, 'shop', 'mail')
    const [told, ...others] = read()
    expect(told).toContain('another organization')
    expect([others, [...world.shown.values()].filter((text) => text.includes('🔴 mail'))]).toEqual([[], []])
  })

  it('says in a page as of when it is while the health checks can’t be seen', async () => {
    await using world = await openDown({ page: PAGE })
    await world.pass(10, 'shop')
    await world.blind(7)
    expect(world.pages()).toMatchObject([
      expect.stringMatching(
        /🔴 shop has been down since .*, and nobody is on it\. ⚫ As of .*: I haven’t seen/,
      ),
    ])
    await world.pass(1)
    expect(world.pages()).toMatchObject([expect.stringMatching(/🟢 shop is up again/)])
  })
})
