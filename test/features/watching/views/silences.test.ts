import { expect, it } from 'vitest'
import { maintenanceListView } from '../../../../src/features/watching/on-call/views/silence-outcomes.ts'
import { appliesIn, type Silence } from '../../../../src/features/watching/rules/silence.ts'
import { maintenanceCardView } from '../../../../src/features/watching/views/silences.ts'

const START = new Date('2026-11-20T22:00:00Z')
const createWindow = (channelId: string | undefined): Silence => ({
  kind: 'maintenance',
  workspaceId: 'T1',
  environment: 'production',
  channelId,
  id: 'w',
  planId: 'p',
  subject: { kind: 'all' },
  from: START,
  to: START,
  forMs: 0,
  timeZone: 'UTC',
  firstStart: '2026-11-20T22:00:00',
  reason: 'database upgrade',
  state: 'running',
  ownerId: 'U1',
  ownerName: 'Ann',
  madeAt: START,
})

it.each([
  ['C1', 'C1', true],
  ['C1', 'C1/1700000000.000100', true],
  ['C1/1700000000.000100', 'C1', false],
  ['C1', 'C11', false],
  ['C1', 'C2/1700000000.000100', false],
])('checks whether a silence in %s applies in %s: %s', (silencedIn, channelId, isApplied) => {
  expect(appliesIn(createWindow(silencedIn), channelId)).toBe(isApplied)
})

it('applies a silence without a channel in every channel and thread', () => {
  for (const channelId of ['C2', 'C2/1700000000.000100'])
    expect(appliesIn(createWindow(undefined), channelId)).toBe(true)
})

it.each([
  ['planned maintenance', 'announced', -1, '1 planned', 'Cancel'],
  ['maintenance that just began, before a channel was notified', 'announced', 0, '1 under way', 'End'],
  ['running maintenance', 'running', 1, '1 under way', 'End'],
  ['maintenance that just ended, before a channel was notified', 'running', 3600, '1 under way', 'End'],
  [
    'maintenance that began and ended while nobody could be notified',
    'announced',
    7200,
    '1 under way',
    'End',
  ],
] as const)('describes %s in the list of maintenance', (_, state, seconds, expectedText, endLabel) => {
  const shown = { ...createWindow('C1'), state, to: new Date(START.getTime() + 3_600_000) }
  const { text, blocks } = maintenanceListView([shown], {
    now: new Date(START.getTime() + seconds * 1000),
    here: [],
    mayEnd: () => true,
  })
  expect(text).toContain(`Maintenance: ${expectedText}`)
  expect(JSON.stringify(blocks)).toContain(`"${endLabel} maintenance of everything"`)
})

it.each([
  [
    'announced',
    /^🗓️ Planned: maintenance of everything in production, in this channel, from <!date[^>]*22:00 UTC>\nUntil: <!date[^>]*23:00/,
  ],
  [
    'running',
    /^🔧 Started: maintenance of everything in production, in this channel, until <!date[^>]*23:00 UTC>\nFrom: <!date[^>]*22:00/,
  ],
  [
    'over',
    /^✅ Ended: maintenance of everything in production, in this channel, after 1 h\nFrom: .*\nUntil: /,
  ],
] as const)('shows the state and the times on the card of maintenance that is %s', (state, expectedText) => {
  const shown = { ...createWindow('C1'), state, to: new Date(START.getTime() + 3_600_000), forMs: 3_600_000 }
  const card = { id: 'c', environment: 'production', channelId: 'C1', kind: 'maintenance' } as const
  const at = { cardId: 'c', openedAt: START, changedAt: START, ...(state === 'over' && { closedAt: START }) }
  expect(maintenanceCardView({ ...card, ...at, window: shown }).text).toMatch(expectedText)
})
