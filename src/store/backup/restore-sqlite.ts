import { existsSync } from 'node:fs'
import { link, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { openDatabase } from '../database/database.ts'
import { syncFolder } from '../secrets/key-file.ts'
import { type Filling, fill, type LeftOut } from './fill.ts'
import { mergedKeys } from './known-keys.ts'
import { type Extent, extentOf, newerIn } from './newer-than-backup.ts'
import { refuseNotEmpty } from './refuse-not-empty.ts'
import type { Restoration } from './restore.ts'
import { formerOf, openExclusively, removeDatabase, stampOf } from './sqlite-exclusive.ts'

/** Makes the database in a new file, which replaces the former one once it is complete. */
export async function restoreSqlite(
  given: string,
  filling: Filling,
  isReplacing: boolean,
): Promise<LeftOut & Pick<Restoration, 'former' | 'newer'>> {
  const file = resolve(given)
  using alone = existsSync(file) ? openExclusively(file) : undefined
  const { extent: before, keys = [] } = (alone && (await formerOf(alone.raw))) ?? {}
  const workspaceKeys = mergedKeys([...filling.workspaceKeys.values()], keys)
  if (before !== undefined) refuseNotEmpty({ isReplacing, file })
  const fresh = `${file}.restoring`
  await removeDatabase(fresh)
  let leftOut: LeftOut
  let after: Extent
  try {
    await using database = await openDatabase(`sqlite:${fresh}`)
    leftOut = await database.exclusively((transaction) =>
      fill(database, transaction, { ...filling, workspaceKeys }),
    )
    after = await extentOf(database.rows)
  } catch (error) {
    await removeDatabase(fresh)
    throw error
  }
  // A database that its last user has closed is one file.
  const former = before && `${file}.before-restore-${stampOf(filling.now)}`
  if (former !== undefined) {
    // It keeps its own name until the fresh one takes that: whoever starts after a crash finds one of the two.
    // Not every file system knows links; there, the name is free for a moment.
    await link(file, former).catch(() => rename(file, former))
    // The journal of the former database's outcomes belongs to that database.
    if (existsSync(`${file}.journal`)) await rename(`${file}.journal`, `${former}.journal`)
  }
  await rename(fresh, file)
  await syncFolder(dirname(file))
  return { ...leftOut, former, newer: before && newerIn(before, after) }
}
