import { setImmediate } from 'node:timers/promises'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { createWatching } from '../../../../src/features/watching/create-watching.ts'
import type { LookParts } from '../../../../src/features/watching/first-look/look-work.ts'
import {
  EVERY_CHECK,
  type WatchFilter,
  type WatchTerms,
} from '../../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../../src/log.ts'
import { KEY_A } from '../../../databases/databases.ts'
import type { Death } from '../../../mortal-life.ts'
import { slackOf } from '../reachable-people.ts'
import { createCalls, STEPS } from './calls.ts'
import { createChannels, createChecks, keptBy, modelRenderer, type SlackTrouble } from './counterparts.ts'
import { createMortal } from './mortal.ts'
import { createPlanned } from './planned.ts'
import { createReference, type ReferenceWatch } from './reference.ts'

export const UUIDS = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4'] as const
export const CHANNELS = ['C1', 'C2'] as const
const WORKSPACE = 'T1'
const MINUTE_MS = 60_000
const TICK_MS = 20_000
/** Nothing is seen for five minutes before that is told. */
const BLIND_MS = 7 * MINUTE_MS
const SCOPE = { workspaceId: WORKSPACE, environment: 'production' } as const

/** The ways in which a channel may watch. */
const FILTERS: readonly WatchFilter[] = [
  EVERY_CHECK,
  { include: [{ field: 'name', pattern: 'check-a*' }], exclude: [{ field: 'uuid', pattern: 'a3' }] },
]
const ALL: Pick<ReferenceWatch, 'fits'> = { fits: () => true }
const FITS: readonly (typeof ALL)[] = [ALL, { fits: (uuid) => uuid.startsWith('a') && uuid !== 'a3' }]

interface Extra extends Partial<WatchTerms> {
  another?: boolean
  /** Whether it calls people. */
  calls?: boolean
}

/** Each channel has up to two. */
interface ModelWatch {
  channel: number
  another: boolean
  /** Which of FILTERS. */
  fits: number
  after: number
  calls?: boolean
}

const nameOf = (channel: number, another: boolean): string => `${channel}${another ? ', another' : ''}`

const termsOf = ({
  fits,
  after,
  calls = false,
  ...extra
}: Pick<ModelWatch, 'fits' | 'after'> & Extra): WatchTerms => ({
  filter: FILTERS[fits] ?? EVERY_CHECK,
  afterBadPolls: after,
  notify: 'once',
  reminderHours: 0,
  ...(calls && { escalation: STEPS }),
  ...extra,
})

/** `more`: so many checks beside those that have names here. */
export async function createModel({
  more = 0,
  url = 'sqlite::memory:',
  keys = KEY_A,
  ...given
}: { more?: number; url?: string; keys?: string } & Pick<LookParts, 'lookFromHere'> = {}) {
  let at = Date.UTC(2026, 2, 1, 12)
  const now = () => new Date(at)
  const store = await openStore({ url, keys, now, clock: now })
  const reference = createReference(UUIDS)
  const checks = createChecks([...UUIDS, ...Array.from({ length: more }, (_, index) => `z${index}`)])
  const channels = createChannels()
  const faults: unknown[] = []
  const watches = new Map<string, { id: string; fits: number; after: number }>()
  const onFault = (fault: unknown): void => void faults.push(fault)
  const planned = createPlanned({ maintenance: store.watching.maintenance, reference, now, onFault })
  /** By the id of each outage its check, status and number, as the reference has them. */
  const names = new Map<string, string>()
  let isSetBack = false
  let lastSeen = at
  const isBlind = (): boolean => checks.state.failure !== undefined && at - lastSeen > BLIND_MS

  /** What was really written down tells the reference when it happened. */
  function listening(watching: Store['watching']): Store['watching'] {
    return {
      ...watching,
      polls: {
        ...watching.polls,
        async finish(...given) {
          const isDone = await watching.polls.finish(...given)
          if (isDone) await seen()
          return isDone
        },
      },
      mutes: {
        ...watching.mutes,
        async step(workspaceId, muteId) {
          const left = await watching.mutes.step(workspaceId, muteId)
          if (!(await store.watching.mutes.find(workspaceId, muteId))) reference.silenceEnded(muteId)
          return left
        },
      },
      maintenance: {
        ...watching.maintenance,
        async step(...given) {
          const left = await watching.maintenance.step(...given)
          await planned.sync()
          return left
        },
      },
    }
  }

  /** A poll has ended: what is new has the next numbers, in the order of polls whatever the clock says. */
  async function seen(): Promise<void> {
    reference.poll(checks.statuses)
    lastSeen = at
    const to = new Date(at + 365 * 24 * 60 * MINUTE_MS)
    const query = { ...SCOPE, from: new Date(0), to }
    // By pages, in turns of their own, as the app reads them.
    for (let after: Outage | undefined; ; ) {
      const page = await store.watching.history.outagePage(query, after)
      await setImmediate()
      for (const { id, check, status } of page) {
        if (names.has(id)) continue
        const key = `${check.uuid} ${status}`
        const number = [...names.values()].filter((name) => name.startsWith(`${key} `)).length + 1
        names.set(id, `${key} ${number}`)
      }
      after = page.at(-1)
      if (!after) return
    }
  }

  const mortal = createMortal({
    store: { ...store, watching: listening(store.watching) },
    onQuiet: seen,
    kindsOf: (watching, postAttempts, times) =>
      createWatching({
        watching,
        steps: store.recordedSteps,
        slackOf,
        keeping: keptBy({ ...store, postAttempts }, channels.poster),
        renderer: modelRenderer,
        apiOf: async () => checks.api,
        ...given,
        ...times,
        intervalMs: MINUTE_MS,
        wake: () => undefined,
        log: createLog('silent'),
      }),
    onFault,
  })
  const calls = createCalls({ cards: store.watching.cards, reference, names, isBlind, onFault })
  channels.state.onCall = calls.called

  async function pass(ms: number): Promise<void> {
    const until = at + ms
    while (at < until) {
      const before = at
      at = Math.min(until, at + TICK_MS)
      planned.look()
      await mortal.pass(at - before)
      await mortal.runDue()
    }
  }

  const place = (channel: number) => ({ ...SCOPE, channelId: CHANNELS[channel] ?? 'C1' })

  async function watchBy({ channel, another, fits, after, ...how }: ModelWatch & Extra): Promise<void> {
    const name = nameOf(channel, another)
    const known = watches.get(name)
    const terms = termsOf({ fits, after, ...how })
    const told = {
      ...{ channel: place(channel).channelId, ...(FITS[fits] ?? ALL), after },
      calls: terms.escalation !== undefined,
    }
    if (known) {
      await store.watching.watches.change(WORKSPACE, known.id, terms, now())
      reference.watch(known.id, told, known.fits !== fits || after > known.after)
      watches.set(name, { id: known.id, fits, after })
      return
    }
    const given = { ...place(channel), ...terms, ownerId: 'U1', madeAt: now() }
    const { id } = await store.watching.watches.add(given)
    reference.watch(id, told)
    watches.set(name, { id, fits, after })
  }

  async function unwatch(name: string): Promise<void> {
    const known = watches.get(name)
    if (!known) return
    await store.watching.watches.remove(WORKSPACE, known.id, now())
    reference.unwatch(known.id)
    watches.delete(name)
  }

  return {
    store,
    reference,
    channels,
    faults,
    now,
    names,
    planned,
    calls,
    checks,
    /** Somebody has set the clock back: times do not say any more what came first. */
    isSetBack: () => isSetBack,
    async jump(minutes: number): Promise<void> {
      isSetBack ||= minutes < 0
      await mortal.runDue()
      planned.look()
      at += minutes * MINUTE_MS
      planned.look()
      await mortal.runDue()
    },
    pass: (minutes: number) => pass(minutes * MINUTE_MS),
    /** One poll passes, with all that follows from it. */
    minute: () => pass(MINUTE_MS),
    async quietly(minutes: number): Promise<void> {
      channels.state.trouble = undefined
      checks.state.failure = undefined
      for (let minute = 0; minute < minutes; minute += 1) await pass(MINUTE_MS)
    },
    set(index: number, status: string): void {
      checks.statuses.set(UUIDS[index % UUIDS.length] ?? 'a1', status)
    },
    remove: (index: number): void => void checks.statuses.delete(UUIDS[index % UUIDS.length] ?? ''),
    all(status: string): void {
      for (const uuid of checks.statuses.keys()) checks.statuses.set(uuid, status)
    },
    service(failure: false | 'unavailable' | 'unauthorized'): void {
      checks.state.failure = failure || undefined
    },
    trouble(trouble: SlackTrouble): void {
      channels.state.trouble = trouble
    },
    dieAt: (death: Death, lives?: number): void => mortal.dieAt(death, lives),
    watch: (channel: number, fits: number, after: number, { another = false, ...extra }: Extra = {}) =>
      watchBy({ channel, fits, after, another, ...extra }),
    async resume(channel: number): Promise<void> {
      await store.watching.watches.resume(WORKSPACE, place(channel).channelId, now())
    },
    async pause(channel: number): Promise<void> {
      await store.watching.watches.pause(WORKSPACE, place(channel).channelId, 'archived', now())
    },
    rename: (uuid: string, name: string) => void checks.names.set(uuid, name),
    unwatch: (channel: number, { another = false } = {}) => unwatch(nameOf(channel, another)),
    async mute(channel: number, index: number): Promise<void> {
      const uuid = UUIDS[index]
      const about = uuid ? ({ kind: 'check', uuid, name: uuid } as const) : ({ kind: 'all' } as const)
      const covers = uuid ? (one: string) => one === uuid : () => true
      const until = new Date(at + 15 * MINUTE_MS)
      const mute = { ...place(channel), about, until, by: 'U1', madeAt: now() }
      const { id } = await store.watching.mutes.add(mute)
      reference.silence(id, { channel: mute.channelId, covers, hasBegun: () => true })
    },
    async unmute(): Promise<void> {
      const [mute] = await store.watching.mutes.list(WORKSPACE)
      if (mute) await store.watching.mutes.end(WORKSPACE, mute.id)
    },
    /** Somebody presses what a card shows: that they are on it, or take it over; or the button that it had before. */
    async acknowledge(who = 0, { which = 0, isOlder = false } = {}): Promise<void> {
      const shown = new Map([...channels.standing.values()].map(({ model }) => [model.cardId, model]))
      const open = await store.watching.cards.open(WORKSPACE, { limit: 100 })
      const cards = open.filter(({ id, kind }) => shown.has(id) && kind !== 'maintenance' && kind !== 'blind')
      const card = cards[which % cards.length]
      const over = isOlder ? undefined : shown.get(card?.id ?? '')?.acknowledged?.by
      at += 1
      if (card) await calls.acknowledge(card.id, { who, over }, now())
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export type Model = Awaited<ReturnType<typeof createModel>>
