import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Channel } from '../protocol/protocol.ts'
import type { StoredFile, StoredMessage } from './stored.ts'

const SCHEMA = `
create table if not exists channel (id text primary key, body text not null) strict;
create table if not exists message (
  channel text not null, ts text not null, body text not null, primary key (channel, ts)
) strict, without rowid;
create table if not exists file (id text primary key, body text not null, bytes blob) strict;
`

export type Store = ReturnType<typeof openStore>

const parseBodies = <T>(rows: Record<string, unknown>[]): T[] =>
  // Safe cast: only the functions below write these rows, as JSON of these types.
  rows.map(({ body }) => JSON.parse(String(body)) as T)

/**
 * Stores channels, messages, and files in a SQLite file, or in memory if `path` is `:memory:`. Throws if the file can't be opened, or
 * isn't a database.
 */
export function openStore(path: string) {
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = wal; pragma synchronous = normal;')
  db.exec(SCHEMA)
  const saveChannel = db.prepare('insert or replace into channel (id, body) values (?, ?)')
  const putMessage = db.prepare('insert or replace into message (channel, ts, body) values (?, ?, ?)')
  const deleteMessage = db.prepare('delete from message where channel = ? and ts = ?')
  const putFile = db.prepare('insert or replace into file (id, body, bytes) values (?, ?, ?)')
  const deleteFile = db.prepare('delete from file where id = ?')

  return {
    channels: (): Channel[] => parseBodies(db.prepare('select body from channel order by rowid').all()),
    /** Oldest first. */
    messages: (): StoredMessage[] => parseBodies(db.prepare('select body from message order by ts').all()),
    files: (): StoredFile[] =>
      db
        .prepare('select body, bytes from file order by rowid')
        .all()
        .flatMap((row) =>
          parseBodies<StoredFile>([row]).map((file) => ({
            ...file,
            bytes: row.bytes instanceof Uint8Array ? Buffer.from(row.bytes) : null,
          })),
        ),

    saveChannel: (channel: Channel): void => void saveChannel.run(channel.id, JSON.stringify(channel)),
    saveMessage: (message: StoredMessage): void =>
      void putMessage.run(message.channel, message.ts, JSON.stringify(message)),
    removeMessage: ({ channel, ts }: StoredMessage): void => void deleteMessage.run(channel, ts),
    saveFile: ({ bytes, ...file }: StoredFile): void =>
      void putFile.run(file.info.id, JSON.stringify(file), bytes),
    removeFile: (id: string): void => void deleteFile.run(id),

    /** Deletes all messages and files, but keeps the channels. */
    clear(): void {
      db.exec('delete from message; delete from file;')
    },

    /** Returns the bytes of a copy of the database, which another playground can use as its store. */
    snapshot(): Buffer {
      const folder = mkdtempSync(join(tmpdir(), 'playground-'))
      try {
        const copy = join(folder, 'copy.db')
        db.prepare('vacuum into ?').run(copy)
        return readFileSync(copy)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },

    close: (): void => db.close(),
  }
}
