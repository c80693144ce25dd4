import { describe, expect, it } from 'vitest'
import type { ReminderHours, Watch } from '../../../../src/features/watching/rules/watch.ts'
import { createModel, UUIDS } from '../model/model.ts'
import {
  addOrChangeWatch,
  createState,
  INTERVAL,
  MINUTE,
  observe,
  type PendingPage,
  releaseOutage,
  takeOutages,
  update,
  type WatchingState,
} from './in-memory-state.ts'

const ENV = 'production'

interface PostedCard {
  readonly id: string
  readonly reason: string
  readonly names: string[]
  edits: number
}

/** Creates a channel whose polls and clock a test controls. Its messages are posted immediately. */
function createChannel() {
  let now = 1_000_000_000
  const world: WatchingState = createState(now)
  const checks = new Map<string, { name: string; isBad: boolean }>()
  for (const [uuid, name] of ['web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'web-6', 'db-1'].entries())
    checks.set(`u${uuid}`, { name, isBad: false })
  const posted: PostedCard[] = []
  const pages: string[] = []
  const findCheck = (name: string) => {
    const check = [...checks.values()].find((candidate) => candidate.name === name)
    if (!check) throw new Error(`There is no ${name}.`)
    return check
  }

  function deliver(): void {
    for (const card of world.cards) {
      if (world.closedChannels.includes(card.channel) || card.shownVersion === card.version) continue
      const existing = posted.find(({ id }) => id === card.id)
      const names = card.listedOutageIds.map(
        (id) => world.outages.find((outage) => outage.id === id)?.name ?? id,
      )
      if (existing) existing.edits += 1
      else posted.push({ id: card.id, reason: card.reason ?? card.kind, names, edits: 0 })
      Object.assign(card, { shownVersion: card.version, isUnposted: false })
    }
    for (const call of world.calls) recordPage(call)
    world.calls = []
  }

  function recordPage({ key, channel, env, people, steps }: PendingPage): void {
    pages.push(`${people.join(' ')}: ${steps.length}`)
    const state = world.channels[`${channel} ${env}`]
    if (state)
      state.escalations = state.escalations.map(({ callId, ...escalation }) =>
        callId === key ? { ...escalation, step: escalation.step + 1 } : { ...escalation, callId },
      )
  }

  async function settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await update(world, now)
      deliver()
    }
  }

  return {
    world,
    posted,
    pages,
    /** Formats each post as its reason and the checks that it listed when it was posted. */
    listPosts: () => posted.map(({ reason, names }) => `${reason}: ${names.join(' ')}`),
    watch: (settings: Partial<Watch> & { pattern?: string } = {}) => {
      const { pattern = '*', ...changes } = settings
      addOrChangeWatch(world, {
        ...{ id: 'w1', channelId: 'A', environment: ENV, afterBadPolls: 1, notify: 'once' },
        filter: { include: [{ field: 'name', pattern }], exclude: [] },
        reminderHours: 0 as ReminderHours,
        ...{
          baseline: [],
          workspaceId: 'T1',
          ownerId: 'U1',
          madeAt: new Date(now),
          changedAt: new Date(now),
        },
        ...changes,
      })
    },
    silence: (subject: string, minutes: number) =>
      void world.silences.push({
        ...{ id: `s${world.silences.length}`, subject, env: ENV, channel: 'A' },
        ...{ from: now, until: now + minutes * MINUTE },
      }),
    down: (...names: string[]) => {
      for (const name of names) findCheck(name).isBad = true
    },
    up: (...names: string[]) => {
      for (const name of names) findCheck(name).isBad = false
    },
    rename: (name: string, to: string) => {
      findCheck(name).name = to
    },
    /** Runs this many polls, a minute apart. */
    async runPolls(count: number, { fails = false } = {}): Promise<void> {
      for (let poll = 0; poll < count; poll += 1) {
        now += INTERVAL
        observe(world, ENV, fails ? undefined : checks, now)
        await settle()
      }
    },
    settle,
    jump: (minutes: number) => {
      now += minutes * MINUTE
    },
    take: (by: string) =>
      takeOutages(
        world,
        world.outages.map(({ id }) => id),
        by,
        now,
      ),
    stepDown: () => {
      for (const outage of world.outages)
        if (outage.onIt && !outage.endedAt) releaseOutage(world, outage, now)
    },
    /** Whether another decision, now or right before the next timer, would change nothing. */
    async changesNothing(): Promise<boolean> {
      const before = JSON.stringify(world)
      const wake = await update(world, now)
      const isSame = JSON.stringify(world) === before
      const later = structuredClone(world)
      await update(later, Math.min(wake, now + INTERVAL) - 1)
      return isSame && JSON.stringify(later.channels) === JSON.stringify(world.channels)
    },
  }
}

const createSteps = (...after: [minutes: number, name: string][]) =>
  after.map(([minutes, name]) => ({ afterMs: minutes * MINUTE, responders: [{ name }] }))

/** One example for each rule of watching. `decisions.test.ts` tests them in random histories. */
describe('the rules of watching', () => {
  it('1: time without polls doesn’t advance escalation', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([30, '@a']) })
    channel.down('web-1')
    await channel.runPolls(2)
    channel.jump(120)
    await channel.settle()
    expect(channel.pages).toEqual([])
    channel.jump(-240)
    await channel.runPolls(22)
    expect(channel.pages).toEqual([])
    await channel.runPolls(8)
    expect(channel.pages).toEqual(['@a: 1'])
  })

  it('2: an outage is on exactly one card, even if several watches match it', async () => {
    const channel = createChannel()
    channel.watch()
    channel.watch({ id: 'w2', pattern: 'web-*' })
    channel.down('web-1')
    await channel.runPolls(3)
    expect(channel.listPosts()).toEqual(['down: web-1'])
  })

  it('3: outages that are reported at the same time share a message', async () => {
    const channel = createChannel()
    channel.watch()
    channel.down('web-1', 'db-1')
    await channel.runPolls(1)
    expect(channel.listPosts()).toEqual(['down: web-1 db-1'])
  })

  it('4: a relapse returns to its card, and the person on the outage stays on it for ten minutes', async () => {
    const channel = createChannel()
    channel.watch()
    channel.down('web-1')
    await channel.runPolls(1)
    channel.take('ann')
    channel.up('web-1')
    await channel.runPolls(3)
    channel.down('web-1')
    await channel.runPolls(2)
    const last = () => channel.world.outages.at(-1)
    expect(last()?.onIt?.by).toBe('ann')
    expect(channel.listPosts()).toEqual(['down: web-1'])
    await channel.runPolls(10)
    expect(last()?.onIt).toBeUndefined()
    expect(channel.listPosts()).toEqual(['down: web-1', 'still-down: web-1'])
  })

  it('5: new outages are added to a storm’s card while nobody is on it, but not to a small card', async () => {
    const storm = createChannel()
    storm.watch()
    storm.down('web-1', 'web-2', 'web-3', 'web-4', 'web-5')
    await storm.runPolls(2)
    storm.down('web-6')
    await storm.runPolls(1)
    expect(storm.listPosts()).toHaveLength(1)
    storm.take('ann')
    storm.down('db-1')
    await storm.runPolls(1)
    expect(storm.listPosts().at(-1)).toBe('down: db-1')
    const small = createChannel()
    small.watch()
    small.down('web-1')
    await small.runPolls(2)
    small.down('web-2')
    await small.runPolls(1)
    expect(small.listPosts()).toEqual(['down: web-1', 'down: web-2'])
  })

  it('6: outages added by editing a card get a new message if nobody is on them after ten minutes', async () => {
    const channel = createChannel()
    channel.watch()
    channel.down('web-1')
    await channel.runPolls(1)
    channel.up('web-1')
    await channel.runPolls(3)
    channel.down('web-1')
    await channel.runPolls(9)
    expect(channel.listPosts()).toEqual(['down: web-1'])
    await channel.runPolls(3)
    expect(channel.listPosts()).toEqual(['down: web-1', 'still-down: web-1'])
  })

  it('7: with --notify every, a relapse gets its own card', async () => {
    const channel = createChannel()
    channel.watch({ notify: 'every' })
    channel.down('web-1')
    await channel.runPolls(1)
    channel.up('web-1')
    await channel.runPolls(3)
    channel.down('web-1')
    await channel.runPolls(1)
    expect(channel.listPosts()).toEqual(['down: web-1', 'down: web-1'])
  })

  it.each(['ends', 'no longer covers a renamed check'] as const)(
    '8: when a silence %s, one message lists what is still down, including outages already on a card',
    async (reason) => {
      const channel = createChannel()
      channel.watch()
      channel.down('web-1')
      await channel.runPolls(1)
      channel.silence('web-*', reason === 'ends' ? 5 : 600)
      channel.down('web-2')
      await channel.runPolls(3)
      expect(channel.listPosts()).toEqual(['down: web-1'])
      if (reason !== 'ends') for (const name of ['web-1', 'web-2']) channel.rename(name, `pay-${name}`)
      await channel.runPolls(3)
      const [, after] = channel.listPosts()
      expect(channel.listPosts()).toHaveLength(2)
      expect(after).toMatch(/^silence-over: .*web-1 .*web-2$/)
    },
  )

  it('9: setting the clock back neither undoes a silence that has begun nor restarts one that has ended', async () => {
    const duringSilence = createChannel()
    duringSilence.watch()
    duringSilence.silence('web-*', 10)
    await duringSilence.runPolls(1)
    duringSilence.jump(-120)
    duringSilence.down('web-1')
    await duringSilence.runPolls(3)
    expect(duringSilence.listPosts()).toEqual([])
    const afterSilence = createChannel()
    afterSilence.watch()
    afterSilence.silence('web-*', 2)
    await afterSilence.runPolls(5)
    afterSilence.jump(-120)
    afterSilence.down('web-1')
    await afterSilence.runPolls(1)
    expect(afterSilence.listPosts()).toEqual(['down: web-1'])
  })

  it('10: an outage from before the watch isn’t reported until its check is renamed to match or a silence of it ends', async () => {
    const channel = createChannel()
    channel.watch({ id: 'other', pattern: 'nothing' })
    channel.down('web-1', 'db-1')
    await channel.runPolls(2)
    channel.watch({ pattern: 'web-*' })
    await channel.runPolls(2)
    expect(channel.listPosts()).toEqual([])
    channel.rename('db-1', 'web-7')
    await channel.runPolls(1)
    expect(channel.listPosts()).toEqual(['down: web-7'])
    channel.silence('web-1', 3)
    await channel.runPolls(5)
    expect(channel.listPosts()).toEqual(['down: web-7', 'silence-over: web-1'])
  })

  it('11: --after delays the card and that watch’s escalation, but never removes an outage from a card', async () => {
    const channel = createChannel()
    channel.watch({ afterBadPolls: 3, escalation: createSteps([5, '@a']) })
    channel.down('web-1')
    await channel.runPolls(2)
    expect(channel.listPosts()).toEqual([])
    await channel.runPolls(1)
    expect(channel.listPosts()).toEqual(['down: web-1'])
    await channel.runPolls(4)
    expect(channel.pages).toEqual([])
    await channel.runPolls(2)
    expect(channel.pages).toEqual(['@a: 1'])
    channel.watch({ afterBadPolls: 20, escalation: createSteps([5, '@a']) })
    await channel.runPolls(2)
    const [card] = channel.world.cards
    expect(card?.closedAt).toBeUndefined()
    expect(card?.content).toContain('web-1')
  })

  it('12: escalation pauses while the outage is silenced or someone is on it, and runs one step at a time', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a'], [9, '@b']) })
    channel.down('web-1')
    await channel.runPolls(2)
    channel.silence('web-1', 30)
    await channel.runPolls(30)
    expect(channel.pages).toEqual([])
    await channel.runPolls(5)
    expect(channel.pages).toEqual(['@a: 1'])
    channel.take('ann')
    await channel.runPolls(20)
    expect(channel.pages).toEqual(['@a: 1'])
  })

  it.each(['changing the steps', 'stepping down'] as const)(
    '13: %s restarts escalation from step one',
    async (action) => {
      const channel = createChannel()
      channel.watch({ escalation: createSteps([5, '@a'], [10, '@b']) })
      channel.down('web-1')
      await channel.runPolls(7)
      expect(channel.pages).toEqual(['@a: 1'])
      if (action === 'changing the steps') channel.watch({ escalation: createSteps([5, '@c'], [10, '@b']) })
      else {
        channel.take('ann')
        await channel.runPolls(1)
        channel.stepDown()
      }
      await channel.runPolls(7)
      expect(channel.pages).toEqual(['@a: 1', action === 'changing the steps' ? '@c: 1' : '@a: 1'])
    },
  )

  it('14: escalation steps that are due together for the same people become one page', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a']) })
    channel.watch({ id: 'w2', pattern: 'web-*', escalation: createSteps([5, '@a']) })
    channel.down('web-1', 'web-2')
    await channel.runPolls(7)
    expect(channel.pages).toEqual(['@a: 4'])
  })

  it('15: “I’m on it” applies only to the outages on the card version where it was pressed', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    for (const index of [0, 1, 2, 3, 4]) model.setStatus(index, 'UNHEALTHY')
    await model.passWithoutFaults(1)
    const [shown] = [...model.channels.messages.values()].map(({ model: card }) => card)
    if (shown?.kind !== 'multi-check') throw new Error('There is no storm.')
    model.setStatus(5, 'UNHEALTHY')
    await model.passWithoutFaults(1)
    expect(model.channels.messages.size).toBe(1)
    const { acknowledgments } = model.store.watching
    const pressed = { cardId: shown.cardId, version: shown.version }
    await acknowledgments.acknowledge('T1', pressed, { userId: 'U1', name: 'Ann' })
    expect(
      (await acknowledgments.listAcknowledged('T1')).map(({ outage }) => outage.check.uuid).toSorted(),
    ).toEqual(UUIDS.slice(0, 5).toSorted())
  })

  it('16: one reminder lists all outages that nobody is on, and replaces the previous reminder', async () => {
    const channel = createChannel()
    channel.watch({ reminderHours: 1 })
    channel.down('web-1')
    await channel.runPolls(30)
    channel.down('web-2')
    await channel.runPolls(32)
    expect(channel.listPosts()).toEqual(['down: web-1', 'down: web-2', 'reminder: web-1 web-2'])
    await channel.runPolls(60)
    expect(channel.listPosts().slice(3)).toEqual(['reminder: web-1 web-2'])
    const reminders = channel.world.cards.filter(({ kind }) => kind === 'reminder')
    expect(reminders.map(({ reason }) => reason)).toEqual(['replaced', undefined])
    channel.take('ann')
    await channel.runPolls(61)
    expect(channel.listPosts()).toHaveLength(4)
  })

  it('17: a resumed channel gets one message with current outages and those it missed while paused', async () => {
    const channel = createChannel()
    channel.watch()
    channel.down('web-1')
    await channel.runPolls(1)
    channel.world.closedChannels.push('A')
    channel.down('web-2', 'web-3')
    await channel.runPolls(2)
    channel.up('web-3')
    await channel.runPolls(3)
    channel.world.closedChannels = []
    channel.world.resumedChannels.push(`A ${ENV}`)
    await channel.runPolls(1)
    expect(channel.listPosts()).toEqual(['down: web-1', 'resumed: web-1 web-2 web-3'])
  })

  it('18: while Signalman can’t see checks, no outages are posted and nobody is paged or reminded', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([8, '@a']), reminderHours: 1 })
    channel.down('web-1')
    await channel.runPolls(1)
    await channel.runPolls(120, { fails: true })
    expect([channel.listPosts(), channel.pages]).toEqual([['down: web-1'], []])
  })

  it('19: each change to a card creates a version, and a card that changes back is sent again', async () => {
    const channel = createChannel()
    channel.watch()
    channel.down('web-1')
    await channel.runPolls(1)
    const card = () => channel.world.cards[0]
    const before = card()?.version ?? 0
    channel.world.closedChannels.push('A')
    channel.take('ann')
    await channel.settle()
    channel.stepDown()
    await channel.settle()
    expect(card()?.version).toBeGreaterThanOrEqual(before + 2)
    expect(card()?.shownVersion).toBe(before)
    channel.world.closedChannels = []
    await channel.settle()
    expect(card()?.shownVersion).toBe(card()?.version)
    expect(channel.posted).toMatchObject([{ edits: 1 }])
  })

  it('20: repeating a decision at the same time or before the timer changes nothing', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a']), reminderHours: 1 })
    channel.down('web-1')
    for (let poll = 0; poll < 8; poll += 1) {
      await channel.runPolls(1)
      expect(await channel.changesNothing()).toBe(true)
    }
  })
})

/**
 * Regression tests. More of them are in rules 6, 8, 10, 13, 15, and 16, and in `reachable.test.ts`,
 * `on-call/rows/silences.test.ts`, `on-call/still-on-it.test.ts`, `on-call/commands/mutes.test.ts`, and
 * `delivery/resumed-channels.test.ts`.
 */
describe('outages', () => {
  it('page both teams in a storm, even if their escalation delays are equal', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([2, '@a']) })
    channel.watch({ id: 'w2', pattern: 'web-*', escalation: createSteps([2, '@b']) })
    channel.down('web-1', 'web-2', 'web-3', 'web-4', 'web-5')
    await channel.runPolls(4)
    expect(channel.pages.toSorted()).toEqual(['@a: 5', '@b: 5'])
  })

  it('get a new card and page from step one if they recur after half an hour', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a'], [30, '@lead']) })
    for (let outage = 0; outage < 2; outage += 1) {
      channel.down('web-1')
      await channel.runPolls(8)
      channel.up('web-1')
      await channel.runPolls(30)
    }
    expect(channel.listPosts()).toEqual(['down: web-1', 'down: web-1'])
    expect(channel.pages).toEqual(['@a: 1', '@a: 1'])
  })

  it('page nobody in one channel once someone is on them in another', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a']) })
    channel.watch({ id: 'w2', channelId: 'B', escalation: createSteps([5, '@b']) })
    channel.down('web-1')
    await channel.runPolls(2)
    channel.take('ann')
    await channel.runPolls(20)
    expect(channel.pages).toEqual([])
  })

  it('page one escalation step at a time, even after a silence or pause', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a'], [10, '@b']) })
    channel.silence('web-*', 60)
    channel.down('web-1')
    await channel.runPolls(61)
    expect(channel.pages).toEqual([])
    channel.world.closedChannels.push('A')
    await channel.runPolls(60)
    channel.world.closedChannels = []
    channel.world.resumedChannels.push(`A ${ENV}`)
    await channel.runPolls(3)
    expect(channel.pages).toEqual([])
    await channel.runPolls(3)
    expect(channel.pages).toEqual(['@a: 1'])
    await channel.runPolls(5)
    expect(channel.pages).toEqual(['@a: 1', '@b: 1'])
  })

  it('don’t page before the paging watch’s --after, even if another watch has posted the card', async () => {
    const channel = createChannel()
    channel.watch()
    channel.watch({ id: 'w2', afterBadPolls: 5, escalation: createSteps([4, '@a']) })
    channel.down('web-1')
    await channel.runPolls(8)
    expect([channel.listPosts(), channel.pages]).toEqual([['down: web-1'], []])
    await channel.runPolls(2)
    expect(channel.pages).toEqual(['@a: 1'])
  })

  it('stay silent until the last of two silences has ended', async () => {
    const channel = createChannel()
    channel.watch()
    channel.silence('*', 20)
    channel.silence('web-1', 5)
    channel.down('web-1')
    await channel.runPolls(15)
    expect(channel.listPosts()).toEqual([])
    await channel.runPolls(6)
    expect(channel.listPosts()).toEqual(['silence-over: web-1'])
  })

  it('still page and remind after their watch is ended and recreated', async () => {
    const channel = createChannel()
    channel.watch({ escalation: createSteps([5, '@a']), reminderHours: 1 })
    channel.down('web-1')
    await channel.runPolls(2)
    channel.world.watches = []
    await channel.runPolls(1)
    channel.watch({ id: 'w2', escalation: createSteps([5, '@a']), reminderHours: 1 })
    await channel.runPolls(8)
    expect(channel.pages).toEqual(['@a: 1'])
    await channel.runPolls(65)
    expect(channel.listPosts()).toEqual(['down: web-1', 'still-down: web-1', 'reminder: web-1'])
  })
})
