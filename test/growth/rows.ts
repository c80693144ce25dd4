import { MINUTE_MS, mapInSlices } from '@signalman/runtime'
import { clipApart } from '@signalman/slack'
import type { Incident } from '../../src/domain/outages/incident.ts'
import { createNameGroups } from '../../src/features/health-checks/bulk/views.ts'
import { decidePoll } from '../../src/features/watching/rules/decide-poll.ts'
import { parsePageSteps } from '../../src/features/watching/rules/page-step.ts'
import type { ShownPost } from '../../src/features/watching/rules/shown-post.ts'
import { findNextChange, inForce, type Silence } from '../../src/features/watching/rules/silence.ts'
import { sumHistory } from '../../src/features/watching/rules/sum-history.ts'
import {
  MAX_CHANNEL_NAMES,
  MAX_SILENCES,
  MAX_WATCHES,
  type Watch,
} from '../../src/features/watching/rules/watch.ts'
import { cardView } from '../../src/features/watching/views/cards.ts'
import { historyView } from '../../src/features/watching/views/history.ts'
import { whoView } from '../../src/features/watching/views/on-it.ts'
import { watchesView } from '../../src/features/watching/views/watches.ts'
import { History } from '../features/watching/rules/history.ts'
import { type Work, work } from './grow.ts'

const NOW = new Date('2026-11-30T12:00:00Z')
const DAY_MS = 86_400_000
const times = <T>(count: number, write: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => write(nth))
const ago = (minutes: number): Date => new Date(NOW.getTime() - minutes * MINUTE_MS)
const check = (nth: number) => ({
  uuid: `u${nth}`,
  name: `storefront ${nth} eu-west`,
  target: `shop-${nth}.example.com`,
})

const watch = (nth: number, patterns = 1): Watch => ({
  ...{
    id: `W${nth}`,
    workspaceId: 'T1',
    channelId: `C${nth % 20}`,
    environment: 'production',
    ownerId: 'U1',
    madeAt: NOW,
  },
  ...{ afterBadPolls: 3, page: undefined },
  filter: {
    include: times(patterns, (rule) => ({ field: 'name' as const, pattern: `*${rule}x${nth}*` })),
    exclude: [],
  },
})
const silence = (nth: number, changed: Partial<Silence> = {}): Silence => ({
  ...{
    id: `S${nth}`,
    workspaceId: 'T1',
    environment: 'production',
    channelId: undefined,
  },
  ...{
    subject: { kind: 'name', pattern: `*x${nth}*` },
    isMaintenance: true,
    from: ago(9000 + nth),
    to: ago(8000 + nth),
  },
  ...{
    timeZone: 'Europe/Stockholm',
    reason: '',
    ownerId: 'U1',
    ownerName: 'Bea',
    madeAt: ago(9000),
    ...changed,
  },
})
const incident = (nth: number, changed: Partial<Incident> = {}): Incident => ({
  ...{ id: `i${nth}`, check: check(nth), isDown: true, isInstalling: false, badPolls: 9, isBaseline: false },
  ...{ openedAt: ago(10 + (nth % 5000)), downs: [{ from: ago(10 + (nth % 5000)) }], ...changed },
})
const ended = (nth: number, downs = 1): Incident =>
  incident(nth, {
    isDown: false,
    closedAt: ago(nth),
    downs: times(downs, (at) => ({ from: ago(nth + 3 * (downs - at) + 2), to: ago(nth + 3 * (downs - at)) })),
  })
type Named = readonly [name: string, change: string]
const span = { from: new Date(NOW.getTime() - 30 * DAY_MS), to: NOW }
const days = times(10, (nth) => ({
  from: new Date(span.from.getTime() + nth * 3 * DAY_MS),
  to: new Date(span.from.getTime() + (nth + 1) * 3 * DAY_MS),
}))

/** A channel in which so many checks are down. `events`: what happens next. */
function storm(count: number, minutes = 1): History {
  const history = new History([{ escalate: '10m @on-call' }])
  for (let nth = 0; nth < count; nth += 1) history.statuses.set(`web-${nth}`, 'down')
  for (let minute = 0; minute < minutes; minute += 1) history.passMinute()
  return history
}

/** A channel of many watches of everything, of which half page. */
function withPages(count: number): History {
  const history = storm(500, 2)
  const watches = times(count, (nth) => ({
    ...{ ...watch(nth, 0), channelId: 'C1', ...(nth % 2 === 0 && { page: parsePageSteps('10m @on-call') }) },
    filter: { include: [], exclude: [{ field: 'name' as const, pattern: `x${nth}` }] },
  }))
  history.watches.push(...watches)
  return history
}

/** The same, but they were saved while everything was down. */
function withWatchesSavedLater(count: number): History {
  const history = withPages(count)
  for (const [key, own] of history.known)
    history.known.set(key, { ...own, alreadyDown: history.watches.map(({ id }) => id) })
  return history
}

/** A channel with so many watches, of which only the first one matches what is down. */
function withWatches(count: number, names: number): History {
  const history = storm(500, 2)
  history.watches.push(...times(count, (nth) => ({ ...watch(nth, names), channelId: 'C1' })))
  return history
}

/** Work over the rows that people make: outages, watches, silences, and changes of many checks. */
export function rowWorks(): Work[] {
  const shownPost = (count: number): ShownPost => ({
    post: { id: 'p', kind: 'card', openedAt: ago(9), version: 1, shownVersion: 0, content: '' },
    target: {
      workspaceId: 'T1',
      channelId: 'C1',
      environment: 'production',
    } as const,
    ...{
      at: NOW,
      incidents: times(count, (nth) => incident(nth)),
      silences: [],
      alreadyDown: new Set<string>(),
      unseen: undefined,
    },
    watches: times(10, (nth) => watch(nth)),
  })
  return [
    work(
      { name: 'a decision about a channel', limit: 5000, unit: 'outages' },
      {
        'the first one': (count) => {
          const history = new History([{ escalate: '10m @on-call' }])
          for (let nth = 0; nth < count; nth += 1) history.statuses.set(`web-${nth}`, 'down')
          history.poll()
          return () => history.stepChannel('C1')
        },
        'a later one': (count) => {
          const history = storm(count, 2)
          return () => history.stepChannel('C1')
        },
        'everything up again': (count) => {
          const history = storm(count, 2)
          for (const name of history.statuses.keys()) history.statuses.set(name, 'up')
          history.poll()
          return () => history.stepChannel('C1')
        },
      },
      (decide) => decide(),
    ),
    work(
      { name: 'a decision about a channel of many watches', limit: MAX_CHANNEL_NAMES, unit: 'names' },
      {
        'of one name': (count) => withWatches(count, 1),
        'of everything, half of which page': withPages,
        'of everything, saved while all was down': withWatchesSavedLater,
        'of 50 names': (count) => withWatches(Math.ceil(count / 50), 50),
      },
      async (history) => {
        const findWatches = history.createFindWatches('C1')
        await mapInSlices(history.incidents.values(), findWatches)
        return history.stepChannel('C1', findWatches)
      },
    ),
    work(
      { name: 'a poll', limit: 5000, unit: 'outages' },
      {
        'all fall': (count) => ({ known: [] as Incident[], bad: count }),
        'all stay down': (count) => ({ known: times(count, (nth) => incident(nth)), bad: count }),
        'all are up again': (count) => ({ known: times(count, (nth) => incident(nth)), bad: 0 }),
      },
      ({ known, bad }) =>
        decidePoll(
          {
            account: 'a',
            polls: 1,
            failedPolls: 0,
            lastOkAt: ago(1),
            seenSince: ago(99),
            seenUntil: ago(-1),
          } as Parameters<typeof decidePoll>[0],
          new Map(known.map((one) => [one.check.uuid, one])),
          {
            bad: new Map(times(bad, (nth) => [`u${nth}`, check(nth)])),
            good: new Set(bad === 0 ? known.map((one) => one.check.uuid) : []),
            installing: new Set(),
            deleted: new Set(),
          },
          { at: NOW, intervalMs: 60_000, name: 'production' } as Parameters<typeof decidePoll>[3],
          () => 'id',
        ),
    ),
    work({ name: 'a card', limit: 500, unit: 'outages' }, { outages: shownPost }, cardView),
    work(
      { name: 'who is on it', limit: 5000, unit: 'outages' },
      {
        nobody: (count) => times(count, (nth) => incident(nth)),
      },
      (down) =>
        whoView({
          down,
          shown: down.slice(0, 100).map((one) => ({ incident: one, card: undefined, isHere: false })),
          userId: 'U1',
          environment: 'production',
          isWatching: true,
          unseen: undefined,
          now: NOW,
        }),
    ),
    work(
      { name: 'the list of watches and silences', limit: MAX_WATCHES, unit: 'watches' },
      {
        'of 50 names': (count) => count,
      },
      (count) =>
        watchesView(
          {
            watches: times(count, (nth) => watch(nth, 50)),
            gone: new Set(),
            stale: { responders: new Map(), owners: new Map() },
            findChannel: () => ({}),
            silences: times(count, (nth) => silence(nth)),
            unseen: [],
            now: NOW,
          },
          { isWorkspaceWide: true, isInChannel: true },
        ),
    ),
    work(
      { name: 'silences in force', limit: MAX_SILENCES, unit: 'silences' },
      {
        'every day for years': (count) =>
          times(count, (nth) => silence(nth, { every: 'day', from: ago(9000 + nth), to: ago(8500 + nth) })),
        'every day from long ago': (count) =>
          times(count, (nth) =>
            silence(nth, {
              every: 'day',
              from: ago(3_000_000 + nth),
              to: ago(2_999_900 + nth),
              madeAt: ago(3_000_000),
            }),
          ),
      },
      (silences) => [inForce(silences, 'C1', NOW), silences.map((one) => findNextChange(one, NOW))],
    ),
    work(
      { name: 'the history of outages', limit: 5000, unit: 'outages' },
      {
        'of different checks': (count) => ({
          incidents: times(count, (nth) => ended(nth)),
          maintenance: [] as Silence[],
        }),
        'of one check': (count) => ({
          incidents: times(count, (nth) => ({ ...ended(nth), check: check(1) })),
          maintenance: [],
        }),
        'of flapping checks': (count) => ({
          incidents: times(count, (nth) => ended(nth, 100)),
          maintenance: [],
        }),
        'with 200 times of maintenance': (count) => ({
          incidents: times(count, (nth) => ended(nth)),
          maintenance: times(200, (nth) => silence(nth, { subject: { kind: 'all' }, every: 'day' })),
        }),
        'with maintenance of single checks': (count) => ({
          incidents: times(count, (nth) => ended(nth)),
          maintenance: times(200, (nth) =>
            silence(nth, { subject: { kind: 'name', pattern: `*front ${nth}*` }, every: 'day' }),
          ),
        }),
      },
      async (input) => {
        const totals = await sumHistory({ ...input, observed: [span], span, days })
        return historyView({
          totals,
          isGone: false,
          timeZone: 'UTC',
          period: 'last 30 days',
          environment: 'production',
          now: NOW,
          isTruncated: false,
          isShortened: false,
        })
      },
    ),
    work(
      { name: 'the history of outages with gaps', limit: 5000, unit: 'gaps' },
      {
        'between polls': (count) =>
          times(count, (nth) => ({ from: ago(5 * (count - nth) + 4), to: ago(5 * (count - nth)) })),
      },
      (observed) =>
        sumHistory({ incidents: times(500, (nth) => ended(nth)), maintenance: [], observed, span, days }),
    ),
    work(
      { name: 'the names of a change of many checks', limit: 5000, unit: 'rows' },
      {
        'the same change': (count) =>
          times(count, (nth): Named => [`storefront ${nth}`, 'frequency 60 → 30']),
        'different changes': (count) =>
          times(count, (nth): Named => [`storefront ${nth}`, `name a → ${nth}`]),
        'long changes that begin alike': (count) =>
          times(
            count,
            (nth): Named => [`storefront ${'x'.repeat(200)}${nth}`, `target ${'x'.repeat(2000)}${nth}`],
          ),
      },
      (rows) => {
        const groups = createNameGroups()
        for (const [name, text] of rows) groups.add(name, text)
        return [groups.lines(), groups.isComplete()]
      },
    ),
    work(
      { name: 'a name told apart from others', limit: 5000, unit: 'names' },
      {
        'that begin alike': (count) => times(count, (nth) => `${'x'.repeat(200)}${nth}`),
      },
      (names) => clipApart(names[0] ?? '', names, 40),
    ),
    work(
      { name: 'all times of silences in a history', limit: 3650, unit: 'days' },
      {
        'every day': (count) => count,
      },
      (count) =>
        sumHistory({
          incidents: [],
          maintenance: [
            silence(1, {
              every: 'day',
              subject: { kind: 'all' },
              from: new Date(NOW.getTime() - count * DAY_MS),
              to: new Date(NOW.getTime() - count * DAY_MS + 3_600_000),
              madeAt: new Date(NOW.getTime() - count * DAY_MS),
            }),
          ],
          observed: [span],
          span,
          days,
        }),
    ),
  ]
}
