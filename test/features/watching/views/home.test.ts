import { expect, it } from 'vitest'
import {
  acknowledgedView,
  MAX_OUTAGES_READ,
  onItHomeBlocks,
} from '../../../../src/features/watching/on-call/views/on-it.ts'
import { stillOnItView } from '../../../../src/features/watching/on-call/views/still-on-it.ts'
import type { Silence } from '../../../../src/features/watching/rules/silence.ts'
import { ALL_CHECKS, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { watchesView, watchHomeBlocks } from '../../../../src/features/watching/views/watches.ts'
import { showTimes } from '../model/card-texts.ts'
import { atTime, createListedIncident } from '../models.ts'

it('names the environment of an outage that a person is on', () => {
  const web = createListedIncident('web')
  const text = JSON.stringify(onItHomeBlocks([{ environment: 'ote', incident: web }], new Map()))
  expect(text).toContain('web (OTE) is down · since <!date^')
  const unseen = { since: atTime('09:10'), failure: 'unreachable' } as const
  expect(
    JSON.stringify(onItHomeBlocks([{ environment: 'ote', incident: web }], new Map([['ote', unseen]]))),
  ).toContain('web (OTE) was down when I last saw it, before <!date^')
  // Home uses production, so the button names the outage's environment.
  expect(text).toContain(`/hc show ${web.check.uuid} --env ote`)
})

it('says of an outage that a person is on when nobody observed it', () => {
  const render = (changes: Partial<Parameters<typeof createListedIncident>[1]>) => {
    const incident = createListedIncident('web', changes)
    return showTimes(JSON.stringify(onItHomeBlocks([{ environment: 'production', incident }], new Map())))
  }
  const gaps = { from: atTime('09:10'), to: atTime('10:10'), count: 1, ms: 3_600_000 }
  const fell = { at: atTime('09:00'), clockMs: 0 }
  expect(render({ fell: { ...fell, gaps } })).toContain(
    'web is down · since 09:00, not observed from 09:10 to 10:10 · you are on it',
  )
  expect(render({ fell: { ...fell, unseenSince: atTime('08:00') } })).toContain(
    'web is down · noticed 09:00, not observed since 08:00 · you are on it',
  )
})

it('names the environment that can’t be seen, and offers nothing to show of it, wherever a person is on it', () => {
  const incident = createListedIncident('production', { check: { uuid: '', name: 'production' } })
  const home = JSON.stringify(onItHomeBlocks([{ environment: 'production', incident }], new Map()))
  expect(home).toContain('Seeing the health checks is down · since')
  expect(home).not.toContain('/hc show')
  expect(stillOnItView('production', [incident]).text).toContain(
    'You’re marked as on Seeing the health checks.',
  )
  const web = createListedIncident('web').check
  expect(acknowledgedView([incident.check, web]).text).toContain('Yours now: Seeing the health checks, web.')
})

const WATCH: Watch = {
  id: 'w',
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  filter: ALL_CHECKS,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: atTime('09:00'),
  isResumed: false,
}

const WINDOW: Silence = {
  kind: 'maintenance',
  ...{ id: 'w', planId: 'p', workspaceId: 'T1', environment: 'production', channelId: undefined },
  ...{
    subject: { kind: 'all' },
    from: atTime('22:00'),
    to: atTime('23:00'),
    forMs: 3_600_000,
    timeZone: 'UTC',
  },
  ...{ reason: '', ownerId: 'U1', ownerName: 'Ann', madeAt: atTime('09:00'), state: 'planned' },
  firstStart: '2026-11-20T22:00:00',
}

it('shows paused watches and periods without polls, and doesn’t blame Slack', () => {
  const watch: Watch = { ...WATCH, paused: { at: atTime('09:05'), reason: 'shared-outside' } }
  const status = { polls: 1, unseen: { since: atTime('09:10'), failure: 'unreachable' as const } }
  const polling = [{ environment: 'production' as const, status }]
  const homeState = { watches: [watch], silences: [], digests: [], polling, mayEnd: () => true }
  const text = JSON.stringify(watchHomeBlocks(homeState))
  expect(text).toContain('1 watch paused, so nothing is posted for it.')
  expect(text).not.toContain('Slack refuses')
  expect(text).toContain('Signalman hasn’t seen the health checks since ')
})

it('shows all watches and mutes, page by page', () => {
  const watches = Array.from(
    { length: 50 },
    (_, index): Watch => ({
      ...WATCH,
      id: `w${index}`,
      filter: { include: [{ field: 'name', pattern: `web-${index}-*` }], exclude: [] },
    }),
  )
  const mutes = Array.from(
    { length: 50 },
    (_, index): Silence => ({
      ...{ ...WINDOW, kind: 'mute', state: 'running', channelId: 'C1', planId: `m${index}`, id: `m${index}` },
      subject: { kind: 'name', pattern: `mail-${index}-*` },
    }),
  )
  const lists = { watches, silences: mutes, digests: [], polling: [], mayEnd: () => true }
  const pages = [1, 2, 3].map((page) => watchesView(lists, { isWorkspaceWide: false, here: ['C1'], page }))
  const [first, , last] = pages.map(({ text }) => text)
  expect(first).toMatch(/^50 watches in this channel · 50 mutes · page 1 of 3\n/)
  const all = pages.map(({ blocks }) => JSON.stringify(blocks))
  for (let index = 0; index < 50; index += 1)
    for (const pattern of [`web-${index}-*`, `mail-${index}-*`])
      expect(
        all.filter((page) => page.includes(pattern)),
        pattern,
      ).toHaveLength(1)
  expect(last).toContain('mail-49-*')
  expect(JSON.stringify(pages[1]?.blocks)).toContain('/hc watches --page 3')
  expect(JSON.stringify(watchesView(lists, { isWorkspaceWide: true, here: [] }).blocks)).toContain(
    '/hc watches --all --page 2',
  )
})

it('shows a mute of the whole watch in its line, and what covers a part of it below', () => {
  const mute = (pattern: string, changes: Partial<Silence> = {}): Silence => ({
    ...{ ...WINDOW, kind: 'mute', state: 'running', channelId: 'C1', planId: pattern, id: pattern },
    subject: { kind: 'name', pattern },
    ...changes,
  })
  const shop: Watch = {
    ...WATCH,
    id: 'shop',
    filter: { include: [{ field: 'name', pattern: 'shop-*' }], exclude: [] },
  }
  const silences = [
    mute('shop-*'),
    mute('shop-api', { reason: 'new disks' }),
    mute('mail-*', { channelId: 'C2' }),
  ]
  const { text } = watchesView(
    { watches: [WATCH, shop], silences, digests: [], polling: [], mayEnd: () => true },
    { isWorkspaceWide: false, here: ['C1'] },
  )
  const lines = text.replaceAll('\u2060', '').split('\n')
  expect(lines[1]).toBe('👁️ every health check')
  expect(lines[2]).toMatch(/^└ 🔕 shop-api muted until <!date.* · by Ann · new disks$/)
  expect(lines[3]).toMatch(/^👁️ shop-\* · muted until <!date/)
  expect(lines[4]).toMatch(/^🔕 Muted: mail-\* in production, in /)
})

it('says where to find what doesn’t fit in Home', () => {
  const takenOutages = Array.from({ length: MAX_OUTAGES_READ }, (_, index) =>
    createListedIncident(`web-${index}`),
  )
  const blocks = onItHomeBlocks(
    takenOutages.map((incident) => ({ environment: 'production', incident })),
    new Map(),
  )
  expect(JSON.stringify(blocks)).not.toContain('web-5')
  expect(JSON.stringify(blocks)).toContain('You’re on more than these 5. To see who is on which outage, use ')
  const windows = Array.from({ length: 8 }, () => WINDOW)
  const homeState = { watches: [WATCH], silences: windows, digests: [], polling: [], mayEnd: () => true }
  expect(JSON.stringify(watchHomeBlocks(homeState))).toContain(
    '2 more maintenance windows: /hc maintenance lists them.',
  )
})
