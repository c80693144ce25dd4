import { expect, it } from 'vitest'
import { openIncident } from '../../../../src/domain/outages/incident.ts'
import type { Silence } from '../../../../src/features/watching/rules/silence.ts'
import { listPlanned, sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'

const HOUR_MS = 3_600_000
const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 28, hour))
const shop = { uuid: 'shop', name: 'shop' }
const down = (from: number, to: number) => ({
  ...openIncident(shop, at(from), `${from}`),
  ...{ isDown: false, downs: [{ from: at(from), to: at(to) }], closedAt: at(to) },
})

it('counts outages that began in the period, and no time in maintenance', () => {
  const maintenance: Silence = {
    ...{ id: '1', workspaceId: 'T1', enterpriseId: undefined, environment: 'production', channelId: 'C1' },
    ...{ subject: { kind: 'name', pattern: 'sh*' }, isMaintenance: true, from: at(10), to: at(12) },
    ...{ timeZone: 'UTC', reason: '', ownerId: 'U1', ownerName: 'Bea', madeAt: at(9) },
  }
  const span = { from: at(8), to: at(20) }
  const input = { incidents: [down(7, 9), down(11, 13), down(10, 11)], observed: [span], span }
  const { checks, outages, downMs } = sumHistory({ ...input, maintenance: listPlanned([maintenance], span) })
  expect({ outages, downMs }).toEqual({ outages: 1, downMs: 2 * HOUR_MS })
  expect(checks[0]?.observedMs).toBe(10 * HOUR_MS)
  expect(sumHistory({ ...input, maintenance: [] })).toMatchObject({ outages: 2, downMs: 4 * HOUR_MS })
})
