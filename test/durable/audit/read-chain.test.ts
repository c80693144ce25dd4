import { expect, it } from 'vitest'
import { readChain } from '../../../packages/durable/src/audit/read-chain.ts'
import { hashRow } from '../../../packages/durable/src/audit/row.ts'
import type { AuditEntryRow } from '../../../packages/durable/src/database/schema.ts'

function createRow(sequence: number, previous_hash: string): AuditEntryRow {
  const row = {
    ...{ workspace_id: 'T1', sequence, previous_hash, salt: 's', user_id: 'U1' },
    ...{ at: '2026-11-20T09:00:00.000Z' },
    ...{ team_id: null, channel_id: null, verb: 'v', object: null, before: null, after: null },
    outcome: 'done' as const,
    reference: 'r',
  }
  return { ...row, hash: hashRow(row), sealed_erasure: null }
}

/** The faults of a log whose first four rows were removed, while these of them still exist. */
function findFaults(leftovers: readonly AuditEntryRow[]) {
  const before = leftovers.at(-1)?.hash ?? ''
  const kept = createRow(5, before)
  const head = { sequence: 5, hash: kept.hash, keptFrom: 5, hashBefore: before, erased: 0 }
  const chain = readChain(head, () => false)
  return [...[...leftovers, kept].flatMap((row) => chain.step(row)), ...chain.end()]
}

it('accepts removed rows that are left only if they lead to the oldest kept row without a gap', () => {
  const second = createRow(2, 'the hash of the first')
  const third = createRow(3, second.hash)
  expect(findFaults([second, third, createRow(4, third.hash)])).toEqual([])
  expect(findFaults([third, createRow(4, third.hash)])).toEqual([])
  const inserted = [{ sequence: 2, description: 'was inserted before the oldest remaining row' }]
  // The hash fits, but the number doesn't.
  expect(findFaults([second, createRow(4, second.hash)])).toEqual(inserted)
  // The number fits, but the hash doesn't.
  expect(findFaults([second, createRow(3, 'another hash')]).slice(0, 1)).toEqual(inserted)
  expect(findFaults([second, third, createRow(4, 'another hash')])).toEqual(inserted)
})
