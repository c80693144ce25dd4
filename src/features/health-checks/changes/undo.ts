import type { EphemeralState } from '@signalman/durable'
import { MINUTE_MS, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { jobBodyOf } from '../../../bot/jobs/job-queue.ts'
import { explain, serviceSaid } from '../../../bot/request/explain.ts'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { FIELDS } from '../forms/read-fields.ts'
import { undoneView } from '../views/check.ts'
import type { Change, CheckState, Deletion, Edit } from './change.ts'
import { BULK } from './changes-job.ts'
import { bodyFrom, differencesOf, editOf, picked } from './differences.ts'
import { createOnce } from './make-once.ts'
import { eachSettled } from './outcomes.ts'
import { inTheirPlaces, noteUndoable, type TakePlaces } from './places.ts'
import {
  aboutOf,
  askWhoseAccount,
  type ChangesParts,
  findJob,
  plannedOf,
  startChanges,
  stepsOf,
} from './start-changes.ts'
import { type ChangesAbout, UNDO } from './views.ts'

/** What was done, where: an undo is of this environment and account, wherever it is asked for. */
interface Deleted {
  change: Deletion
  environment: Environment
  account: string
}

export type UndoParts = ChangesParts & {
  ephemeralState: EphemeralState
  carryChecks: TakePlaces
}

export const UNDO_MS = 10 * MINUTE_MS

/** Keeps for ten minutes what is about to be deleted, with all that there was; returns the id to ask for it by. */
export function keepForUndo(
  { ephemeralState }: Pick<UndoParts, 'ephemeralState'>,
  { workspaceId, environment, now }: CommandContext,
  { account }: Api,
  change: Deletion,
): Promise<string> {
  const expiresAt = new Date(now.getTime() + UNDO_MS)
  const body: Deleted = { change, environment, account }
  return ephemeralState.save({ workspaceId, body, expiresAt })
}

/**
 * Creates a deleted check and its alerts again, once: what fails can be tried again until the ten minutes are over. Throws
 * UserError and Question.
 */
export async function undelete(
  { ephemeralState, carryChecks }: UndoParts,
  context: CommandContext,
  undoId: string,
  isSure: boolean,
): Promise<Message> {
  const over = new UserError('This was undone already, or its ten minutes are over.', [
    { label: 'List', line: '/hc list' },
  ])
  // Sealed by `keepForUndo` under this workspace, hence of this type.
  const kept = (await context.keep('deleted', () =>
    ephemeralState.find(context.workspaceId, undoId, context.now),
  )) as Deleted | undefined
  const back = kept && inverseOf(kept.change, kept.change.uuid)
  if (!kept || back?.do !== 'create') throw over
  const { environment, account } = kept
  const api = await context.api(environment)
  const line = `/hc undelete ${undoId}`
  if (!isSure) askWhoseAccount(api, account, line, 'Undo')
  const only = { key: `undo:${undoId}`, taken: over }
  const creating = createOnce(context, api, back, { verb: '/hc undelete', environment, only })
  const made = await creating.catch((error: unknown) => {
    throw tryAgain(error, line)
  })
  const carried = await context.keep('carried', () =>
    carryChecks({ ...context, environment }, new Map([[kept.change.uuid, made.uuid]])),
  )
  await noteUndoable(ephemeralState, context, line)
  return undoneView(back, made, carried, environment)
}

/** A refusal costs nothing but time. */
function tryAgain(error: unknown, line: string): unknown {
  if (!(error instanceof ApiError) || error.mayHaveHappened) return error
  const { happened, said } = explain(error)
  return new UserError(['It could not be created again.', happened, ...serviceSaid(said)].join(' '), [
    { label: 'Try again', line },
  ])
}

/**
 * Takes back what a job has done and nobody has taken back yet, as one job of its own: also the checks that were made and are
 * not whole. What it cannot take back can be tried again. Throws UserError when there is nothing to take back, and Question.
 */
export async function undoJob(parts: UndoParts, context: CommandContext, id: string, isSure: boolean) {
  const job = await findJob(parts, context, id)
  if (!job)
    throw new UserError(`What this did is too old to be undone: it is kept for ${JOBS_KEPT_IN_WORDS}.`)
  const { environment } = jobBodyOf(job)
  const api = await context.api(environment)
  if (job.state === 'waiting' || job.state === 'running')
    throw new UserError('This still runs. Cancel it first, or undo it when it has ended.')
  const about = aboutOf(job)
  if (about.undoes !== undefined)
    throw new UserError('This was an undo itself. Repeat what it took back instead.')
  const there = { ...context, environment }
  const { changes: made, unopened } = await changesBack(parts, job.id)
  const changes = await inTheirPlaces(parts.ephemeralState, there, made)
  if (changes.length === 0)
    throw new UserError(unopened > 0 ? UNREADABLE : 'There is nothing to undo: nothing of it is left.')
  const line = `/hc job-undo ${id}`
  if (!isSure) {
    askWhoseAccount(api, about.account, line, 'Undo')
    askForPart(changes.length, unopened, line)
  }
  const undo: ChangesAbout = {
    verb: '/hc undo',
    title: `${UNDO}${about.title}`,
    planned: plannedOf(changes),
    account: api.account,
    undoes: job.id,
    undoesOf: jobBodyOf(job).caller.userId,
    // Of a part that does not open it stays so.
    undoesAt: unopened === 0 ? job.message : undefined,
    since: job.madeAt.toISOString(),
  }
  // One job takes back all of another: what an earlier undo has begun of it, this one goes on with.
  const undoId = await parts.queue.addOnce(there, { kind: BULK, about: undo, key: `undo of ${job.id}` })
  await parts.steps.clear(undoId)
  await parts.steps.add(undoId, stepsOf(changes))
  return startChanges(parts, context, undoId, { anew: undo })
}

/** What takes back each of the changes that were made, or were made in part, and how many of them do not open. */
async function changesBack({ steps }: ChangesParts, jobId: string) {
  const changes: { line: number; change: Change }[] = []
  let unopened = 0
  for (const state of ['done', 'ready'] as const)
    for await (const { line, change, uuid, note } of eachSettled(jobId, state, steps)) {
      if (state === 'ready' && uuid === '') continue
      if (!change) unopened += 1
      const back = change && inverseOf(change, uuid, { isWhole: state === 'done' && note === '' })
      if (back) changes.push({ line, change: back })
    }
  return { changes, unopened }
}

function askForPart(count: number, unopened: number, line: string): void {
  if (unopened === 0) return
  const rest = grouped(count)
  throw new Question(
    `Of ${grouped(unopened)} of the changes it cannot be read what there was before, so that part would stay until it is mended as docs/keys.md says. Nothing was undone yet. Undo the rest now, ${counted(count, 'change')}?`,
    [{ label: `Undo ${rest}`, line: `${line} --yes` }],
  )
}

const UNREADABLE =
  'What is stored of these changes cannot be read, so they cannot be undone. Whoever runs this app finds in docs/keys.md how that is mended.'

/**
 * The change that brings back what this one has changed; undefined where nothing is known of what there was. The alerts of one
 * that was not made whole may be any: nobody can tell whether somebody else has changed them.
 */
function inverseOf(change: Change, uuid: string, { isWhole = true } = {}): Change | undefined {
  switch (change.do) {
    case 'create': {
      const { body, alerts } = change
      const { httpServerAddress: given, ...fields } = body
      const expects = { fields, ...(isWhole && { alerts }) }
      return { do: 'delete', uuid, name: body.name, expects, ...(given && { given }) }
    }
    case 'edit':
      return editBack(change, isWhole)
    case 'delete': {
      const body = change.before && bodyFrom(change.before.fields)
      return body && { do: 'create', body, alerts: change.before?.alerts ?? [], replaces: change.uuid }
    }
  }
}

/** Only what it has changed goes back, and only where nobody has changed it again. */
function editBack({ uuid, before, after, alerts }: Edit, isWhole: boolean): Edit | undefined {
  if (!before || !after) return undefined
  const mails = alerts && { exactly: before.alerts }
  const differences = differencesOf({ now: after, wanted: { fields: allOf(before), alerts: mails } })
  const { httpServerAddress: given } = after.fields
  const back = editOf({ uuid, name: before.fields.name ?? '', given }, after, differences)
  return isWhole ? back : { ...back, expects: { fields: back.expects?.fields ?? {} } }
}

const allOf = ({ fields }: CheckState): CheckState['fields'] => picked(fields, FIELDS)
