import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { WriteCounter } from './write-counter.ts'

const WAL_HEADER = 32
const FRAME_HEADER = 24

/** Counts the writes of other connections to a SQLite file in WAL mode. */
export function countSqliteWrites(file: string): WriteCounter {
  // A reader with an open snapshot prevents checkpoints, so the write-ahead log only grows.
  const snapshotReader = new DatabaseSync(file, { readOnly: true })
  snapshotReader.exec('begin')
  snapshotReader.prepare('select count(*) from sqlite_master').get()
  const reader = new DatabaseSync(file, { readOnly: true })
  const before = readLog(file)
  return {
    async rows() {
      const tables = reader.prepare("select name from sqlite_master where type = 'table'").all()
      const counts = tables.map(({ name }) => reader.prepare(`select count(*) as count from "${name}"`).get())
      return counts.reduce((sum, row) => sum + Number(row?.count), 0)
    },
    async commits() {
      const now = readLog(file)
      return now.salt === before.salt ? now.commits - before.commits : now.commits
    },
    async [Symbol.asyncDispose]() {
      reader.close()
      snapshotReader.close()
    },
  }
}

/** Counts the commits in the write-ahead log. The salt identifies the log (https://www.sqlite.org/fileformat2.html#walformat). */
function readLog(file: string): { salt: string; commits: number } {
  const log = readFileSync(`${file}-wal`)
  if (log.length < WAL_HEADER) return { salt: '', commits: 0 }
  const pageSize = log.readUInt32BE(8)
  const salt = log.toString('hex', 16, 24)
  let commits = 0
  for (let offset = WAL_HEADER; offset + FRAME_HEADER <= log.length; offset += FRAME_HEADER + pageSize) {
    // SQLite reuses the file, so frames with another salt are left over from an earlier log.
    if (log.toString('hex', offset + 8, offset + 16) !== salt) break
    // Only the last frame of a commit contains the size of the database.
    if (log.readUInt32BE(offset + 4) > 0) commits += 1
  }
  return { salt, commits }
}
