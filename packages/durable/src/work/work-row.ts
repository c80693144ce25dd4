import { captureTraceContext, newId } from '@signalman/runtime'
import type { Kysely, Selectable } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import { jsonText } from '../database/json.ts'
import { WORK } from '../database/own-tables.ts'
import { type Schema, selectRows, type WorkRow, type WorkState } from '../database/schema.ts'
import { type Identity, type Sealer, tryOpen } from '../secrets/seal.ts'

/** Work that outlives its request: an act, a job, a due reminder, a message to send. */
export type Work = Readonly<ReturnType<typeof toWork>>

export interface NewWork {
  workspaceId: string
  kind: string
  key?: string | undefined
  personId?: string | undefined
  /** A JSON value, encrypted at rest. */
  body?: unknown
}

const workIdentity = (workspaceId: string, id: string): Identity => ['work', workspaceId, id]

export function sealWorkBody(
  sealer: Pick<Sealer, 'seal'>,
  workspaceId: string,
  id: string,
  body: unknown,
): string | null {
  return body === undefined
    ? null
    : sealer.seal(jsonText(body, 'A piece of work'), workIdentity(workspaceId, id))
}

/** The columns that identify the request that added the row. */
export function causeColumns(): { reference: string | null; traceparent: string | null } {
  const context = captureTraceContext()
  return { reference: context?.reference ?? null, traceparent: context?.traceparent ?? null }
}

/** A row for work that is due now. */
export const newWorkRow = (
  time: DatabaseTime,
  { workspaceId, kind, key, personId, body }: NewWork,
  state: WorkState,
  sealer?: Sealer,
  id = newId(),
) => ({
  id,
  workspace_id: workspaceId,
  kind,
  key: key ?? null,
  person_id: personId ?? null,
  state,
  sealed_body: sealer ? sealWorkBody(sealer, workspaceId, id, body) : null,
  due_at: time(),
  made_at: time(),
  touched_at: time(),
  ...causeColumns(),
})

/** A workspace has at most one row with the same kind and key. */
export const WORK_KEY = ['workspace_id', 'kind', 'key'] as const

/** Reads rows of `work`. */
export const createWorkReader = (keys: Sealer) => ({
  readRow: (row: Selectable<WorkRow>): Work => toWork(keys, row),
  readRows: (found: readonly Selectable<WorkRow>[]): Work[] => found.map((row) => toWork(keys, row)),
})

/** Converts a row. An unreadable body throws only when it's accessed, so that claiming and counting always works. */
function toWork(opener: Pick<Sealer, 'open'>, row: Selectable<WorkRow>) {
  const { sealedBody, wantsStop, reference, traceparent, messageChannel, messageTs, ...plain } =
    WORK.parse(row)
  let opened: { body: unknown } | undefined
  return {
    ...plain,
    /**
     * Whether someone had asked it to stop when the row was read. A running process learns about later requests from its
     * heartbeats.
     */
    wantsStop: wantsStop === 1,
    /** The JSON body, opened on first use. Throws SealError. */
    get body(): unknown {
      if (sealedBody !== undefined)
        opened ??= { body: JSON.parse(opener.open(sealedBody, workIdentity(plain.workspaceId, plain.id))) }
      return opened?.body
    },
    /** The request that added it, if any. */
    cause: reference === undefined ? undefined : { reference, traceparent },
    /** The message that shows its progress. */
    message: messageChannel && messageTs ? { channelId: messageChannel, ts: messageTs } : undefined,
  }
}

/** Whether the work passes the test. False if its body doesn't open. */
export function passesTest(work: Work, test: (work: Work) => boolean): boolean {
  const tested = tryOpen(() => test(work))
  return 'value' in tested && tested.value
}

const ID = /^[A-Za-z0-9_.-]{10,64}$/
const MAX_OPEN = 50
const MAX_STARTED = 1000

/** Queries for a workspace's work. */
export const createWorkQueries = (rows: Kysely<Schema>, reader: ReturnType<typeof createWorkReader>) => ({
  /** Undefined for another workspace's work. */
  async find(workspaceId: string, id: string): Promise<Work | undefined> {
    if (!ID.test(id)) return undefined
    const row = await selectRows(rows, 'work', { id, workspace_id: workspaceId }).executeTakeFirst()
    return row && reader.readRow(row)
  },

  /** The work with this kind and key. */
  async findByKey(workspaceId: string, kind: string, key: string): Promise<Work | undefined> {
    const row = await selectRows(rows, 'work', { workspace_id: workspaceId, kind, key }).executeTakeFirst()
    return row && reader.readRow(row)
  },

  /** The workspace's waiting and running work of these kinds, oldest first, at most 50. */
  async listOpen(workspaceId: string, kinds: readonly string[]): Promise<Work[]> {
    const found = await selectRows(rows, 'work', { workspace_id: workspaceId })
      .where('kind', 'in', kinds)
      .where('state', 'in', ['waiting', 'running'])
      .orderBy('made_at')
      .limit(MAX_OPEN)
      .execute()
    return reader.readRows(found)
  },

  /** The workspace's started work of this kind, finished or not, newest first, at most 1,000. */
  async listStarted(workspaceId: string, kind: string): Promise<Work[]> {
    const found = await selectRows(rows, 'work', { workspace_id: workspaceId, kind })
      .where('state', '<>', 'prepared')
      .orderBy('made_at', 'desc')
      .orderBy('id')
      .limit(MAX_STARTED)
      .execute()
    return reader.readRows(found)
  },
})

/** The name of the lock under which a workspace adds or starts work that it may have only one of. */
export const workLockName = (workspaceId: string): string => `work of ${workspaceId}`
