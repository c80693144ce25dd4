import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { JOBS_KEPT_TEXT } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { redirectToReplacements } from '../rows/replaced-checks.ts'
import type { Step, StepRecord } from '../rules/change.ts'
import { settleBegun } from '../rules/decide.ts'
import { invertStep } from '../rules/inverse.ts'
import { type ChangesDetails, countSteps, type StepProblem } from '../rules/job.ts'
import { ADDRESS_ANSWERS, type AddressAnswer, isAddressMissing } from '../rules/server-address.ts'
import { UNDO_PREFIX, undoView } from '../views/job.ts'
import { ADDRESS_ANSWER_LABELS, countChecks } from '../views/words.ts'
import { CHANGES_KIND } from './changes-job.ts'
import { BATCH_SIZE, formatStepLabel, NOT_CONFIRMED, readDoneSteps, readStepsInState } from './job-result.ts'
import { showJob } from './owned-jobs.ts'
import { lookUpStep } from './read-check.ts'
import { connectToAccount } from './same-account.ts'
import {
  ALREADY_UNDONE,
  findJob,
  findUndo,
  isOpen,
  type JobDeps,
  readJobDetails,
  readOpenJob,
  requireOwner,
  startJob,
  toJobSteps,
  undoKey,
} from './start-job.ts'

/**
 * Starts a job that reverts another job's changes. Looks up begun steps first, and skips checks that have changed since. Throws
 * UserError if there is nothing to undo, and Question if the person must decide about unknown server addresses.
 */
export async function undoJob(
  deps: JobDeps,
  context: CommandContext,
  id: string,
  answer: AddressAnswer | 'leave-out' | undefined,
  sameAccount?: string,
): Promise<Message> {
  const job = await findJob(deps, context, id)
  if (!job)
    throw new UserError(
      `This change is no longer stored, so it can’t be undone. Changes are kept for ${JOBS_KEPT_TEXT}.`,
    )
  const { environment } = readJobBody(job)
  const details = readJobDetails(job)
  if (details.undoes !== undefined)
    throw new UserError('This job was itself an undo. Make the change again instead.')
  const owner = await requireOwner(deps, context, { ...details, id }, 'undo')
  if (job.state === 'waiting' || job.state === 'running')
    throw new UserError('This is still running. Stop it first, or undo it when it has ended.')
  // Stored, because before a crash this request may already have started the undo.
  const started = await context.remember(
    'undone',
    async () => (await findUndo(deps, context, id))?.id ?? null,
  )
  if (started !== null) return showUndo(deps, context, started)
  const line = `/hc job-undo ${id}${answer ? ` --address ${answer}` : ''}`
  await connectToAccount(deps, context, {
    account: details.account,
    environment,
    line,
    confirmed: sameAccount,
  })
  const jobContext = { ...context, environment }
  const done = await collectDone(deps, context, job.id, details, environment)
  requireUndoable(done, id, answer)
  const undo: ChangesDetails = {
    verb: '/hc undo',
    title: `${UNDO_PREFIX}${details.title}`,
    planned: done.planned,
    account: details.account,
    startedBy: owner,
    undoes: job.id,
    notUndone: done.unclear,
  }
  const undoId = await deps.queue.addOnce(jobContext, {
    kind: CHANGES_KIND,
    details: undo,
    key: undoKey(job.id),
  })
  const addReverts = async (records: readonly StepRecord[]): Promise<void> => {
    const reverts = records.flatMap(
      (record) => invertStep(record, answer === 'leave-out' ? undefined : answer) ?? [],
    )
    await deps.steps.add(
      undoId,
      toJobSteps(await redirectToReplacements(deps.ephemeralState, jobContext, reverts)),
    )
  }
  await addReverts(done.begun)
  let batch: StepRecord[] = []
  for await (const { record } of readDoneSteps(deps.steps, job.id)) {
    if (record) batch.push(record)
    if (batch.length < BATCH_SIZE) continue
    await addReverts(batch)
    batch = []
  }
  await addReverts(batch)
  return startJob(deps, context, undoId)
}

/**
 * Shows how far an undo is, with the buttons that stop or finish it. Throws UserError if everything was undone, so that nobody reads
 * an old result as a new one.
 */
async function showUndo(deps: JobDeps, context: CommandContext, undoId: string): Promise<Message> {
  const undo = await findJob(deps, context, undoId)
  if (!undo) throw ALREADY_UNDONE
  if (isOpen(undo))
    return undoView({ running: [await readOpenJob(deps, undo)], environment: context.environment })
  const counts = await deps.steps.countByState(undoId)
  const isComplete = counts.done + counts.same === countSteps(counts)
  if (isComplete && !readJobDetails(undo).notUndone?.length) throw ALREADY_UNDONE
  return showJob(deps, context, undoId)
}

function requireUndoable(
  { count, unknownAddressCount, unclear, hasUndecryptable }: DoneByJob,
  id: string,
  answer: AddressAnswer | 'leave-out' | undefined,
): void {
  if (count === 0 && hasUndecryptable) throw new UserError(UNREADABLE)
  if (count === 0) throw new UserError(unclear.length > 0 ? ONLY_UNCLEAR : NOTHING_DONE)
  if (unknownAddressCount > 0 && answer === undefined) throw addressQuestion(id, unknownAddressCount)
}

interface DoneByJob {
  /** How many changes can be undone. */
  count: number
  /** How many checks the undo creates, edits, and deletes. */
  planned: Record<Step['do'], number>
  /** How many of the changes need an answer about the server address. */
  unknownAddressCount: number
  /** Steps whose outcome wasn't known, but that the lookup found to be done. */
  begun: StepRecord[]
  /** Changes that may have been done but can't be undone. */
  unclear: StepProblem[]
  hasUndecryptable: boolean
}

const INVERSE_STEP = { create: 'delete', edit: 'edit', delete: 'create' } as const

/** Collects the changes that a job has made. Looks up begun steps, and throws ApiError if that fails. */
async function collectDone(
  { steps, knownAddresses }: JobDeps,
  context: CommandContext,
  id: string,
  details: ChangesDetails,
  environment: CommandContext['environment'],
): Promise<DoneByJob> {
  const addresses = knownAddresses.in({ ...context, environment })
  const done: DoneByJob = {
    count: 0,
    planned: { create: 0, edit: 0, delete: 0 },
    unknownAddressCount: 0,
    begun: [],
    unclear: [],
    hasUndecryptable: false,
  }
  const countDone = (record: StepRecord): void => {
    done.count += 1
    done.planned[INVERSE_STEP[record.step.do]] += 1
    if (needsAddressChoice(record)) done.unknownAddressCount += 1
  }
  const addUnclear = (label: string, reason = NOT_CONFIRMED): void => {
    if (done.unclear.length < MAX_UNCLEAR) done.unclear.push({ label, reason: `Not undone. ${reason}` })
  }
  for await (const { line, record } of readDoneSteps(steps, id)) {
    if (record) countDone(record)
    else {
      done.hasUndecryptable = true
      addUnclear(formatStepLabel(details, line, record), 'Its record can’t be decrypted: see docs/keys.md.')
    }
  }
  for await (const { line, record } of readStepsInState(steps, id, 'unclear'))
    addUnclear(formatStepLabel(details, line, record), record?.reason)
  for await (const { line, record } of readStepsInState(steps, id, 'begun')) {
    if (!record) {
      addUnclear(formatStepLabel(details, line, record))
      continue
    }
    const { lookup } = await lookUpStep(await context.api(environment), record, { addresses })
    const settled = settleBegun(record, lookup)
    if (settled.state === 'done' || settled.state === 'partial') {
      done.begun.push(settled.record)
      countDone(settled.record)
    } else if (settled.state === 'unclear') addUnclear(record.step.name, settled.record.reason)
  }
  return done
}

const MAX_UNCLEAR = 1000

/** Whether undoing the step requires a server address that the service never showed. */
const needsAddressChoice = ({ step, before, after }: StepRecord): boolean =>
  before !== undefined &&
  isAddressMissing(before.fields) &&
  (step.do === 'delete' || (after !== undefined && after.fields.address.is !== 'unknown'))

function addressQuestion(id: string, count: number): Question {
  const line = (answer: AddressAnswer | 'leave-out') => `/hc job-undo ${id} --address ${answer}`
  return new Question(
    `The service didn’t say whether the server address of ${countChecks(count)} was set or came from DNS. Which is it? Nothing was undone yet.`,
    [
      ...ADDRESS_ANSWERS.map((answer) => ({ label: ADDRESS_ANSWER_LABELS[answer], line: line(answer) })),
      { label: 'Leave them out', line: line('leave-out') },
    ],
  )
}

const NOTHING_DONE = 'There’s nothing to undo: nothing was changed.'
const ONLY_UNCLEAR =
  'This can’t be undone, because nobody knows whether any of it was done. Look at the health checks.'
const UNREADABLE =
  'These changes can’t be decrypted, so they can’t be undone. The operator of this app can fix that: see docs/keys.md.'
