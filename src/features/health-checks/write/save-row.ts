import { Locked, type LookupResult, OutcomeUnknown, willResume } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import { holdChecks, type WriteDeps } from '../../../bot/audit/hold-check.ts'
import type { WatchedChecks } from '../../../bot/ports.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { lastChange } from '../../../bot/views/check-facts.ts'
import { quoted } from '../../../domain/quoting.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { sendBefore } from '../files/before.ts'
import type { ChangedRow } from '../files/format.ts'
import type { RowEnd } from '../rules/ends.ts'
import { deletesOnlyCopy, listRenames, pickAlerts, type Row } from '../rules/row.ts'
import type { Notes } from '../views/notes.ts'
import { auditRow } from './audit-row.ts'
import { findEnd, readAddressNote, writeRow } from './write-row.ts'

/** What the windows that write a check need. */
export interface SaveDeps extends WriteDeps {
  readonly watched: Pick<WatchedChecks, 'describeRenames'>
}

/** A change of one check, as the person saw it under an account. */
interface CheckChange {
  readonly verb: string
  readonly account: string
  readonly row: Row
}

/** How the change ended, and what else it did. */
interface SavedRow extends RowEnd {
  readonly notes: Notes
}

const WAIT_MS = 10_000
const BUSY = 'Another change to this health check is still running. Try again in a minute.'

/**
 * Changes one check, as one audited step of its act, which looks it up after a crash or a lost answer, and sends the person the file of what
 * was before: ahead, if it deletes what nothing else can bring back. The step is recorded right before the request: nothing is unclear because a process died while it read. The result has a
 * reason if only a part was done, or if the service saved something else. Throws UserError and ApiError if nothing was changed, and
 * OutcomeUnknown if nobody knows.
 */
export async function saveRow(
  deps: SaveDeps,
  context: CommandContext,
  { verb, account, row }: CheckChange,
): Promise<SavedRow> {
  const api = await requireAccount(context, account)
  // The step isn't recorded yet while it reads, so a process that died with the lock has sent nothing for this request.
  const hold = holdChecks(deps, { waitMs: WAIT_MS, holder: context.reference })
  const changed = await findChanged(api, row)
  const ahead = changed && deletesOnlyCopy(row) ? await sendAhead(context, changed) : undefined
  const sendUndo = async () => changed && { fileId: ahead ?? (await sendAfter(context, changed)) }
  const audited = { verb, ...auditRow(row), after: (end?: RowEnd) => auditRow(row, end).after }
  const step = { ...audited, readsFirst: true, lookUp: () => lookUp(api, row) }
  try {
    const end = await context.step<RowEnd>(step, async (begin) => {
      const end = await writeRow({ api, hold }, row, { begin }).catch((error: unknown) => {
        throw error instanceof Locked ? new UserError(BUSY) : error
      })
      if (end.is === 'refused') throw await explainSkipped(api, row, end.reason)
      return end
    })
    const undo = await sendUndo()
    const address = await readAddressNote(api, row, end)
    const unwatched = await deps.watched.describeRenames(context, listRenames(row, end))
    return { ...end, notes: { addresses: address ? [address] : [], unwatched, undo } }
  } catch (error) {
    // It may have been changed, so the file can put it back.
    if (error instanceof OutcomeUnknown) await sendUndo()
    throw error
  }
}

/** What the file of what was before has. Importing it sets all alerts, so those that the row isn't about are as they are now. */
async function findChanged({ alerts }: Api, row: Row): Promise<ChangedRow | undefined> {
  if (row.do === 'create') return undefined
  if (row.do === 'delete' || !row.about) return { row }
  const now = await alerts.list(row.uuid)
  const own = new Set(pickAlerts(row, now))
  const before = [...pickAlerts(row, row.before.alerts ?? []), ...now.filter((alert) => !own.has(alert))]
  return { row: { ...row, before: { ...row.before, alerts: before } } }
}

const UNCONFIRMED =
  'Slack didn’t confirm the file of what was before, so nothing was deleted. Try again in a minute.'

/** Nothing else can bring it back, so nothing is deleted unless Slack has the file. */
const sendAhead = (context: CommandContext, changed: ChangedRow): Promise<string> =>
  sendBefore(context, changed).catch((error: unknown) => {
    throw error instanceof OutcomeUnknown ? new UserError(UNCONFIRMED) : error
  })

/** The change is done, whether or not Slack has the file. An act that goes on later sends it then. */
const sendAfter = (context: CommandContext, changed: ChangedRow): Promise<string | undefined> =>
  sendBefore(context, changed).catch((error: unknown) => {
    if (willResume(error)) throw error
    return undefined
  })

/** Opens the service for a change that was shown under an account. Throws a Notice if another one is connected now. */
export async function requireAccount(context: Pick<CommandContext, 'api'>, account: string): Promise<Api> {
  const api = await context.api()
  if (api.account === account) return api
  throw new Notice(
    'Signalman is connected with another token now. Nothing was changed. Make the change again.',
  )
}

/** The error for a row that wasn't written. For an edit, it says who has changed or deleted the check since it was shown. */
async function explainSkipped({ healthChecks }: Api, row: Row, reason = ''): Promise<UserError | Notice> {
  if (row.do !== 'edit') return new UserError(reason)
  const check = await healthChecks.get(row.uuid).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (!check)
    return new Notice('It was deleted after you saw it, so nothing was saved.', [
      { label: 'List health checks', line: '/hc list' },
    ])
  // The service says who changed a check last, not who changed its alerts.
  const setsNothing = Object.keys(row.set).length === 0
  return new Notice(
    `It was changed${setsNothing ? '' : `${lastChange(check)},`} after you saw it, so nothing was saved. ${reason}`,
    [{ label: 'Open current version', line: `/hc ${setsNothing ? 'alerts' : 'edit'} ${quoted(row.uuid)}` }],
  )
}

/** Finds out whether a change that may have been sent was made. */
async function lookUp(api: Api, row: Row): Promise<LookupResult<RowEnd>> {
  const end = await findEnd(api, row)
  if (!end) return 'not-done'
  return end.is === 'unclear' ? 'unknown' : { outcome: end }
}
