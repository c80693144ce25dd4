import { randomBytes } from 'node:crypto'
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type { Database } from './database.ts'
import { jsonText } from './json.ts'
import type { JobRow, JobState, Schema } from './schema.ts'
import type { Identity, Sealer } from './seal.ts'
import { deleteInBatches } from './sweeping.ts'

export type { JobState } from './schema.ts'

/** Work that outlives the request that asked for it. */
export interface Job {
  readonly id: string
  readonly workspaceId: string
  readonly kind: string
  readonly state: JobState
  /** The JSON value that it was added with. */
  readonly body: unknown
  /** The message that shows how far it is. */
  readonly message: { channelId: string; ts: string } | undefined
}

export interface NewJob {
  workspaceId: string
  kind: string
  body: unknown
  state: 'prepared' | 'waiting'
  now: Date
}

export type Started = 'started' | 'over' | 'busy'

export interface Jobs {
  /** Keeps a job, and returns its id: 22 characters of `A–Z a–z 0–9 _ -`. A prepared one waits for `start`. */
  add(job: NewJob): Promise<string>
  /**
   * Keeps a job, unless one of its kind in its workspace waits or runs that is `like` it: then that one is returned.
   * Of several at once, one is kept. Throws SealError.
   */
  addUnless(job: NewJob, like: (other: Job) => boolean): Promise<Job | undefined>
  /** Undefined for another workspace's. Throws SealError. */
  find(workspaceId: string, id: string): Promise<Job | undefined>
  /**
   * Lets a prepared or stopped job be worked on: `over` when it is neither, `busy` while another of its kind in this
   * workspace waits or runs. Of several at once, one is `started`. With a `body` it is somebody else's from now on, who
   * gets a message of their own.
   */
  start(workspaceId: string, id: string, now: Date, body?: unknown): Promise<Started>
  /** Asks that it stop: at once when nobody works on it. False when it is over already. */
  stop(workspaceId: string, id: string, now: Date): Promise<boolean>
  /**
   * The oldest job that waits, or whose owner has let its time run out; of a workspace for which others work already,
   * only when there is no other. It is the owner's until `until`.
   */
  claim(owner: string, until: Date, now: Date): Promise<Job | undefined>
  /** Goes on holding it; false when it is somebody else's by now. */
  hold(id: string, owner: string, until: Date): Promise<{ isHeld: boolean; wantsStop: boolean }>
  /** Where its progress is shown. */
  showAt(id: string, message: { channelId: string; ts: string }): Promise<void>
  /** Lets go of it; nothing happens when it is somebody else's by now. */
  release(id: string, owner: string, state: 'waiting' | 'stopped' | 'done', now: Date): Promise<void>
  /** Deletes what nobody has touched since, unless it runs or waits, and says how many. */
  sweep(before: Date): Promise<number>
}

const ID_BYTES = 16
const ID = /^[A-Za-z0-9_-]{22}$/

/** The rows of `job`. */
export function jobStore({ rows, relaxed, inTurn }: Database, sealer: Sealer): Jobs {
  const toJob = (row: Selectable<JobRow>): Job => ({
    id: row.id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    state: row.state,
    body: JSON.parse(sealer.open(row.sealed_body, identityOf(row.workspace_id, row.id))),
    message:
      row.message_channel !== null && row.message_ts !== null
        ? { channelId: row.message_channel, ts: row.message_ts }
        : undefined,
  })
  const sealed = (body: unknown, workspaceId: string, id: string): string =>
    sealer.seal(jsonText(body, 'A job'), identityOf(workspaceId, id))

  async function insert(
    db: Kysely<Schema>,
    { workspaceId, kind, body, state, now }: NewJob,
  ): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url')
    const sealed_body = sealed(body, workspaceId, id)
    const at = now.toISOString()
    const made = { id, workspace_id: workspaceId, kind, state, sealed_body, made_at: at, touched_at: at }
    await db
      .insertInto('job')
      .values({ ...made, wants_stop: 0 })
      .execute()
    return id
  }
  const update = () => rows.updateTable('job')

  return {
    add: (job) => insert(rows, job),

    addUnless: (job, like) =>
      inTurn(`jobs of ${job.workspaceId}`, async (transaction) => {
        const open = await transaction
          .selectFrom('job')
          .selectAll()
          .where('workspace_id', '=', job.workspaceId)
          .where('kind', '=', job.kind)
          .where('state', 'in', ['waiting', 'running'])
          .execute()
        const other = open.map(toJob).find(like)
        if (!other) await insert(transaction, job)
        return other
      }),

    async find(workspaceId, id) {
      if (!ID.test(id)) return undefined
      const row = await rows
        .selectFrom('job')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && toJob(row)
    },

    async start(workspaceId, id, now, body) {
      return inTurn(`jobs of ${workspaceId}`, async (transaction) => {
        const own = await transaction
          .selectFrom('job')
          .select(['id', 'kind', 'state'])
          .where('workspace_id', '=', workspaceId)
          .where((row) => row.or([row('id', '=', id), row('state', 'in', ['waiting', 'running'])]))
          .execute()
        const job = own.find((row) => row.id === id)
        if (!job || (job.state !== 'prepared' && job.state !== 'stopped')) return 'over'
        if (own.some((row) => row.id !== id && row.kind === job.kind)) return 'busy'
        await transaction
          .updateTable('job')
          .set({
            state: 'waiting',
            wants_stop: 0,
            owner: null,
            held_until: null,
            touched_at: now.toISOString(),
            ...(body !== undefined && {
              sealed_body: sealed(body, workspaceId, id),
              message_channel: null,
              message_ts: null,
            }),
          })
          .where('id', '=', id)
          .execute()
        return 'started'
      })
    },

    async stop(workspaceId, id, now) {
      const own = () => update().where('id', '=', id).where('workspace_id', '=', workspaceId)
      const idle = own()
        .set({ state: 'stopped', touched_at: now.toISOString() })
        .where('state', 'in', ['prepared', 'waiting'])
      if (await didChange(idle)) return true
      return didChange(own().set({ wants_stop: 1 }).where('state', '=', 'running'))
    },

    async claim(owner, until, now) {
      const free = await rows
        .selectFrom('job')
        .select('id')
        .where(isFree(now))
        .orderBy(workedFor(now))
        .orderBy('made_at')
        .limit(5)
        .execute()
      for (const { id } of free) {
        const row = await update()
          .set({
            state: 'running',
            owner,
            held_until: until.toISOString(),
            touched_at: now.toISOString(),
          })
          .where('id', '=', id)
          // Asked again of the row itself: another process may have been quicker.
          .where(isFree(now))
          .returningAll()
          .executeTakeFirst()
        if (row) return toJob(row)
      }
      return undefined
    },

    async hold(id, owner, until) {
      const row = await update()
        .set({ held_until: until.toISOString() })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('state', '=', 'running')
        .returning('wants_stop')
        .executeTakeFirst()
      return { isHeld: row !== undefined, wantsStop: row?.wants_stop === 1 }
    },

    async showAt(id, { channelId, ts }) {
      await update().set({ message_channel: channelId, message_ts: ts }).where('id', '=', id).execute()
    },

    async release(id, owner, state, now) {
      await update()
        .set({ state, owner: null, held_until: null, touched_at: now.toISOString() })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .execute()
    },

    sweep(before) {
      return deleteInBatches(async (limit) => {
        const old = rows
          .selectFrom('job')
          .select('id')
          .where('touched_at', '<', before.toISOString())
          .where('state', 'not in', ['running', 'waiting'])
        const { numDeletedRows } = await relaxed((rows) =>
          rows.deleteFrom('job').where('id', 'in', old.limit(limit)).executeTakeFirstOrThrow(),
        )
        return Number(numDeletedRows)
      })
    },
  }
}

async function didChange(query: {
  executeTakeFirstOrThrow(): Promise<{ numUpdatedRows: bigint }>
}): Promise<boolean> {
  return (await query.executeTakeFirstOrThrow()).numUpdatedRows > 0n
}

/** It waits, or whoever worked on it has not been heard of for too long. */
const isFree = (now: Date) => (row: ExpressionBuilder<Schema, 'job'>) =>
  row.or([
    row('state', '=', 'waiting'),
    row.and([row('state', '=', 'running'), row('held_until', '<', now.toISOString())]),
  ])

/** How many jobs of the same workspace somebody works on. */
const workedFor = (now: Date) => (row: ExpressionBuilder<Schema, 'job'>) =>
  row
    .selectFrom('job as held')
    .select(({ fn }) => fn.countAll().as('count'))
    .whereRef('held.workspace_id', '=', 'job.workspace_id')
    .where('held.state', '=', 'running')
    .where('held.held_until', '>=', now.toISOString())

const identityOf = (workspaceId: string, id: string): Identity => ['job', workspaceId, id]
