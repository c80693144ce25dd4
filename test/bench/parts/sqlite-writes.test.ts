import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { countSqliteWrites } from '../../../bench/parts/sqlite-writes.ts'
import { makeFolder } from '../../databases/databases.ts'

it('counts rows and commits of other connections even across a checkpoint, but not reads', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  using database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; create table thing (id integer)')
  await using writes = countSqliteWrites(file)
  const before = await writes.rows()
  database.exec('select count(*) from thing')
  expect([await writes.rows(), await writes.commits()]).toEqual([before, 0])
  database.exec('insert into thing values (1), (2)')
  database.exec('pragma wal_checkpoint(passive)')
  database.exec('begin; insert into thing values (3); insert into thing values (4); commit')
  expect([await writes.rows(), await writes.commits()]).toEqual([before + 4, 2])
})

it('counts commits correctly if it starts after a checkpoint', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  using database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; create table thing (id integer)')
  for (let id = 0; id < 5; id += 1) database.exec(`insert into thing values (${id})`)
  database.exec('pragma wal_checkpoint(restart)')
  await using writes = countSqliteWrites(file)
  database.exec('insert into thing values (5)')
  expect(await writes.commits()).toBe(1)
})
