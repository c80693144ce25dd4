import { expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { createRefusalLog } from '../../../src/bot/access/refusal-log.ts'

const AT = new Date('2026-11-20T12:00:00Z')

it('records at most 100 refusals of a person in a minute, and warns once', async () => {
  const rows: AuditEvent[] = []
  const warnings: unknown[] = []
  let nowMs = 100_000
  const log = createRefusalLog({
    append: async (row) => rows.push(row),
    log: { warn: (fields: unknown) => void warnings.push(fields) },
    stopwatch: () => nowMs,
  })
  const refuse = async (times: number, userId: string, workspaceId = 'T1'): Promise<number> => {
    const before = rows.length
    for (let nth = 0; nth < times; nth += 1)
      await log.write({
        workspaceId,
        at: AT,
        actor: { userId },
        verb: `/hc verb${nth % 3}`,
        outcome: 'refused',
        reference: `R${nth}`,
      })
    return rows.length - before
  }
  expect(await refuse(95, 'U1')).toBe(95)
  nowMs += 59_000
  expect(await refuse(2000, 'U1')).toBe(5)
  expect(warnings).toEqual([{ reference: 'R5', workspace: 'T1' }])
  // Other people, and the same ID in another workspace, have their own rows.
  expect([await refuse(3, 'U2'), await refuse(3, 'U1', 'T2')]).toEqual([3, 3])
  nowMs += 1001
  expect(await refuse(130, 'U1')).toBe(100)
  expect(warnings).toHaveLength(2)
})
