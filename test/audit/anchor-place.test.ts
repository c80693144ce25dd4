import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findRecords } from '../../packages/durable/src/audit/anchor-record.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { backUp } from '../databases/open.ts'
import { halfOf, IS_LONG } from '../long.ts'
import { AuditedDatabase } from './audited.ts'
import { readAll, readTables, type Tables, writeTables } from './tamperings.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const INTACT = 'The audit log is intact.'

const readLines = (world: AuditedDatabase) => readFileSync(world.anchorPath, 'utf8').trim().split('\n')

async function expectIntact(world: AuditedDatabase): Promise<void> {
  for (const mode of ['alone', 'anchored', 'copy'] as const)
    expect((await world.verify(mode)).at(-1), mode).toBe(INTACT)
}

async function writeAll(world: AuditedDatabase, tables: Tables): Promise<void> {
  await using raw = await world.openRaw()
  await writeTables(raw, tables)
}

/** Longer than any record: it is written whole, and the process dies before it counts it. */
const WHOLE = 100_000

/** Anchors in a place that accepts only the first `length` characters, like a disk that fills up. */
async function anchorOnFullDisk(world: AuditedDatabase, length: number): Promise<void> {
  const { anchoring } = await world.open()
  const append = async (text: string) => {
    appendFileSync(world.anchorPath, text.slice(0, length))
    throw new Error('ENOSPC')
  }
  await expect(anchoring.anchor({ ...world.anchorPlace, append }, new Date(world.now))).rejects.toThrow(
    'ENOSPC',
  )
}

/** A quick run uses only SQLite, because what is anchored doesn't depend on the database. `pairs.test.ts` anchors on either. */
const DATABASES = IS_LONG ? SHARED_DATABASES : SHARED_DATABASES.slice(0, 1)

describe.each(DATABASES)('the place of the anchor on $name', ({ start }) => {
  it('starts the next record cleanly after the disk was full at any byte', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const length = (readLines(world)[0] ?? '').length
    for (const cut of [0, 1, 10, 16, 40, Math.floor(length / 2), -1, WHOLE]) {
      await world.append('T1')
      const before = readFileSync(world.anchorPath, 'utf8')
      await anchorOnFullDisk(world, cut)
      expect((await world.verify('copy')).at(-1), `cut at ${cut}`).toBe(INTACT)
      await world.anchor()
      // What was cut off stays on a line of its own, and a record that is there already isn't written again.
      const [cutLine = '', ...added] = readFileSync(world.anchorPath, 'utf8')
        .slice(before.length)
        .trim()
        .split('\n')
      expect(findRecords([cutLine, ...added].join('\n'))).toHaveLength(1)
      await world.append('T1')
      await world.anchor()
      await expectIntact(world)
    }
    expect((await world.verify('anchored')).join('\n')).toMatch(/\d records were cut off while being written/)
  })

  it('isn’t counted as anchored on a device that is full', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    world.anchorPath = '/dev/full'
    await world.append('T1')
    await expect(world.anchor()).rejects.toThrow('ENOSPC')
    expect(await (await world.open()).anchoring.listUnanchored()).toHaveLength(1)
  })

  it.each(halfOf([3 * HOUR_MS, 400 * DAY_MS, -3 * HOUR_MS, -400 * DAY_MS]))(
    'doesn’t depend on the clock of the host from which the database is restored, %i ms off',
    async (offset) => {
      await using world = await new AuditedDatabase(await start()).fill()
      const rightTime = world.now
      world.now = rightTime + offset
      await world.append('T1')
      await world.anchor()
      world.now = rightTime + 60_000
      await world.restore()
      await expectIntact(world)
      expect((await world.verify('anchored')).join('\n')).toContain('The app records this when it starts.')
      await world.anchor()
      await expectIntact(world)
      expect((await world.verify('anchored')).join('\n')).toMatch(/Record 2, .*restored from the backup of/)
      world.now = rightTime + 200 * DAY_MS
      await world.append('T1')
      await world.anchor()
      await expectIntact(world)
      // The count continues from the backup.
      expect(readLines(world).map((text) => findRecords(text)[0]?.record.n)).toEqual([1, 2, 3, 2, 3, 4])
    },
  )

  it('accepts a restore on another host, which has no file or an older copy of it', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const older = readLines(world)[0]
    for (const text of ['', `${older}\n`]) {
      writeFileSync(world.anchorPath, text)
      await world.restore()
      await world.anchor()
      await world.append('T1')
      await world.anchor()
      await expectIntact(world)
    }
  })

  it('records a restore first, not the record that was unfinished when the backup was made', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await world.append('T1')
    await anchorOnFullDisk(world, 0)
    await world.close()
    rmSync(world.backupPath)
    await backUp({ url: world.url, keys: world.keys, now: () => new Date(world.now) }, world.backupPath)
    await world.anchor()
    await world.restore()
    await world.anchor()
    const records = findRecords(readLines(world).join('\n')).map(({ record }) => record)
    expect(records.map(({ n }) => n)).toEqual([1, 2, 3, 3, 4])
    expect(records.map(({ restored }) => restored !== undefined)).toEqual([false, false, false, true, false])
    await expectIntact(world)
  })

  it('anchors only in the place of the process that was started last', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const { anchoring } = await world.open()
    await anchoring.usePlace({ ...world.anchorPlace, name: 'file:/elsewhere' })
    await world.append('T1')
    const before = readLines(world)
    await expect(world.anchor()).rejects.toThrow(
      /last started with the anchor file:\/elsewhere, not file:.*All replicas must share one place/,
    )
    expect(readLines(world)).toEqual(before)
    expect(await anchoring.examinePlace(world.anchorPlace)).toContain('All replicas must share one place')
    await anchoring.usePlace(world.anchorPlace)
    await world.anchor()
    expect(await anchoring.examinePlace(world.anchorPlace)).toBeUndefined()
    await expectIntact(world)
  })

  it('finds a rolled back database in a record without rows, as after a rotation', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await world.rotate({ isDropping: false })
    const former = await readAll(world)
    await world.anchor()
    expect(readLines(world)).toHaveLength(3)
    await writeAll(world, former)
    expect((await world.verify('copy')).join('\n')).toContain(
      'record 3 is newer than the last record in the database, 2: the register was rolled back',
    )
  })

  it('finds a wiped workspace even if the list of logs is from before it began', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const before = await readAll(world)
    await world.append('T4')
    await world.anchor()
    await writeAll(world, before)
    expect((await world.verify('copy')).join('\n')).toMatch(
      /T4: row 1 was anchored .*, but its chain no longer exists: the log was wiped/,
    )
  })

  it('doesn’t use the number of a record again that another place may have', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const former = world.anchorPath
    await world.append('T1')
    await anchorOnFullDisk(world, WHOLE)
    world.anchorPath = join(world.folder.path, 'new.txt')
    await world.anchor()
    expect(findRecords(readLines(world).join('\n')).map(({ record }) => record.n)).toEqual([4])
    world.anchorPath = former
    await world.append('T1')
    await world.anchor()
    expect(findRecords(readLines(world).join('\n')).map(({ record }) => record.n)).toEqual([1, 2, 3, 5])
    await expectIntact(world)
  })

  it('continues behind a record that was given up when the place changed for a while', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const former = world.anchorPath
    await world.append('T1')
    await anchorOnFullDisk(world, WHOLE)
    world.anchorPath = join(world.folder.path, 'full.txt')
    writeFileSync(world.anchorPath, '')
    await anchorOnFullDisk(world, 0)
    world.anchorPath = former
    await world.anchor()
    expect(findRecords(readLines(world).join('\n')).map(({ record }) => record.n)).toEqual([1, 2, 3, 5])
    await expectIntact(world)
  })

  it('finds a record that follows another one than the place has', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const former = await readAll(world)
    await world.append('T1')
    await world.anchor()
    await writeAll(world, former)
    // Someone rolled the database back, and removed the record that followed.
    const place = { ...world.anchorPlace, readEnd: async () => undefined, append: async () => undefined }
    const { anchoring } = await world.open()
    await world.append('T2')
    await anchoring.anchor(place, new Date(world.now))
    await world.append('T2')
    await world.anchorBlindly()
    expect((await world.verify('copy')).join('\n')).toContain(
      'record 4 doesn’t follow the record 3 before it: the register was rolled back',
    )
  })

  it('finds a wiped log before and after the next act, and doesn’t anchor it there', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await using raw = await world.openRaw()
    const tables = await readTables(raw)
    await writeTables(raw, { ...tables, audit_chain: [], audit_entry: [], setting: [], role_grant: [] })
    expect((await world.verify('anchored')).join('\n')).toContain('the log was wiped')
    await world.append('T1')
    const expected = 'is of another database: this one was wiped or replaced'
    expect((await world.verify('anchored')).join('\n')).toContain(expected)
    expect((await world.verify('copy')).join('\n')).toContain(expected)
    await expect(world.anchor()).rejects.toThrow('has records of another database')
    expect(readLines(world)).toHaveLength(2)
    // In a channel, whose end isn't read, it stays found.
    await world.anchorBlindly()
    expect((await world.verify('anchored')).join('\n')).toContain(expected)
  })

  it('finds a wiped log even if no key can check the records anymore', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await world.rotate()
    await using raw = await world.openRaw()
    const tables = await readTables(raw)
    await writeTables(raw, { ...tables, audit_chain: [], audit_entry: [], setting: [], role_grant: [] })
    await world.append('T1')
    const lines = (await world.verify('anchored')).join('\n')
    expect(lines).toContain('is of another database')
    expect(lines).toMatch(/2 records \(1, 2\) can’t be checked, because the key “\w+” isn’t here/)
  })

  it('vouches for earlier records after a rotation that dropped their key', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const before = readLines(world).length
    await world.rotate()
    await world.anchor()
    expect(readLines(world)).toHaveLength(before + 1)
    await world.anchor()
    expect(readLines(world)).toHaveLength(before + 1)
    const lines = await world.verify('anchored')
    expect(lines.join('\n')).not.toContain('can’t be checked')
    expect(lines.at(-1)).toBe(INTACT)
  })

  it('names the former place and its count in the first record of a new one', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const former = world.anchorPath
    world.anchorPath = join(world.folder.path, 'new.txt')
    writeFileSync(world.anchorPath, '')
    await world.append('T1')
    await world.anchor()
    expect(findRecords(readLines(world)[0] ?? '')[0]?.record).toMatchObject({
      n: 3,
      moved: `file:${basename(former)}`,
      prior: { n: 2 },
    })
    expect((await world.verify('anchored')).join('\n')).toContain(
      `The anchor begins at record 3; those up to 2 are in file:${basename(former)}.`,
    )
    await expectIntact(world)
    const copy = await world.verify('copy', readFileSync(former, 'utf8'))
    expect(copy.join('\n')).toContain('The anchor ends at record 2 of 3.')
    expect(copy.at(-1)).toBe(INTACT)
    // And back again.
    world.anchorPath = former
    await world.append('T1')
    await world.anchor()
    await expectIntact(world)
  })

  it('doesn’t write behind another end: a replica’s own file, or a file that was rotated away', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    const other = join(world.folder.path, 'other-host.txt')
    cpSync(world.anchorPath, other)
    await world.append('T1')
    await world.anchor()
    // The other replica has the same path on its own disk.
    cpSync(other, world.anchorPath)
    await world.append('T1')
    await expect(world.anchor()).rejects.toThrow('All replicas must share one place')
    rmSync(world.anchorPath)
    await expect(world.anchor()).rejects.toThrow('doesn’t end with record 3')
    const { anchoring } = await world.open()
    expect(await anchoring.examinePlace(world.anchorPlace)).toContain('doesn’t end with record 3')
  })

  it('finds a copy of the database that wrote behind this one', async () => {
    await using world = await new AuditedDatabase(await start()).fill()
    await world.close()
    const inUse = await readAll(world)
    // A restore drill that used the same place.
    await world.restore()
    await world.anchor()
    await world.close()
    const drill = await readAll(world)
    await writeAll(world, inUse)
    expect((await world.verify('anchored')).join('\n')).toMatch(/record 2 was written by another copy/)
    await world.append('T1')
    await expect(world.anchor()).rejects.toThrow('doesn’t end with record 2')
    await world.anchorBlindly()
    expect((await world.verify('anchored')).join('\n')).toMatch(/record 2 was written by another copy/)
    // For the restored copy, the other one is what it replaced.
    await world.close()
    await writeAll(world, drill)
    const lines = await world.verify('anchored')
    expect(lines.join('\n')).toMatch(/Record 3 was written by the database that a restore had replaced/)
    expect(lines.at(-1)).toBe(INTACT)
  })
})
