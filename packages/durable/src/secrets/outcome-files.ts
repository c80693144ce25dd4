import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { writeFileAtomically } from '../database/disk.ts'
import { type Schema, selectRows } from '../database/schema.ts'
import { type Identity, parseRootKeyId, type Sealer, tryOpen } from './seal.ts'

// Step outcomes that the database doesn't have yet, each sealed in its own file on this machine's disk.

/** The default folder for outcome files. Undefined for a database in memory, which ends with its process. */
export const journalFolder = ({ kind, file }: Pick<Database, 'kind' | 'file'>): string | undefined =>
  kind === 'postgres' ? join('data', 'journal') : file && `${file}.journal`

/** Returns this database's own subfolder, so that a restored database doesn't pick up another database's outcomes. */
export async function outcomesFolder(
  rows: Kysely<Schema>,
  journal: string | undefined,
): Promise<string | undefined> {
  const row = await selectRows(rows, 'setting', { workspace_id: '', key: STORE_ID_KEY }).executeTakeFirst()
  return journal === undefined || row === undefined ? undefined : join(journal, String(JSON.parse(row.value)))
}

/** The key of the setting with the database's ID. */
export const STORE_ID_KEY = 'store.id'

export const outcomeIdentity = (id: string): Identity => ['outcome_journal', id]

/** The name of an outcome file that can be opened. Unreadable files have another ending. */
const OUTCOME_FILE = /^([0-9a-f-]{36})\.outcome(?:\.unsettled)?$/

/** Lists the outcome files in a folder. */
const listOutcomes = async (folder: string): Promise<readonly { id: string; path: string }[]> =>
  (await readdir(folder).catch(() => [])).flatMap((name) => {
    const id = OUTCOME_FILE.exec(name)?.[1]
    return id === undefined ? [] : [{ id, path: join(folder, name) }]
  })

/**
 * Seals every outcome file in this database's folder with the primary key. Returns the keys that are still needed for files that
 * don't open, and the number of such files.
 */
export async function resealOutcomes(
  folder: string,
  root: Sealer,
  keyId: string,
): Promise<{ resealed: number; neededKeys: ReadonlySet<string>; undecryptable: number }> {
  const neededKeys = new Set<string>()
  let [resealed, undecryptable] = [0, 0]
  for (const { id, path } of await listOutcomes(folder)) {
    // If the file is gone, another process has written its outcome to the database meanwhile.
    const text = await readFile(path, 'utf8').catch(() => '')
    const sealedBy = parseRootKeyId(text)
    if (sealedBy === undefined || sealedBy === keyId) continue
    const opened = tryOpen(() => root.open(text, outcomeIdentity(id)))
    if ('value' in opened) {
      await writeFileAtomically(path, root.seal(opened.value, outcomeIdentity(id)))
      resealed += 1
    } else {
      neededKeys.add(sealedBy)
      undecryptable += 1
    }
  }
  return { resealed, neededKeys, undecryptable }
}
