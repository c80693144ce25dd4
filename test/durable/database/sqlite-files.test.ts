import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  databasePath,
  existingFiles,
  lockForReplacing,
  lockForUse,
  newDatabasePath,
  replaceDatabase,
} from '../../../packages/durable/src/database/sqlite-files.ts'
import { makeFolder } from '../../databases/databases.ts'

const readText = (path: string): string => readFileSync(path, 'utf8')

it('locks a SQLite file for any number of users or for one restore, even before the file exists', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'deep', 'a.db')
  const first = await lockForUse(file)
  const second = await lockForUse(file)
  expect(() => lockForReplacing(file)).toThrow(`The database ${file} is in use, so nothing was changed`)
  first[Symbol.dispose]()
  expect(() => lockForReplacing(file)).toThrow('in use')
  second[Symbol.dispose]()
  const exclusive = lockForReplacing(file)
  expect(() => lockForReplacing(file)).toThrow('in use')
  let isLocked = false
  const waiting = lockForUse(file).then((lock) => {
    isLocked = true
    return lock
  })
  await new Promise(setImmediate)
  expect(isLocked).toBe(false)
  exclusive[Symbol.dispose]()
  using _shared = await waiting
  expect(existsSync(file)).toBe(false)
})

it('reports that the database is being restored if it can’t get the lock in time', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  using _exclusive = lockForReplacing(file)
  await expect(lockForUse(file)).rejects.toThrow(`The database ${file} is being restored`)
})

it('resolves symlinks, so that every path to a database shares one lock', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  writeFileSync(file, 'a')
  mkdirSync(join(folder.path, 'other'))
  symlinkSync(file, join(folder.path, 'other', 'link.db'))
  expect(databasePath(join(folder.path, 'other', 'link.db'))).toBe(databasePath(file))
})

it('replaces a SQLite file, and keeps the old one with its logs', () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  for (const suffix of ['', '-wal', '-shm', '-journal']) writeFileSync(`${file}${suffix}`, `old${suffix}`)
  writeFileSync(newDatabasePath(file), 'new')
  expect(replaceDatabase(file, 'STAMP')).toBe(`${file}.before-restore-STAMP`)
  expect(existingFiles(file)).toEqual([file])
  expect(readText(file)).toBe('new')
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    expect(readText(`${file}.before-restore-STAMP${suffix}`)).toBe(`old${suffix}`)
})

it.each([
  {
    killed: 'while the database was filled',
    before: { 'a.db': 'old', 'a.db-wal': 'log', 'a.db.restoring': 'half', 'a.db.restoring-wal': 'x' },
    after: { 'a.db': 'old', 'a.db-wal': 'log' },
  },
  {
    killed: 'before the new file was created',
    before: { 'a.db': 'old', 'a.db.restoring.lock': '' },
    after: { 'a.db': 'old' },
  },
  {
    killed: 'once the new file was complete',
    before: { 'a.db': 'old', 'a.db-wal': 'log', 'a.db.restored-S': 'new' },
    after: { 'a.db': 'new', 'a.db.before-restore-S': 'old', 'a.db.before-restore-S-wal': 'log' },
  },
  {
    killed: 'while the former database was being moved',
    before: { 'a.db.before-restore-S': 'old', 'a.db-wal': 'log', 'a.db.restored-S': 'new' },
    after: { 'a.db': 'new', 'a.db.before-restore-S': 'old', 'a.db.before-restore-S-wal': 'log' },
  },
  {
    killed: 'during a restore without a former database',
    before: { 'a.db.restored-S': 'new' },
    after: { 'a.db': 'new' },
  },
])('keeps a SQLite file intact if killed $killed', async ({ before, after }) => {
  for (const purpose of ['use', 'replace']) {
    using folder = makeFolder()
    const file = join(folder.path, 'a.db')
    for (const [name, content] of Object.entries(before)) writeFileSync(join(folder.path, name), content)
    using _lock = purpose === 'use' ? await lockForUse(file) : lockForReplacing(file)
    const found = readdirSync(folder.path).filter((name) => name !== 'a.db.lock')
    expect(Object.fromEntries(found.map((name) => [name, readText(join(folder.path, name))]))).toEqual(after)
  }
})
