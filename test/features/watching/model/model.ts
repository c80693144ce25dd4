import { openStore } from '../../../../src/app/store.ts'
import type { Reachability } from '../../../../src/bot/access/reachable.ts'
import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import {
  ALL_CHECKS,
  type WatchFilter,
  type WatchSettings,
} from '../../../../src/features/watching/rules/watch.ts'
import { createWatchingWork } from '../../../../src/features/watching/watching-work.ts'
import { createLog } from '../../../../src/log.ts'
import type { Api } from '../../../../src/service/service.ts'
import { KEY_A } from '../../../databases/databases.ts'
import type { Death } from '../../../simulated-process.ts'
import { createFakeReachability, findSlackGroups } from '../reachable-people.ts'
import { createSilence } from '../silences.ts'
import { createCrashingProcess } from './crashing-process.ts'
import {
  createFakeChannels,
  createFakeChecks,
  createPostParts,
  modelRenderer,
  type SlackTrouble,
} from './fakes.ts'

export const UUIDS = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4'] as const
export const CHANNELS = ['C1', 'C2', 'C3'] as const
const WORKSPACE = 'T1'
const MINUTE_MS = 60_000
const TICK_MS = 20_000
const SCOPE = { workspaceId: WORKSPACE, environment: 'production' } as const

/** The filters that watches can have. */
const FILTERS: readonly WatchFilter[] = [
  ALL_CHECKS,
  { include: [{ field: 'name', pattern: 'check-a*' }], exclude: [{ field: 'uuid', pattern: 'a3' }] },
  { include: [{ field: 'name', pattern: 'check-b*' }], exclude: [] },
]

/** Escalation steps that page a user group first, and later a person. */
const ESCALATION: readonly EscalationStep[] = [
  { afterMs: 5 * MINUTE_MS, responders: [{ name: '@oncall', id: 'S1', isGroup: true }] },
  { afterMs: 10 * MINUTE_MS, responders: [{ name: '@ann', id: 'U1' }] },
]
export const PEOPLE = [
  { userId: 'U1', name: 'Ann' },
  { userId: 'U2', name: 'Bea' },
  { userId: 'U3', name: 'Cid' },
] as const

interface WatchOptions extends Partial<WatchSettings> {
  /** Whether this is the channel's second watch. */
  isSecond?: boolean
  /** Whether the watch pages people. */
  pages?: boolean
}

/** The settings of a watch. Each channel has up to two watches. */
interface ModelWatch {
  channel: number
  isSecond: boolean
  /** Index in FILTERS. */
  filterIndex: number
  afterBadPolls: number
  pages?: boolean
}

/** Hands over what a person is on and a card lists. */
async function handOver(
  { watching: { acknowledgments } }: Awaited<ReturnType<typeof openStore>>,
  cardId: string,
  from: string,
  to: { userId: string; name: string },
): Promise<void> {
  const pressed = await acknowledgments.listPressedBy(WORKSPACE, { cardId }, from)
  const ids = pressed?.incidents.map(({ id }) => id) ?? []
  if (pressed) await acknowledgments.handOver(pressed.scope, ids, from, to)
}

const toWatchName = (channel: number, isSecond: boolean): string => `${channel}${isSecond ? ', second' : ''}`

const toSettings = ({
  filterIndex,
  afterBadPolls,
  pages = false,
  ...extra
}: Pick<ModelWatch, 'filterIndex' | 'afterBadPolls'> & WatchOptions): WatchSettings => ({
  filter: FILTERS[filterIndex] ?? ALL_CHECKS,
  afterBadPolls,
  notify: 'once',
  reminderHours: 0,
  ...(pages && { escalation: ESCALATION }),
  ...extra,
})

/**
 * Creates a model of watching with simulated time, a fake service, and fake Slack channels, which a test drives step by step.
 * `extraChecks` is the number of checks besides those in UUIDS.
 */
export async function createModel({
  extraChecks = 0,
  url = 'sqlite::memory:',
  keys = KEY_A,
  ote,
  ...overrides
}: {
  extraChecks?: number
  /** The service's other environment. Without it, both environments have the same checks. */
  ote?: Api
  url?: string
  keys?: string
  reachability?: Reachability
} = {}) {
  let nowMs = Date.UTC(2026, 2, 1, 12)
  const now = () => new Date(nowMs)
  const store = await openStore({ url, keys, now, clock: now })
  const checks = createFakeChecks([
    ...UUIDS,
    ...Array.from({ length: extraChecks }, (_, index) => `z${index}`),
  ])
  const channels = createFakeChannels()
  const faults: unknown[] = []
  const watches = new Map<string, { id: string; filterIndex: number; afterBadPolls: number }>()
  const onFault = (fault: unknown): void => void faults.push(fault)
  let planCount = 0

  const process = createCrashingProcess({
    store,
    createKinds: (watching, postAttempts, times) =>
      createWatchingWork({
        watching,
        steps: store.recordedSteps,
        getSlack: findSlackGroups,
        reachability: createFakeReachability(),
        posting: createPostParts({ ...store, postAttempts }, channels.poster, {
          stopwatch: times.stopwatch.now,
        }),
        renderer: modelRenderer,
        getApi: async (_, environment) => (environment === 'ote' && ote ? ote : checks.api),
        ...overrides,
        ...times,
        intervalMs: MINUTE_MS,
        wake: () => undefined,
        log: createLog('silent'),
      }),
    onFault,
  })
  async function pass(ms: number): Promise<void> {
    const until = nowMs + ms
    while (nowMs < until) {
      const before = nowMs
      nowMs = Math.min(until, nowMs + TICK_MS)
      await process.pass(nowMs - before)
      await process.runDue()
    }
  }

  const toChannel = (channel: number) => ({ ...SCOPE, channelId: CHANNELS[channel] ?? 'C1' })

  async function saveWatch({
    channel,
    isSecond,
    filterIndex,
    afterBadPolls,
    ...options
  }: ModelWatch & WatchOptions): Promise<void> {
    const name = toWatchName(channel, isSecond)
    const existing = watches.get(name)
    const settings = toSettings({ filterIndex, afterBadPolls, ...options })
    if (existing) {
      await store.watching.watches.change(WORKSPACE, existing.id, settings, now())
      watches.set(name, { id: existing.id, filterIndex, afterBadPolls })
      return
    }
    const newWatch = { ...toChannel(channel), ...settings, ownerId: 'U1', madeAt: now() }
    const { id } = await store.watching.watches.add(newWatch)
    watches.set(name, { id, filterIndex, afterBadPolls })
  }

  async function unwatch(name: string): Promise<void> {
    const existing = watches.get(name)
    if (!existing) return
    await store.watching.watches.remove(WORKSPACE, existing.id, now())
    watches.delete(name)
  }

  return {
    store,
    channels,
    faults,
    now,
    checks,
    async jumpClock(minutes: number): Promise<void> {
      await process.runDue()
      nowMs += minutes * MINUTE_MS
      await process.afterClockChange()
      await process.runDue()
    },
    passMinutes: (minutes: number) => pass(minutes * MINUTE_MS),
    /** Runs one poll, and the work that follows from it. */
    passMinute: () => pass(MINUTE_MS),
    /** Clears all faults, then polls every minute for `minutes`. */
    async passWithoutFaults(minutes: number): Promise<void> {
      channels.state.trouble = undefined
      checks.state.failure = undefined
      for (let minute = 0; minute < minutes; minute += 1) await pass(MINUTE_MS)
    },
    setStatus(index: number, status: string): void {
      checks.statuses.set(UUIDS[index % UUIDS.length] ?? 'a1', status)
    },
    removeCheck: (index: number): void => void checks.statuses.delete(UUIDS[index % UUIDS.length] ?? ''),
    setAllStatuses(status: string): void {
      for (const uuid of checks.statuses.keys()) checks.statuses.set(uuid, status)
    },
    setServiceFailure(failure: false | 'unavailable' | 'unauthorized'): void {
      checks.state.failure = failure || undefined
    },
    failNextSlackCall(trouble: SlackTrouble): void {
      channels.state.trouble = trouble
    },
    dieAt: (death: Death, deaths?: number): void => process.dieAt(death, deaths),
    watch: (
      channel: number,
      filterIndex: number,
      afterBadPolls: number,
      { isSecond = false, ...extra }: WatchOptions = {},
    ) => saveWatch({ channel, filterIndex, afterBadPolls, isSecond, ...extra }),
    async resume(channel: number): Promise<void> {
      await store.watching.watches.resume(WORKSPACE, toChannel(channel).channelId)
    },
    async pause(channel: number): Promise<void> {
      await store.watching.watches.pause(WORKSPACE, toChannel(channel).channelId, 'archived', now())
    },
    renameCheck: (uuid: string, name: string) => void checks.names.set(uuid, name),
    unwatch: (channel: number, { isSecond = false } = {}) => unwatch(toWatchName(channel, isSecond)),
    async mute(channel: number, index: number): Promise<void> {
      const uuid = UUIDS[index]
      const subject = uuid ? ({ kind: 'check', uuid, name: uuid } as const) : ({ kind: 'all' } as const)
      const times = { from: now(), forMs: 15 * MINUTE_MS }
      await store.watching.silences.add(
        createSilence({ ...toChannel(channel), ...times, planId: `mute ${planCount++}`, subject }),
      )
    },
    /** Plans maintenance for a name pattern, in one channel or in all. */
    async planMaintenance(
      pattern: string,
      {
        inMinutes,
        forMinutes,
        channel,
      }: { inMinutes: number; forMinutes: number; channel?: number | undefined },
    ) {
      const from = new Date(nowMs + inMinutes * MINUTE_MS)
      await store.watching.silences.add(
        createSilence({
          ...{ kind: 'maintenance', planId: `plan ${planCount++}`, subject: { kind: 'name', pattern }, from },
          ...{ forMs: forMinutes * MINUTE_MS, reason: 'database upgrade', madeAt: now() },
          channelId: channel === undefined ? undefined : toChannel(channel).channelId,
        }),
      )
    },
    async unmute(): Promise<void> {
      const [mute] = await store.watching.silences.list(WORKSPACE, { kind: 'mute' })
      if (mute) await store.watching.silences.end(WORKSPACE, mute.id, { endsRecurrence: true, now: now() })
    },
    /** Presses a card's button to take over, step down, or hand over. */
    async press(action: 'take' | 'step-down' | 'hand-over', who = 0, cardIndex = 0): Promise<void> {
      const cards = [...channels.messages.values()]
        .map(({ model }) => model)
        .filter(({ kind }) => kind === 'card' || kind === 'page')
      const card = cards[cardIndex % cards.length]
      const person = PEOPLE[who % PEOPLE.length] ?? PEOPLE[0]
      nowMs += 1
      if (!card) return
      const {
        cardId,
        version,
        onIt: [first],
      } = card
      const { acknowledgments } = store.watching
      if (action === 'take')
        await acknowledgments.acknowledge(WORKSPACE, { cardId, version }, person, first?.by)
      else if (action === 'step-down')
        await acknowledgments.stepDown(
          WORKSPACE,
          { cardId },
          first ? { userId: first.by, name: first.name } : person,
        )
      else await handOver(store, cardId, first?.by ?? person.userId, person)
    },
    /** Deactivates a person. */
    deactivatePerson: async (who: number): Promise<void> => {
      await store.watching.acknowledgments.removePerson(
        WORKSPACE,
        (PEOPLE[who % PEOPLE.length] ?? PEOPLE[0]).userId,
      )
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export type Model = Awaited<ReturnType<typeof createModel>>
