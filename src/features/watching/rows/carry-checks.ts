import type { Database, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { MuteSubject, WatchFilter, WatchRule } from '../rules/watch.ts'
import { turnOf } from './watch-work.ts'

export const carryChecks =
  ({ inTurn }: Database): CarryChecks =>
  async ({ workspaceId, environment }, uuids) => {
    if (uuids.size === 0) return { watches: 0, mutes: 0 }
    const taken = new Map([...uuids].map(([from, to]) => [from.toLowerCase(), to]))
    const fresh = new Set([...uuids.values()].map((uuid) => uuid.toLowerCase()))
    const places: Places = {
      carried: (uuid) => taken.get(uuid.toLowerCase()) ?? uuid,
      isFresh: (uuid) => fresh.has(uuid.toLowerCase()),
    }
    const ofThese = { workspace_id: workspaceId, environment }
    return inTurn(turnOf(workspaceId), async (rows) => ({
      watches:
        (await carryWatches(rows, ofThese, places)) + (await carryTakedowns(rows, workspaceId, places)),
      mutes: await carryMutes(rows, ofThese, places),
    }))
  }

interface Places {
  /** The UUID that stands in the place of this one. */
  carried(uuid: string): string
  /** Whether it is one of the new ones. */
  isFresh(uuid: string): boolean
}

interface Scope {
  workspace_id: string
  environment: Environment
}

async function carryWatches(rows: Kysely<Schema>, of: Scope, { carried, isFresh }: Places): Promise<number> {
  const found = await rows
    .selectFrom('watch')
    .select(['id', 'filter'])
    .where((row) => row.and({ ...of }))
    .where('filter', 'like', '%"uuid"%')
    .execute()
  const isUuid = ({ field }: WatchRule): boolean => field === 'uuid'
  const next = (rule: WatchRule): WatchRule =>
    isUuid(rule) ? { ...rule, pattern: carried(rule.pattern) } : rule
  let count = 0
  for (const { id, filter } of found) {
    // Only this program writes it.
    const known = JSON.parse(filter) as WatchFilter
    const [include, exclude] = [known.include.map(next), known.exclude.map(next)]
    if ([...include, ...exclude].some((rule) => isUuid(rule) && isFresh(rule.pattern))) count += 1
    const changed = JSON.stringify({ ...known, include, exclude })
    if (changed !== filter)
      await rows.updateTable('watch').set({ filter: changed }).where('id', '=', id).execute()
  }
  return count
}

async function carryMutes(rows: Kysely<Schema>, of: Scope, { carried, isFresh }: Places): Promise<number> {
  const found = await rows
    .selectFrom('watch_mute')
    .select(['id', 'about'])
    .where((row) => row.and({ ...of }))
    .where('about', 'like', '%"uuid"%')
    .execute()
  let count = 0
  for (const { id, about } of found) {
    // Only this program writes it.
    const subject = JSON.parse(about) as Extract<MuteSubject, { kind: 'check' }>
    const uuid = carried(subject.uuid)
    if (isFresh(uuid)) count += 1
    if (uuid !== subject.uuid)
      await rows
        .updateTable('watch_mute')
        .set({ about: JSON.stringify({ ...subject, uuid }) })
        .where('id', '=', id)
        .execute()
  }
  return count
}

async function carryTakedowns(
  rows: Kysely<Schema>,
  workspaceId: string,
  { carried, isFresh }: Places,
): Promise<number> {
  const found = await rows
    .selectFrom('takedown_watch')
    .select(['id', 'check_uuid'])
    .where('workspace_id', '=', workspaceId)
    .where('check_uuid', '<>', '')
    .execute()
  let count = 0
  for (const { id, check_uuid } of found) {
    const uuid = carried(check_uuid)
    if (isFresh(uuid)) count += 1
    if (uuid !== check_uuid)
      await rows.updateTable('takedown_watch').set({ check_uuid: uuid }).where('id', '=', id).execute()
  }
  return count
}
