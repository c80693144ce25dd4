import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { writeWhole } from '../database/disk.ts'
import { rowsIn, type Schema } from '../database/schema.ts'
import { type Identity, parseRootKeyId, type Sealer, tryOpen } from './seal.ts'

// Known outcomes, each sealed in a file of its own on this machine's disk, until the database has them.

/** Where a process keeps known outcomes unless it was told where; undefined for a database in memory, which ends with its process. */
export const journalFolder = ({ kind, file }: Pick<Database, 'kind' | 'file'>): string | undefined =>
  kind === 'postgres' ? join('data', 'journal') : file && `${file}.journal`

/** In it each database has a folder of its own, so that none takes an outcome for its own after a restore. */
export async function outcomesFolder(
  rows: Kysely<Schema>,
  journal: string | undefined,
): Promise<string | undefined> {
  const row = await rowsIn(rows, 'setting', { workspace_id: '', key: STORE_ID_KEY }).executeTakeFirst()
  return journal === undefined || row === undefined ? undefined : join(journal, String(JSON.parse(row.value)))
}

/** The setting of the whole database that holds its id. */
export const STORE_ID_KEY = 'store.id'

export const outcomeIdentity = (id: string): Identity => ['outcome_journal', id]

/** A file of a known outcome; what was set aside has another ending. */
const FORM = /^([0-9a-f-]{36})\.outcome(?:\.unsettled)?$/

/** The ids of the files in a folder that may be read, by their names. */
const outcomesIn = async (folder: string): Promise<readonly { id: string; path: string }[]> =>
  (await readdir(folder).catch(() => [])).flatMap((name) => {
    const id = FORM.exec(name)?.[1]
    return id === undefined ? [] : [{ id, path: join(folder, name) }]
  })

/**
 * Seals every known outcome in the folder of this database with the first key. Returns the keys that are still needed for files that
 * don't open, and how many such files there are.
 */
export async function resealOutcomes(
  folder: string,
  root: Sealer,
  keyId: string,
): Promise<{ resealed: number; needed: ReadonlySet<string>; unopened: number }> {
  const needed = new Set<string>()
  let [resealed, unopened] = [0, 0]
  for (const { id, path } of await outcomesIn(folder)) {
    // Gone meanwhile: the database has it.
    const text = await readFile(path, 'utf8').catch(() => '')
    const sealedBy = parseRootKeyId(text)
    if (sealedBy === undefined || sealedBy === keyId) continue
    const opened = tryOpen(() => root.open(text, outcomeIdentity(id)))
    if ('value' in opened) {
      await writeWhole(path, root.seal(opened.value, outcomeIdentity(id)))
      resealed += 1
    } else {
      needed.add(sealedBy)
      unopened += 1
    }
  }
  return { resealed, needed, unopened }
}
