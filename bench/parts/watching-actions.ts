import { openVerified } from '@signalman/durable'
import { DAY_MS, HOUR_MS, newId, runInSlices } from '@signalman/runtime'
import { MODEL } from '../../src/app/model.ts'
import type { Store } from '../../src/app/store.ts'
import type { CommandContext } from '../../src/bot/routes/command-context.ts'
import { readDigestModel } from '../../src/features/watching/digests.ts'
import { readHistory } from '../../src/features/watching/read-history.ts'
import { readWatches } from '../../src/features/watching/read-watches.ts'
import {
  CARDS,
  EVENT,
  INCIDENTS,
  LINE,
  OBSERVED,
  POLL,
  WATCH,
} from '../../src/features/watching/rows/columns.ts'
import { decide } from '../../src/features/watching/rules/decide.ts'
import type { Incident } from '../../src/features/watching/rules/incident.ts'
import { prepareWatch } from '../../src/features/watching/rules/matching.ts'
import { ALL_CHECKS, type Watch, type WatchSettings } from '../../src/features/watching/rules/watch.ts'
import { watchesView, watchHomeBlocks } from '../../src/features/watching/views/watches.ts'
import { ENCRYPTION_KEYS } from './slack.ts'
import type { Actions } from './store-actions.ts'

const CHANNEL = { workspaceId: 'T0WATCHED', channelId: 'C1', environment: 'production' } as const
const STORM_CARD_ID = 'S'.repeat(22)

/** How many rows to create. At full size, these are the documented limits. */
export interface WatchingSizes {
  openOutages: number
  endedOutages: number
  observedPeriods: number
  watches: number
  namesPerWatch: number
}

/** Adds one workspace to a database, with 90 days of outages, its watches, and a card of everything that is down. */
export async function fillWatching(url: string, sizes: WatchingSizes, now = new Date()): Promise<void> {
  const { database } = await openVerified({ model: MODEL, url, keys: ENCRYPTION_KEYS })
  await using _closing = database
  const before = (ms: number): Date => new Date(now.getTime() - ms)
  const { workspaceId, environment } = CHANNEL
  const scope = { workspaceId, environment }
  const incidents = [
    ...Array.from({ length: sizes.endedOutages }, (_, index) => {
      const startedAt = before(90 * DAY_MS - (index / sizes.endedOutages) * 89 * DAY_MS)
      return createIncident(`e${index}`, index % 700, startedAt, new Date(startedAt.getTime() + HOUR_MS))
    }),
    ...Array.from({ length: sizes.openOutages }, (_, index) =>
      createIncident(`o${index}`, index, before(6 * HOUR_MS - index)),
    ),
  ]
  const observedPeriods = Array.from({ length: sizes.observedPeriods }, (_, index) => {
    const from = before(90 * DAY_MS * (1 - index / sizes.observedPeriods))
    return OBSERVED.toRow({
      ...scope,
      from,
      to: new Date(from.getTime() + (80 * DAY_MS) / sizes.observedPeriods),
    })
  })
  const card = {
    ...CHANNEL,
    id: STORM_CARD_ID,
    kind: 'card' as const,
    openedAt: before(6 * HOUR_MS),
    changedAt: before(HOUR_MS),
    version: 1,
    shownVersion: 1,
    ts: '1700000000.000100',
    openedClockMs: 0,
    content: '',
    moved: {},
    unwatchedCount: 0,
  }
  const poll = POLL.toRow({
    ...scope,
    pollGroup: 0,
    polls: 9,
    failedPolls: 0,
    dueAt: new Date('2099-01-01'),
    clockMs: 0,
    isUndecided: false,
  })
  const rowsByTable: Record<string, readonly object[]> = {
    watch: Array.from({ length: sizes.watches }, (_, index) =>
      WATCH.toRow(createWatch(index, sizes.namesPerWatch)),
    ),
    watch_poll: [poll],
    watch_observed: observedPeriods,
    incident: incidents.map(({ fell, up, closed, ...incident }) =>
      INCIDENTS.toRow({
        ...scope,
        uuid: incident.check.uuid,
        nameKey: incident.check.name,
        ...incident,
        fellAt: fell.at,
        fellClockMs: 0,
        upAt: up?.at,
        upClockMs: up && 0,
        quietSinceMs: up && 0,
        isInstalling: false,
        closedAt: closed?.at,
        ending: closed?.ending,
      }),
    ),
    incident_event: incidents.flatMap(({ id: incidentId, openedAt, up }) => {
      const event = { workspaceId, incidentId }
      const down = EVENT.toRow({ ...event, id: `${incidentId} down`, at: openedAt, kind: 'down' })
      return up ? [down, EVENT.toRow({ ...event, id: `${incidentId} up`, at: up.at, kind: 'up' })] : [down]
    }),
    watch_card: [CARDS.toRow(card)],
    incident_line: incidents.flatMap(({ id: incidentId, closed }) =>
      closed
        ? []
        : [
            LINE.toRow({
              ...scope,
              channelId: CHANNEL.channelId,
              incidentId,
              cardId: STORM_CARD_ID,
              cardVersion: 1,
              namedAt: now,
              namedClockMs: 0,
              timesNamed: 1,
              pagedBefore: {},
              isHeld: false,
              isMissed: false,
            }),
          ],
    ),
  }
  for (const [table, rows] of Object.entries(rowsByTable))
    for (let start = 0; start < rows.length; start += 200)
      await database.rows
        .insertInto(table as 'watch')
        .values(rows.slice(start, start + 200) as never)
        .execute()
}

const createIncident = (id: string, check: number, at: Date, endedAt?: Date): Incident => ({
  id,
  check: { uuid: `u${check}`, name: `shop-${check}`, target: `https://host-${check % 50}.example.com/` },
  isDown: !endedAt,
  badPolls: 5,
  countedPoll: 2,
  falls: 1,
  isBaseline: false,
  openedAt: at,
  fell: { at, clockMs: 0 },
  up: endedAt && { at: endedAt, clockMs: 0, quietSinceMs: 0, isInstalling: false },
  closed: endedAt && { at: endedAt, ending: 'recovered' },
  paged: {},
})

/** The first watch covers all checks. The others have this many names each, half of them patterns, and don't match any check. */
const createWatch = (index: number, names: number): Watch => ({
  ...CHANNEL,
  id: `watch-${index}`,
  ownerId: 'U1',
  madeAt: new Date(0),
  isResumed: false,
  ...SETTINGS,
  filter: {
    include: Array.from({ length: index === 0 ? 0 : names }, (_, name) => ({
      field: 'name' as const,
      pattern: `shop-${index * names + name}${name % 2 === 0 ? 'x*' : 'x'}`,
    })),
    exclude: [],
  },
})

const SETTINGS: WatchSettings = { filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once', reminderHours: 0 }

/** Actions that read all of the rows that `fillWatching` adds, or decide what to report. */
export function createWatchingActions({ watching }: Store, sizes: WatchingSizes): Actions {
  const now = new Date()
  const context = {
    ...CHANNEL,
    userId: 'U1',
    now,
    actor: async () => ({ timeZone: 'UTC' }),
    roles: async () => new Set(['admin']),
  } as unknown as CommandContext
  const historyDeps = { watching, findDeleted: async () => [] }
  const watches = Array.from({ length: sizes.watches }, (_, index) => createWatch(index, sizes.namesPerWatch))
  const period = {
    from: new Date(now.getTime() - DAY_MS).toISOString(),
    to: now.toISOString(),
    timeZone: 'UTC',
  }
  return [
    [
      'watching: /hc history of 90 days',
      () => readHistory(historyDeps, context, { words: [], values: {}, flags: { days: '90' } }),
    ],
    [
      'watching: /hc history of a week',
      () => readHistory(historyDeps, context, { words: [], values: {}, flags: {} }),
    ],
    ['watching: a digest', () => readDigestModel(watching, CHANNEL, { openedAt: now, period })],
    [
      'watching: /hc watches --all',
      async () => watchesView(await readWatches(watching, context), { isWorkspaceWide: true, here: [] }),
    ],
    ['watching: Home', async () => watchHomeBlocks(await readWatches(watching, context))],
    [
      'watching: decide what a channel shows, all incidents new',
      () => decideNewIncidents(sizes.openOutages, watches),
    ],
    [
      'watching: mute everything',
      () =>
        watching.silences.add({
          ...CHANNEL,
          kind: 'mute',
          planId: newId(),
          subject: { kind: 'all' },
          from: now,
          madeAt: now,
          timeZone: 'UTC',
          reason: '',
          ownerId: 'U1',
          ownerName: 'Ann',
        }),
    ],
  ]
}

/** Decides which of these new incidents to report. It's slow, because each is compared with every watch. */
const decideNewIncidents = (count: number, watches: readonly Watch[]) => {
  const at = new Date()
  const channel = { channelId: CHANNEL.channelId, silences: [], isPaused: false, isResumed: false }
  const state = {
    channels: [{ ...channel, watches: watches.map(prepareWatch) }],
    poll: 1,
    incidents: Array.from({ length: count }, (_, index) => createIncident(`n${index}`, index, at)),
    lines: [],
    messages: [],
    groups: new Map<string, readonly string[]>(),
  }
  return runInSlices(decide(state, { at, clockMs: 0 }, newId))
}
