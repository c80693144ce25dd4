import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Writes } from './writes.ts'

const WAL_HEADER = 32
const FRAME_HEADER = 24

/** Counts writes to a SQLite file in WAL mode from outside. */
export function watchSqlite(file: string): Writes {
  // While a reader keeps an old snapshot open, the write-ahead log only grows.
  const holding = new DatabaseSync(file, { readOnly: true })
  holding.exec('begin')
  holding.prepare('select count(*) from sqlite_master').get()
  const counting = new DatabaseSync(file, { readOnly: true })
  const before = readLog(file)
  return {
    async rows() {
      const tables = counting.prepare("select name from sqlite_master where type = 'table'").all()
      const counts = tables.map(({ name }) =>
        counting.prepare(`select count(*) as count from "${name}"`).get(),
      )
      return counts.reduce((sum, row) => sum + Number(row?.count), 0)
    },
    async commits() {
      const now = readLog(file)
      return now.salt === before.salt ? now.commits - before.commits : now.commits
    },
    async [Symbol.asyncDispose]() {
      counting.close()
      holding.close()
    },
  }
}

/** The commits in the write-ahead log, and which log it is (https://www.sqlite.org/fileformat2.html#walformat). */
function readLog(file: string): { salt: string; commits: number } {
  const log = readFileSync(`${file}-wal`)
  if (log.length < WAL_HEADER) return { salt: '', commits: 0 }
  const pageSize = log.readUInt32BE(8)
  const salt = log.toString('hex', 16, 24)
  let commits = 0
  for (let at = WAL_HEADER; at + FRAME_HEADER <= log.length; at += FRAME_HEADER + pageSize) {
    // Frames after the last one of this log are left over from an earlier one.
    if (log.toString('hex', at + 8, at + 16) !== salt) break
    if (log.readUInt32BE(at + 4) > 0) commits += 1
  }
  return { salt, commits }
}
