import { readFileSync } from 'node:fs'
import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findRecords, hashRecord } from '../../packages/durable/src/audit/anchor-record.ts'
import type { Database } from '../../packages/durable/src/database/database.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, IS_LONG } from '../long.ts'
import { createRandom, readSeed } from '../random.ts'
import { AuditedDatabase, ORDINARY_ACTIONS, performAction } from './audited.ts'
import { readAll, readTables, TAMPERINGS, type Tables, writeTables } from './tamperings.ts'

const DAY_MS = 86_400_000
const ACTIONS = ['nothing', ...Object.keys(ORDINARY_ACTIONS)]

describe.each(eitherOf(SHARED_DATABASES))('tampering on $name', ({ start }) => {
  const random = createRandom(readSeed())
  const actions = IS_LONG ? ACTIONS : [random.oneOf(ACTIONS)]
  describe.each(actions)('after: %s', (name) => {
    let world: AuditedDatabase
    let raw: Database
    let former: Tables
    let untampered: Tables
    beforeAll(async () => {
      world = await new AuditedDatabase(await start()).fill()
      const before = await world.openRaw()
      former = await readTables(before)
      await before[Symbol.asyncDispose]()
      await world.setRetention('T1', 60)
      await (await world.open()).grants.remove('T1', 'admin', { kind: 'user', id: 'U0ANN' })
      await (await world.open()).grants.add(
        'T1',
        'operator',
        { kind: 'user', id: 'U0BOB' },
        'U0ANN',
        new Date(world.now),
      )
      await performAction(world, name)
      raw = await world.openRaw()
      untampered = await readTables(raw)
    })
    afterAll(async () => {
      await raw?.[Symbol.asyncDispose]()
      await world?.[Symbol.asyncDispose]()
    })

    it.each(Object.entries(TAMPERINGS))('is detected: %s', async (_, tamper) => {
      const now = structuredClone(untampered)
      const expected = tamper(now, structuredClone(former))
      if (!expected) return
      await writeTables(raw, now)
      const lines = await world.verify('anchored')
      await writeTables(raw, untampered)
      expect(lines.join('\n')).toMatch(expected)
      expect(lines.at(-1)).not.toBe('The audit log is intact.')
    })

    it('is tested in at least 30 ways, and isn’t reported for an untouched log', async () => {
      const applied = Object.values(TAMPERINGS).filter((tamper) =>
        tamper(structuredClone(untampered), structuredClone(former)),
      )
      expect(applied.length).toBeGreaterThanOrEqual(30)
      expect((await world.verify('anchored')).at(-1)).toBe('The audit log is intact.')
    })
  })

  it('is detected with the anchor if the whole database is rolled back', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await using raw = await world.openRaw()
    const former = await readTables(raw)
    for (let i = 0; i < 3; i++) await world.append('T1')
    await world.anchor()
    await writeTables(raw, former)
    expect((await world.verify('alone')).at(-1)).toBe('The audit log is intact.')
    expect(await world.verify('copy')).toContainEqual(
      expect.stringMatching(/row \d+ was anchored .* is missing: the log was rolled back or truncated/),
    )
    // The app continues to write, but doesn't anchor behind a record that it doesn't know.
    for (let i = 0; i < 5; i++) await world.append('T1')
    await expect(world.anchor()).rejects.toThrow('doesn’t end with record')
    // The end of a channel isn't read.
    await world.anchorBlindly()
    expect(await world.verify('anchored')).toContainEqual(
      expect.stringMatching(
        /comes after record \d although nothing was restored: the register was rolled back/,
      ),
    )
  })

  it('is detected with the anchor if the database is replaced with another copy', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await using raw = await world.openRaw()
    await world.close()
    const former = await readTables(raw)
    await raw[Symbol.asyncDispose]()
    await world.restore()
    world.now += DAY_MS
    await world.append('T1')
    await world.anchor()
    expect((await world.verify('anchored')).at(-1)).toBe('The audit log is intact.')
    await using later = await world.openRaw()
    await writeTables(later, former)
    expect((await world.verify('alone')).at(-1)).toBe('The audit log is intact.')
    expect(await world.verify('copy')).toContainEqual(
      expect.stringMatching(/by another copy of the database/),
    )
  })

  it('is also detected in the anchor itself', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    for (let i = 0; i < 3; i++) {
      await world.append('T1')
      await world.anchor()
    }
    const texts = readFileSync(world.anchorPath, 'utf8').trim().split('\n')
    const readNumber = (text = '') => findRecords(text)[0]?.record.n ?? 0
    const without = (index: number) => texts.filter((_, i) => i !== index).join('\n')
    expect(texts.map(readNumber)).toEqual([1, 2, 3, 4, 5])
    const verifyText = async (text: string, mode: 'anchored' | 'copy' = 'anchored') =>
      (await world.verify(mode, text)).join('\n')
    expect(await verifyText(without(3))).toMatch(/record 4 was changed or removed from the anchor/)
    const edited = texts.map((text, i) =>
      i === 3
        ? text.replace(/\.(.)([\w-]{85})$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`)
        : text,
    )
    expect(await verifyText(edited.join('\n'))).toMatch(/record 4 was changed or removed/)
    expect(await verifyText(texts.slice(0, 3).join('\n'))).toMatch(
      /record 4 and all records up to 5 are missing from the end/,
    )
    expect(await verifyText('')).toMatch(/contains no records of an audit log/)
    expect(await verifyText(texts.slice(0, 3).join('\n'), 'copy')).toMatch(
      /The anchor ends at record 3 of 5\.\n[\s\S]*is intact/,
    )
    expect(await verifyText(texts.slice(2).join('\n'), 'copy')).toMatch(
      /The anchor begins at record 3\.\n[\s\S]*is intact/,
    )
    const channelText = `Copied from a channel:\n${texts.map((text) => `\`\`\`${text}\`\`\``).join('\nby somebody\n')}`
    expect((await world.verify('copy', channelText)).at(-1)).toBe('The audit log is intact.')
    const forged = `${texts[0]?.replace(/\.v1\.[^.]+\./, '.v1.other.')}`
    expect(await verifyText(`${texts.join('\n')}\n${forged}`)).toMatch(
      /1 record \(1\) can’t be checked, because the key “other” isn’t here/,
    )
    expect(hashRecord(texts[0] ?? '')).toMatch(/^[0-9a-f]{64}$/)
  })

  it('stops retention if the retention period is rolled back, and stops new rows if the log’s head is missing', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await using raw = await world.openRaw()
    await world.setRetention('T1', 5)
    const shortRetention = (await readTables(raw)).setting
    await world.setRetention('T1', 3650)
    world.now += 40 * DAY_MS
    const untampered = await readTables(raw)
    await writeTables(raw, { ...untampered, setting: shortRetention })
    const store = await world.open()
    await world.retention()
    expect((await store.audit.verify('T1')).rows).toBe(
      untampered.audit_entry.filter((row) => row.workspace_id === 'T1').length,
    )
    await writeTables(raw, {
      ...untampered,
      audit_chain: untampered.audit_chain.filter((row) => row.workspace_id !== 'T1'),
    })
    await expect(world.append('T1')).rejects.toMatchObject({ name: 'StoreError', kind: 'tampered' })
    await writeTables(raw, { ...untampered, audit_chain: [], audit_entry: [] })
    // Only its past decisions distinguish it from a new workspace.
    await world.append('T1')
    expect((await world.verify('copy')).at(-1)).not.toBe('The audit log is intact.')
  })

  it('blocks new decisions and ignores old settings if the list of decisions is rolled back', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await using raw = await world.openRaw()
    await world.setRetention('T1', 5)
    const former = await readTables(raw)
    await world.setRetention('T1', 3650)
    const untampered = await readTables(raw)
    const formerList = former.audit_chain.find((row) => row.workspace_id === 'T1')?.sealed_decided ?? null
    const chains = untampered.audit_chain.map((row) =>
      row.workspace_id === 'T1' ? { ...row, sealed_decided: formerList } : row,
    )
    await writeTables(raw, { ...untampered, audit_chain: chains, setting: former.setting })
    const store = await world.open()
    // 0 keeps every row.
    expect(await store.settings.get('T1', AUDIT_RETENTION_DAYS)).toBe(0)
    await expect(world.setRetention('T1', 30)).rejects.toMatchObject({ name: 'StoreError', kind: 'tampered' })
  })

  it('accepts no decision from before a restore, although another one has its number since', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await world.restore()
    const findHead = async () => {
      const { audit_entry } = await readAll(world)
      return Math.max(...audit_entry.flatMap((row) => (row.workspace_id === 'T1' ? [row.sequence] : [])))
    }
    // The restore adds a row. The next one decides, before the second restore and after it.
    await world.setRetention('T1', 3650)
    const [former, number] = [await readAll(world), await findHead()]
    await world.restore()
    await world.setRetention('T1', 30)
    expect(await findHead()).toBe(number)
    const now = await readAll(world)
    const formerList = former.audit_chain.find((row) => row.workspace_id === 'T1')?.sealed_decided ?? null
    const chains = now.audit_chain.map((row) =>
      row.workspace_id === 'T1' ? { ...row, sealed_decided: formerList } : row,
    )
    await using raw = await world.openRaw()
    await writeTables(raw, { ...now, audit_chain: chains, setting: former.setting })
    const store = await world.open()
    expect(await store.settings.get('T1', AUDIT_RETENTION_DAYS)).toBe(0)
    expect((await world.verify('alone')).join('\n')).toContain(
      'the sealed list of decisions is from another row',
    )
  })
})
