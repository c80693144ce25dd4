import { expect } from 'vitest'
import { findRecords } from '../../packages/durable/src/audit/anchor-record.ts'
import type { RandomAudit } from './random-audit.ts'
import type { Tables } from './tamperings.ts'

/** A record between two others that were written since the last restore, so that its absence is certain. */
function findInner(texts: readonly string[]): number {
  const records = texts.map((text) => findRecords(text)[0]?.record)
  const last = records.at(-1)
  return records.findLastIndex((record, index) => {
    const [before, after] = [records[index - 1], records[index + 1]]
    return [before, record, after].every((each) => each && each.restore === last?.restore)
  })
}

/** The number of the last row of each log. */
function listEnds({ audit_entry }: Tables): string[] {
  const ends = new Map<string, number>()
  for (const { workspace_id, sequence } of audit_entry)
    ends.set(workspace_id, Math.max(sequence, ends.get(workspace_id) ?? 0))
  return [...ends].map(([id, end]) => `${id} ${end}`).sort()
}

/**
 * Tampers with the anchor, and brings back older copies of the whole database, which only the anchor can show. Returns how many ways
 * were possible.
 */
export async function tamperWithAnchor(audit: RandomAudit): Promise<number> {
  let count = 0
  const expectFault = async (texts: readonly string[], fault: RegExp, what: string) => {
    count += 1
    const lines = await audit.verify(texts, true)
    expect(lines.join('\n'), `seed ${audit.seed}: ${what}`).toMatch(fault)
  }
  const texts = audit.records.filter((text) => findRecords(text).length > 0)
  await expectFault([], /contains no records/, 'the anchor was emptied')
  if (texts.length > 1)
    await expectFault(texts.slice(0, -1), /missing from the end/, 'the last record was removed')
  const inner = findInner(texts)
  if (inner >= 0) {
    const edited = texts.with(
      inner,
      (texts[inner] ?? '').replace(/..$/, (end) => (end === 'AA' ? 'BB' : 'AA')),
    )
    const fault = /changed or removed from the anchor/
    await expectFault(texts.toSpliced(inner, 1), fault, 'a record was removed')
    await expectFault(edited, fault, 'a record was edited')
  }
  const now = await audit.readTables()
  const ends = listEnds(now)
  for (const copy of audit.copies) {
    // Everything that was added since the copy is anchored.
    const hasAdded = listEnds(copy.tables).toString() !== ends.toString()
    if (copy.restores !== audit.restores || !hasAdded) continue
    await audit.writeTables(structuredClone(copy.tables))
    const fault = /rolled back|missing|wiped|another copy/
    await expectFault(texts, fault, 'the database was rolled back')
  }
  await audit.writeTables(now)
  return count
}
