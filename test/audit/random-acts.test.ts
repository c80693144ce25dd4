import { expect, it } from 'vitest'
import { findRecords } from '../../packages/durable/src/audit/anchor-record.ts'
import { quickOrLong } from '../long.ts'
import { readSeed } from '../random.ts'
import { HONEST_ACTS, RandomAudit } from './random-audit.ts'
import { tamperWithAnchor } from './tamper-with-anchor.ts'
import { TAMPERINGS, type Tables } from './tamperings.ts'

// Long random sequences of ordinary acts, and tampering after each. `pairs.test.ts` runs each pair with real files, restores, and rotations.

const RUNS = quickOrLong('AUDIT_RUNS', { quick: 2, long: 2500 })
const SEED = readSeed()
const ACTS = Object.entries(HONEST_ACTS)
const INTACT = 'The audit log is intact.'

/** Verifies the log alone, with its anchor, and with copies of the anchor that begin later or end earlier. */
async function expectIntact(audit: RandomAudit, done: readonly string[]): Promise<void> {
  const { records, random } = audit
  const later = records.slice(random.below(records.length + 1))
  const earlier = records.slice(0, random.below(records.length + 1))
  const history = `seed ${audit.seed}: ${done.join(', ')}`
  expect((await audit.verify()).at(-1), history).toBe(INTACT)
  if (records.length > 0) expect((await audit.verify(records, true)).at(-1), history).toBe(INTACT)
  for (const copy of [later, earlier])
    if (findRecords(copy.join('\n')).length > 0)
      expect((await audit.verify(copy)).at(-1), `a copy, ${history}`).toBe(INTACT)
}

async function performRandomActs(audit: RandomAudit): Promise<number> {
  const done: string[] = []
  const count = 20 + audit.random.below(41)
  for (let index = 0; index < count; index += 1) {
    await audit.keepCopy()
    const [name, act] = audit.random.oneOf(ACTS)
    audit.now += audit.random.below(600_000)
    await act(audit)
    done.push(name)
    if (audit.random.below(5) === 0) await expectIntact(audit, done)
  }
  await expectIntact(audit, done)
  return done.length
}

/** The number of the last row of the log that `TAMPERINGS` change. */
const findEnd = ({ audit_entry }: Tables): number =>
  Math.max(0, ...audit_entry.flatMap((row) => (row.workspace_id === 'T1' ? [row.sequence] : [])))

/** Tampers in every way that is possible now. Returns how many there were. */
async function tamperInEveryWay(audit: RandomAudit): Promise<number> {
  // What isn't anchored yet can be rolled back unnoticed.
  await audit.anchor()
  // Any change to a leftover is found, but not described by what was changed.
  await audit.deleteLeftovers()
  const now = await audit.readTables()
  const end = findEnd(now)
  // A removal on the same day as another one adds no row, so nobody can tell a copy from before it from the log.
  const copies = audit.copies.filter(
    ({ tables, restores }) => restores !== audit.restores || findEnd(tables) !== end,
  )
  const former = copies.length > 0 ? audit.random.oneOf(copies).tables : now
  let count = 0
  for (const [name, tamper] of Object.entries(TAMPERINGS)) {
    const tampered = structuredClone(now)
    if (!tamper(tampered, structuredClone(former))) continue
    count += 1
    await audit.writeTables(tampered)
    const verdict = (await audit.verify(audit.records, true)).at(-1)
    // How it's described depends on what happened before. `tampering.test.ts` checks that.
    expect(verdict, `seed ${audit.seed}: ${name}`).not.toBe(INTACT)
  }
  await audit.writeTables(now)
  return count + (await tamperWithAnchor(audit))
}

it(`calls no honest act tampering, and finds every tampering, in random sequences (SEED=${SEED})`, async () => {
  let acts = 0
  let tamperings = 0
  for (let run = 0; run < RUNS; run += 1) {
    await using audit = await RandomAudit.open(SEED + run)
    acts += await performRandomActs(audit)
    tamperings += await tamperInEveryWay(audit)
  }
  expect(acts).toBeGreaterThanOrEqual(RUNS * 20)
  expect(tamperings).toBeGreaterThan(RUNS * 20)
})
