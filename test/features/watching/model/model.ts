import { openStore, type Store } from '../../../../src/app/store.ts'
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
import { createChannels, createChecks, keptBy, modelRenderer, type SlackTrouble } from './counterparts.ts'
import { createMortal } from './mortal.ts'
import { createReference, type ReferenceWatch } from './reference.ts'

export const UUIDS = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4'] as const
export const CHANNELS = ['C1', 'C2'] as const
const WORKSPACE = 'T1'
const MINUTE_MS = 60_000
const TICK_MS = 20_000
const SCOPE = { workspaceId: WORKSPACE, environment: 'production' } as const

/** The ways in which a channel may watch. */
const FILTERS: readonly WatchFilter[] = [
  EVERY_CHECK,
  { include: [{ field: 'name', pattern: 'check-a*' }], exclude: [{ field: 'uuid', pattern: 'a3' }] },
  { include: [{ field: 'status', pattern: 'INSTALLING' }], exclude: [] },
  {
    include: [
      { field: 'status', pattern: 'INSTALLING' },
      { field: 'status', pattern: 'UNHEALTHY' },
    ],
    exclude: [],
  },
]
const ALL: Pick<ReferenceWatch, 'fits' | 'statuses'> = { fits: () => true, statuses: ['UNHEALTHY'] }
const FITS: readonly (typeof ALL)[] = [
  ALL,
  { fits: (uuid) => uuid.startsWith('a') && uuid !== 'a3', statuses: ['UNHEALTHY'] },
  { fits: () => true, statuses: ['INSTALLING'] },
  { fits: () => true, statuses: ['INSTALLING', 'UNHEALTHY'] },
]

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
  const reference = createReference()
  const checks = createChecks([...UUIDS, ...Array.from({ length: more }, (_, index) => `z${index}`)])
  const channels = createChannels()
  const faults: unknown[] = []
  const watches = new Map<string, { id: string; filter: number; after: number }>()

  /** What was really written down tells the reference when it happened. */
  function listening(watching: Store['watching']): Store['watching'] {
    return {
      ...watching,
      polls: {
        ...watching.polls,
        async finish(...given) {
          const isDone = await watching.polls.finish(...given)
          if (isDone) reference.poll(checks.statuses)
          return isDone
        },
        async finishQuietly(ends) {
          const written = await watching.polls.finishQuietly(ends)
          for (const isDone of written) if (isDone) reference.poll(checks.statuses)
          return written
        },
      },
      due: {
        ...watching.due,
        async muteEnd(workspaceId, muteId) {
          const left = await watching.due.muteEnd(workspaceId, muteId)
          if (!(await store.watching.mutes.find(workspaceId, muteId))) reference.muteEnded(muteId)
          return left
        },
      },
    }
  }

  const mortal = createMortal({
    store: { ...store, watching: listening(store.watching) },
    kindsOf: (watching, postAttempts) =>
      createWatching({
        watching,
        steps: store.recordedSteps,
        keeping: keptBy({ ...store, postAttempts }, channels.poster),
        renderer: modelRenderer,
        apiOf: async () => checks.api,
        ...given,
        intervalMs: MINUTE_MS,
        wake: () => undefined,
        log: createLog('silent'),
      }),
    onFault: (error) => faults.push(error),
  })

  async function pass(ms: number): Promise<void> {
    const until = at + ms
    while (at < until) {
      at = Math.min(until, at + TICK_MS)
      await mortal.runDue()
    }
  }

  const place = (channel: number) => ({ ...SCOPE, channelId: CHANNELS[channel] ?? 'C1' })

  return {
    store,
    reference,
    channels,
    faults,
    now,
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
    async watch(
      channel: number,
      filter: number,
      after: number,
      { another = false, ...extra }: Partial<WatchTerms> & { another?: boolean } = {},
    ): Promise<void> {
      const name = another ? `${channel}, another` : `${channel}`
      const known = watches.get(name)
      const terms: WatchTerms = {
        filter: FILTERS[filter] ?? EVERY_CHECK,
        afterBadPolls: after,
        notify: 'once',
        reminderHours: 0,
        ...extra,
      }
      const told = { channel: place(channel).channelId, ...(FITS[filter] ?? ALL), after }
      if (known) {
        await store.watching.watches.change(WORKSPACE, known.id, terms, now())
        reference.watch(known.id, told, known.filter !== filter || after > known.after)
        watches.set(name, { id: known.id, filter, after })
        return
      }
      const given = { ...place(channel), ...terms, ownerId: 'U1', madeAt: now() }
      const { id } = await store.watching.watches.add(given)
      reference.watch(id, told)
      watches.set(name, { id, filter, after })
    },
    async resume(channel: number): Promise<void> {
      await store.watching.watches.resume(WORKSPACE, place(channel).channelId, now())
    },
    async pause(channel: number): Promise<void> {
      await store.watching.watches.pause(WORKSPACE, place(channel).channelId, 'archived', now())
    },
    async unwatch(channel: number, { another = false } = {}): Promise<void> {
      const name = another ? `${channel}, another` : `${channel}`
      const known = watches.get(name)
      if (!known) return
      await store.watching.watches.remove(WORKSPACE, known.id, now())
      reference.unwatch(known.id)
      watches.delete(name)
    },
    async mute(channel: number, index: number): Promise<void> {
      const uuid = UUIDS[index]
      const about = uuid ? ({ kind: 'check', uuid, name: uuid } as const) : ({ kind: 'all' } as const)
      const until = new Date(at + 15 * MINUTE_MS)
      const mute = { ...place(channel), about, until, by: 'U1', madeAt: now() }
      const { id } = await store.watching.mutes.add(mute)
      reference.mute(id, mute.channelId, uuid)
    },
    async unmute(): Promise<void> {
      const [mute] = await store.watching.mutes.list(WORKSPACE)
      if (mute) await store.watching.mutes.end(WORKSPACE, mute.id)
    },
    async acknowledge(): Promise<void> {
      const [card] = await store.watching.cards.open(WORKSPACE, { limit: 1 })
      if (card)
        await store.watching.cards.acknowledge(WORKSPACE, card.id, { userId: 'U1', name: 'Ann', now: now() })
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export type Model = Awaited<ReturnType<typeof createModel>>
