import { type LookupResult, OutcomeUnknown } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import { sendBefore } from '../files/before.ts'
import type { Row } from '../rules/row.ts'
import type { Undo } from '../views/undo.ts'
import { auditRow } from './audit-row.ts'
import { findEnd, type RowEnd, type Writer, writeRow } from './write-row.ts'

/** The row wasn't written, because somebody else has changed the check since the person saw it. */
export class SkippedRow extends UserError {}

/** How the change of a window ended. A new check has no `undo`. */
interface WindowEnd extends RowEnd {
  readonly undo?: Undo | undefined
}

/**
 * Makes the change of a window, as one audited step of its act, which looks it up after a crash or a lost answer, and sends the person
 * the file of what was before. The step is recorded right before the request: nothing is unclear because a process died while it read.
 * The result has a reason if only a part was done, or if the service saved something else. Throws UserError and ApiError if nothing was
 * changed, and OutcomeUnknown if nobody knows.
 */
export async function writeInWindow(
  writer: Writer,
  context: CommandContext,
  { verb, row }: { verb: string; row: Row },
): Promise<WindowEnd> {
  const sendUndo = async () => (row.do === 'create' ? undefined : sendBefore(context, { row }))
  const audited = { verb, ...auditRow(row), after: (end?: RowEnd) => auditRow(row, end).after }
  const step = { ...audited, readsFirst: true, lookUp: () => lookUp(writer.api, row) }
  try {
    const end = await context.step<RowEnd>(step, async (begin) => {
      const end = await writeRow(writer, row, { begin })
      if (end.state === 'skipped' && !end.hasWritten) throw new SkippedRow(end.reason ?? '')
      return end
    })
    return { ...end, undo: await sendUndo() }
  } catch (error) {
    // It may have been changed, so the file can put it back.
    if (error instanceof OutcomeUnknown) await sendUndo()
    throw error
  }
}

/** Finds out whether a change that may have been sent was made. */
async function lookUp(api: Api, row: Row): Promise<LookupResult<RowEnd>> {
  const end = await findEnd(api, row)
  if (!end) return 'not-done'
  return end.state === 'unclear' ? 'unknown' : { outcome: end }
}
