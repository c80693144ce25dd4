import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { aboutReplacements } from '../rows/replaced-checks.ts'
import type { Step, StepRecord, UnknownAnswer } from '../rules/change.ts'
import { settleBegun } from '../rules/decide.ts'
import { inverse } from '../rules/inverse.ts'
import type { ChangesAbout, NamedStep } from '../rules/job.ts'
import { UNDO } from '../views/job.ts'
import { checks } from '../views/words.ts'
import { CHANGES } from './changes-job.ts'
import { IN_A_ROW, stepsInState, whereOf } from './ending.ts'
import { lookFor } from './read-check.ts'
import { requireSameAccount } from './same-account.ts'
import {
  aboutOf,
  findJob,
  isUndone,
  type JobParts,
  requireOwner,
  startJob,
  toSteps,
  UNDONE,
  undoKey,
} from './start-job.ts'

/**
 * Takes back what a job has done, as one job of its own. What was begun is looked at first; what differs from what the job left
 * behind is skipped. Throws UserError when there is nothing to undo, and Question where an answer about server addresses is missing.
 */
export async function undoJob(
  parts: JobParts,
  context: CommandContext,
  id: string,
  answer: UnknownAnswer | undefined,
): Promise<Message> {
  const job = await findJob(parts, context, id)
  if (!job)
    throw new UserError(
      `This change is no longer stored, so it can’t be undone. Changes are kept for ${JOBS_KEPT_IN_WORDS}.`,
    )
  const { environment } = readJobBody(job)
  const about = aboutOf(job)
  if (about.undoes !== undefined)
    throw new UserError('This was an undo itself. Make the change again instead.')
  const owner = await requireOwner(parts, context, { id, startedBy: about.startedBy }, 'undo')
  if (job.state === 'waiting' || job.state === 'running')
    throw new UserError('This is still running. Stop it first, or undo it when it has ended.')
  // Done again after a crash, it may be this very act that has started it.
  if (await context.keep('undone', () => isUndone(parts, context, id))) throw UNDONE
  const api = await context.api(environment)
  await requireSameAccount(api, about.account)
  const there = { ...context, environment }
  const made = await surveyDone(parts, context, job.id, about, environment)
  requireUndoable(made, id, answer)
  const undo: ChangesAbout = {
    verb: '/hc undo',
    title: `${UNDO}${about.title}`,
    planned: made.planned,
    account: about.account,
    listing: about.listing,
    startedBy: owner,
    undoes: job.id,
    notUndone: made.unclear,
  }
  const undoId = await parts.queue.addOnce(there, { kind: CHANGES, about: undo, key: undoKey(job.id) })
  const add = async (records: readonly StepRecord[]): Promise<void> => {
    const back = records.flatMap((record) => inverse(record, answer ?? 'leave-out') ?? [])
    await parts.steps.add(undoId, toSteps(await aboutReplacements(parts.ephemeralState, there, back)))
  }
  await add(made.begun)
  let some: StepRecord[] = []
  for await (const { record } of stepsInState(parts.steps, job.id, 'done')) {
    if (record) some.push(record)
    if (some.length < IN_A_ROW) continue
    await add(some)
    some = []
  }
  await add(some)
  return startJob(parts, context, undoId)
}

function requireUndoable(
  { count, unknown, unclear, hasUnread }: DoneByJob,
  id: string,
  answer: UnknownAnswer | undefined,
): void {
  if (count === 0)
    throw new UserError(hasUnread ? UNREADABLE : unclear.length > 0 ? ONLY_UNCLEAR : NOTHING_DONE)
  if (unknown > 0 && answer === undefined) throw whichAddress(id, unknown)
}

interface DoneByJob {
  /** How many changes can be taken back, what their undo does, and for how many an address has to be answered. */
  count: number
  planned: Record<Step['do'], number>
  unknown: number
  /** Begun steps that were done after all. */
  begun: StepRecord[]
  /** What may have been done, and isn't taken back. */
  unclear: NamedStep[]
  hasUnread: boolean
}

const BACK = { create: 'delete', edit: 'edit', delete: 'create' } as const

/** What a job has done, of begun steps too. Throws ApiError where those can't be looked at. */
async function surveyDone(
  { steps }: JobParts,
  context: CommandContext,
  id: string,
  about: ChangesAbout,
  environment: CommandContext['environment'],
): Promise<DoneByJob> {
  const made: DoneByJob = {
    ...{ count: 0, planned: { create: 0, edit: 0, delete: 0 }, unknown: 0 },
    ...{ begun: [], unclear: [], hasUnread: false },
  }
  const count = (record: StepRecord): void => {
    made.count += 1
    made.planned[BACK[record.step.do]] += 1
    if (needsAnswer(record)) made.unknown += 1
  }
  const unclear = (where: string, says = "The service didn't say whether it was done."): void => {
    if (made.unclear.length < MOST_UNCLEAR) made.unclear.push({ where, says: `Not undone. ${says}` })
  }
  for await (const { line, record } of stepsInState(steps, id, 'done')) {
    if (record) count(record)
    else {
      made.hasUnread = true
      unclear(whereOf(about, line, record), "Its record can't be decrypted: see docs/keys.md.")
    }
  }
  for await (const { line, record } of stepsInState(steps, id, 'unclear'))
    unclear(whereOf(about, line, record), record?.says)
  for await (const { line, record } of stepsInState(steps, id, 'begun')) {
    if (!record) {
      unclear(whereOf(about, line, record))
      continue
    }
    const { look } = await lookFor(await context.api(environment), record, { listing: about.listing })
    const settled = settleBegun(record, look)
    if (settled.state === 'done') {
      made.begun.push(settled.record)
      count(settled.record)
    } else if (settled.state === 'unclear') unclear(record.step.name, settled.record.says)
  }
  return made
}

const MOST_UNCLEAR = 1000

/** Whether what is taken back needs an address that nobody knows. */
const needsAnswer = ({ step, before, after }: StepRecord): boolean =>
  before?.fields.address.is === 'unknown' &&
  (step.do === 'delete' || (after !== undefined && after.fields.address.is !== 'unknown'))

function whichAddress(id: string, count: number): Question {
  const line = (answer: UnknownAnswer) => `/hc job-undo ${id} --unknown-address ${answer}`
  return new Question(
    `The service didn't say whether the server address of ${checks(count)} was set or came from DNS. How should they come back? Nothing was undone yet.`,
    [
      { label: 'Resolve the target', line: line('resolve') },
      { label: 'Keep the address shown', line: line('keep') },
      { label: 'Leave them out', line: line('leave-out') },
    ],
  )
}

const NOTHING_DONE = 'There is nothing to undo: nothing of it was done.'
const ONLY_UNCLEAR =
  'This can’t be undone, because the service didn’t say whether any of it was done. Look at the health checks.'
const UNREADABLE =
  "These changes can't be decrypted, so they can't be undone. Whoever runs this app can fix that: see docs/keys.md."
