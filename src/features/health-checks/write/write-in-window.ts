import type { LookupResult } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import { decide, type Row } from '../rules/row.ts'
import { auditRow } from './audit-row.ts'
import { findKeptAddress } from './server-address.ts'
import { type RowEnd, readRowState, type Writer, writeRow } from './write-row.ts'

/** The row wasn't written, because somebody else has changed the check since the person saw it. */
export class SkippedRow extends UserError {}

/**
 * Makes the change of a window, as one audited step of its act, which looks it up after a crash or a lost answer. The step is recorded
 * right before the request: nothing is unclear because a process died while it read. The result has a reason if the service saved
 * something else. Throws UserError and ApiError if nothing was changed, and OutcomeUnknown if nobody knows.
 */
export function writeInWindow(
  writer: Writer,
  context: CommandContext,
  { verb, row }: { verb: string; row: Row },
): Promise<RowEnd> {
  const audited = { verb, ...auditRow(row), after: (end?: RowEnd) => auditRow(row, end?.uuid).after }
  const step = { ...audited, readsFirst: true, lookUp: () => lookUp(writer.api, row) }
  return context.change<RowEnd>(step, async (begin) => {
    const end = await writeRow(writer, row, { begin })
    if (end.state === 'skipped' && !end.hasWritten) throw new SkippedRow(end.reason ?? '')
    return end
  })
}

/** Finds out whether a change that may have been sent was made. */
async function lookUp(api: Api, row: Row): Promise<LookupResult<RowEnd>> {
  const { uuid, now } = await readRowState(api, row)
  const decision = decide(row, now, true)
  if (decision.is === 'done')
    return { outcome: { state: 'done', uuid, kept: now && (await findKeptAddress(row, now.settings)) } }
  return decision.is === 'write' ? 'not-done' : 'unknown'
}
