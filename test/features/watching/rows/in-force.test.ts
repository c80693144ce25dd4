import { expect, it } from 'vitest'
import type { MaintenanceWindow } from '../../../../src/features/watching/maintenance/rules.ts'
import {
  maintenanceCardView,
  maintenanceListView,
} from '../../../../src/features/watching/maintenance/views.ts'
import { mutesByMaintenance } from '../../../../src/features/watching/rows/in-force.ts'

const AT = new Date('2026-11-20T22:00:00Z')
const window = (channelId: string | undefined): MaintenanceWindow => ({
  workspaceId: 'T1',
  environment: 'production',
  channelId,
  id: 'w',
  planId: 'p',
  about: { kind: 'all' },
  from: AT,
  to: AT,
  forMs: 0,
  timeZone: 'UTC',
  first: { year: 2026, month: 11, day: 20, hour: 22, minute: 0 },
  because: 'database upgrade',
  state: 'running',
  ownerId: 'U1',
  ownerName: 'Ann',
  madeAt: AT,
})

it.each([
  ['C1', 'C1', 1],
  ['C1', 'C1/1700000000.000100', 1],
  ['C1', 'C11', 0],
  ['C1', 'C2/1700000000.000100', 0],
  [undefined, 'C2/1700000000.000100', 1],
])('maintenance of %s silences %s: %s', (of, place, many) => {
  expect(mutesByMaintenance([window(of)], place)).toHaveLength(many)
})

it.each([
  ['what is to come', 'announced', -1, '1 planned', 'Call off'],
  ['what began a moment ago, before a channel was told', 'announced', 0, '1 under way', 'End'],
  ['what is under way', 'running', 1, '1 under way', 'End'],
  ['what ended a moment ago, before a channel was told', 'running', 3600, '1 under way', 'End'],
  ['what began and ended while nobody could be told', 'announced', 7200, '1 under way', 'End'],
] as const)('the list of maintenance says of %s what it is', (_, state, seconds, says, ends) => {
  const shown = { ...window('C1'), state, to: new Date(AT.getTime() + 3_600_000) }
  const { text, blocks } = maintenanceListView([shown], new Date(AT.getTime() + seconds * 1000))
  expect(text).toContain(`Maintenance: ${says}`)
  expect(JSON.stringify(blocks)).toContain(`"${ends} maintenance of everything"`)
})

it.each([
  [
    'announced',
    /^🗓️ Maintenance of everything is planned, from <!date[^>]*22:00 UTC>\nUntil: <!date[^>]*23:00/,
  ],
  [
    'running',
    /^🔧 Maintenance of everything is under way, until <!date[^>]*23:00 UTC>\nFrom: <!date[^>]*22:00/,
  ],
  ['over', /^✅ Maintenance of everything is over, after 1 h\nFrom: .*\nUntil: /],
] as const)('a card of maintenance that is %s says when in its first line', (state, says) => {
  const shown = { ...window('C1'), state, to: new Date(AT.getTime() + 3_600_000), forMs: 3_600_000 }
  const card = { id: 'c', environment: 'production', channelId: 'C1', kind: 'maintenance' } as const
  const at = { cardId: 'c', openedAt: AT, changedAt: AT, ...(state === 'over' && { closedAt: AT }) }
  expect(maintenanceCardView({ ...card, ...at, window: shown }).text).toMatch(says)
})
