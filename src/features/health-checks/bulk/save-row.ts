import { FieldErrors, Notice } from '@signalman/runtime'
import { clip, type Message, message, oneLine } from '@signalman/slack'
import { ACT_ERRORS } from '../../../bot/act-errors.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { quoted } from '../../../domain/quoting.ts'
import { DELETED, type Row } from '../rules/row.ts'
import { clipValues } from '../rules/settings.ts'
import type { OnlyEnd } from './end-changes.ts'
import { ONE_CHANGE } from './job.ts'
import { type BulkDeps, prepare, requireAccount, STILL_RUNS, start } from './start.ts'
import { describeRow } from './views.ts'

/** A change of one check, as the person saw it in a window under an account. */
interface CheckChange {
  readonly verb: string
  readonly account: string
  readonly row: Row
}

/** Characters of what the service says, in a window. */
const MAX_REASON = 1000

/** The end shows all of it. */
const MAX_TITLE = 300

const UNKNOWN = 'The outcome is unknown. It may still have gone through.'
const LOOK = 'Check before you repeat it.'

const TITLES = { create: 'Create', edit: 'Edit', delete: 'Delete' } as const

/**
 * Saves what a window changes about one check: a change of many with one row, whose end the window shows. Throws a Notice if nothing was
 * changed, if nobody knows, or if it takes long.
 */
export async function saveRow(
  deps: BulkDeps,
  context: CommandContext,
  { verb, account, row }: CheckChange,
): Promise<Message> {
  const change = row.do === 'edit' ? `: ${describeRow(row, clipValues)}` : ''
  const title = clip(oneLine(`${TITLES[row.do]} ${row.name}${change}`), MAX_TITLE)
  const plan = { verb, title, account, rows: [row], leftOut: [] }
  const id = await context.once('change', async () => {
    await requireAccount(context, account)
    return prepare(deps, context, plan)
  })
  const job = await deps.queue.find(context, [ONE_CHANGE], id)
  if (job) await start(deps, context, job)
  const ended = await deps.queue.end(context, id)
  if (!ended) throw new Notice(STILL_RUNS, [{ label: 'Stop', line: `/hc job-stop ${id}` }])
  // Cast, because it's the end of a change of one row. Undefined if its job couldn't find out how far it got.
  const result = ended.result as OnlyEnd | undefined
  const problem = result ? explainEnd(row, result) : new Notice(`${UNKNOWN} ${LOOK}`)
  if (problem) throw problem
  return message(ended.message.text, ...ended.message.blocks)
}

/** The error for a change of which nothing was done, or nobody knows what. */
function explainEnd(row: Row, { end, problem, error }: OnlyEnd): unknown {
  // Explained like any error of the service: with its own words, and the way to store another token, or who can.
  const stored = end?.error ?? error
  if (stored !== undefined && (!end || end.is === 'refused')) return ACT_ERRORS.deserialize(stored)
  if (!end || (end.is === 'refused' && problem !== undefined))
    return new Notice(`${clip(problem ?? 'It was stopped.', MAX_REASON)} Nothing was changed.`)
  // However much the service says, the sentence that follows has to fit.
  const reason = clip(end.reason ?? '', MAX_REASON)
  if (end.is === 'unclear') return new Notice(`${UNKNOWN} ${reason} ${LOOK}`)
  if (end.is === 'outdated') return explainOutdated(row, reason)
  return end.is === 'refused'
    ? new Notice(`The service refused it: ${reason} Nothing was changed.`)
    : undefined
}

/** The error for a row that wasn't written, because its check isn't what the person saw. */
function explainOutdated(row: Row, reason: string): Error {
  // Nothing but its name can be taken.
  if (row.do === 'create') return new FieldErrors({ name: reason })
  if (row.do === 'delete') return new Notice(`${reason} Nothing was changed.`)
  if (reason === DELETED)
    return new Notice('It was deleted after you saw it, so nothing was saved.', [
      { label: 'List health checks', line: '/hc list' },
    ])
  const verb = Object.keys(row.set).length === 0 ? 'alerts' : 'edit'
  return new Notice(`It was changed after you saw it, so nothing was saved. ${reason}`, [
    { label: 'Open current version', line: `/hc ${verb} ${quoted(row.uuid)}` },
  ])
}
