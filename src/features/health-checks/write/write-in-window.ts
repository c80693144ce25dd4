import { type CheckLocks, Locked, type LookupResult } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import { decide, type Row } from '../rules/row.ts'
import { auditRow } from './audit-row.ts'
import { findNamesake, type RowEnd, readState, writeRow } from './write-row.ts'

export interface WindowDeps {
  readonly locks: CheckLocks
  /** After this time, no process can still be in the middle of a write. */
  readonly settleMs: number
}

const WAIT_MS = 10_000
const BUSY = 'Another change to this health check is still running. Try again in a minute.'
const OTHER_ACCOUNT =
  'Signalman is connected with another token than when this window was opened. Nothing was sent. Open the window again.'

/**
 * Makes the change of a window, as one audited step of its act, which looks it up after a crash or a lost answer. The step is recorded
 * right before the request: nothing is unclear because a process died while it read. Throws UserError and ApiError if nothing was
 * changed, and OutcomeUnknown if nobody knows.
 */
export async function writeInWindow(
  { locks, settleMs }: WindowDeps,
  context: CommandContext,
  { verb, account, row }: { verb: string; account: string; row: Row },
): Promise<RowEnd> {
  const api = await context.api()
  if (api.account !== account) throw new UserError(OTHER_ACCOUNT)
  // The step isn't recorded yet, so a process that died with the lock has sent nothing for this request.
  const writer = { api, locks, holder: context.reference, settleMs, waitMs: WAIT_MS }
  const audited = { verb, ...auditRow(row), after: (end?: RowEnd) => auditRow(row, end?.uuid).after }
  const step = { ...audited, readsFirst: true, lookUp: () => lookUp(api, row) }
  return context.change<RowEnd>(step, (begin) =>
    writeRow(writer, row, { begin: (send) => begin(async () => throwIfSkipped(await send())) }).then(
      throwIfSkipped,
      (error: unknown) => {
        throw error instanceof Locked ? new UserError(BUSY) : error
      },
    ),
  )
}

function throwIfSkipped(end: RowEnd): RowEnd {
  if (end.state === 'skipped') throw new UserError(end.reason ?? '')
  return end
}

/** Finds out whether a change that may have been sent was made. */
async function lookUp(api: Api, row: Row): Promise<LookupResult<RowEnd>> {
  const uuid = row.do === 'create' ? (await findNamesake(api, row.to))?.uuid : row.uuid
  const decision = decide(row, uuid === undefined ? undefined : await readState(api, uuid), true)
  if (decision.is === 'done') return { outcome: { state: 'done', uuid } }
  return decision.is === 'write' ? 'not-done' : 'unknown'
}
