import { currentReference, newId } from '@signalman/runtime'
import type { Selectable } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import { jsonText } from '../database/json.ts'
import { WORK } from '../database/own-tables.ts'
import type { WorkRow, WorkState } from '../database/schema.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'

/** Work that outlives its request: an act, a job, a due reminder, a message to send. */
export type Work = Readonly<ReturnType<typeof readWork>>

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
  reference: currentReference() ?? null,
})

/** A workspace has at most one row with the same kind and key. */
export const WORK_KEY = ['workspace_id', 'kind', 'key'] as const

/** Converts a row. An unreadable body throws only when it's accessed, so that claiming and counting always works. */
export function readWork(opener: Pick<Sealer, 'open'>, row: Selectable<WorkRow>) {
  const { sealedBody, wantsStop, messageChannel, messageTs, ...plain } = WORK.parse(row)
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
    /** The message that shows its progress. */
    message: messageChannel && messageTs ? { channelId: messageChannel, ts: messageTs } : undefined,
  }
}
