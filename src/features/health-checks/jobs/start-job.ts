import type { EphemeralState, Found, Work } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { isDirect, type Message } from '@signalman/slack'
import { type Queue, readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { AuditDetails, CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { findOwner } from '../rows/job-owners.ts'
import type { Step, StepRecord } from '../rules/change.ts'
import { untried } from '../rules/decide.ts'
import type { ChangesAbout, OpenJob } from '../rules/job.ts'
import { changedView, saying } from '../views/job.ts'
import { CHANGES } from './changes-job.ts'
import { readEnding, stepsInState } from './ending.ts'
import type { EngineParts } from './run-steps.ts'
import { requireSameAccount } from './same-account.ts'

export interface JobParts extends EngineParts {
  queue: Queue
  ephemeralState: EphemeralState
}

/** What a job is about: put there by whoever added it. */
export const aboutOf = (job: Work): ChangesAbout => readJobBody(job).about as ChangesAbout

/** A job of this workspace that changes health checks. */
export const findJob = ({ queue }: JobParts, context: CommandContext, id: string) =>
  queue.find(context, [CHANGES], id)

export const toSteps = (steps: readonly Step[]) =>
  steps.map((step) => ({ line: step.line, body: { step } satisfies StepRecord }))

export function countPlanned(steps: readonly Pick<Step, 'do'>[]): ChangesAbout['planned'] {
  const planned = { create: 0, edit: 0, delete: 0 }
  for (const step of steps) planned[step.do] += 1
  return planned
}

/** Adds the steps as a job that waits to be started, and returns its ID. Done again after a crash, it is the same job. */
export async function addJob(
  { queue, steps: store }: JobParts,
  context: CommandContext,
  about: ChangesAbout,
  steps: readonly Step[],
): Promise<string> {
  const id = await context.keep('job', () => queue.add(context, { kind: CHANGES, about, isPrepared: true }))
  await store.add(id, toSteps(steps))
  return id
}

const SHOW_RUNNING = { label: 'Show running changes', line: '/hc jobs' }

const OVER = new UserError('This job is no longer waiting to start.', [SHOW_RUNNING])
export const UNDONE = new UserError('This was undone already.', [SHOW_RUNNING])

/** The key of the one job that undoes another. */
export const undoKey = (id: string): string => `undo of ${id}`

/** Whether somebody has started to undo a job. */
export async function isUndone({ queue }: JobParts, context: CommandContext, id: string): Promise<boolean> {
  const undo = await queue.findByKey(context, CHANGES, undoKey(id))
  return undo !== undefined && undo.state !== 'prepared'
}

/** A job is continued and undone by whoever started it or has it now, or by an admin. Returns who has it. Throws UserError. */
export async function requireOwner(
  { ephemeralState }: Pick<JobParts, 'ephemeralState'>,
  context: CommandContext,
  job: { id: string; startedBy: string },
  does: 'continue' | 'undo',
): Promise<string> {
  const owner = await findOwner(ephemeralState, context, job)
  if (owner === context.userId || (await context.hasRoleOrThrow(context.userId, 'admin'))) return owner
  const why = owner === job.startedBy ? 'who started this' : 'who has this now'
  throw new UserError(`Only <@${owner}>, ${why}, or an admin can ${does} it.`)
}

interface StartOptions {
  /** Steps that were refused, or whose outcome is unclear, are tried again too. */
  triesAgain?: boolean
}

/** Starts or continues a job in the name of the person who asks. Throws UserError when it can't. */
export async function startJob(
  parts: JobParts,
  context: CommandContext,
  id: string,
  { triesAgain = false }: StartOptions = {},
): Promise<Message> {
  const job = await findJob(parts, context, id)
  if (!job) throw OVER
  const { environment } = readJobBody(job)
  const about = aboutOf(job)
  await requireOwner(parts, context, { id, startedBy: about.startedBy }, 'continue')
  const canStart = (state: Work['state'] | undefined) => state === 'prepared' || state === 'stopped'
  // Done again after a crash, it may be this very act that has started it.
  const couldStart = await context.keep('can start', async () => canStart(job.state))
  if (couldStart) await requireSameAccount(await context.api(environment), about.account)
  const lookUp = async (): Promise<Found<void>> =>
    !couldStart || canStart((await findJob(parts, context, id))?.state) ? 'not-done' : { outcome: undefined }
  await context.change({ ...(await auditDetailsOf(parts, job, '/hc job-start')), lookUp }, async () => {
    if (await isUndone(parts, context, id)) throw UNDONE
    if (!couldStart) throw OVER
    if (triesAgain) await makeReadyAgain(parts, id)
    const isTheirs = about.startedBy === context.userId
    const does = job.state === 'prepared' ? 'Started' : 'Continued'
    const anew = isTheirs ? undefined : { ...about, by: { does, userId: context.userId } }
    if ((await parts.queue.start(context, job, anew)) === 'over') throw OVER
  })
  return saying([`Started${badgeOf(environment)}. Progress is ${progressPlace(context)}.`])
}

/** Makes the refused and the unclear steps of a job ready again: a person has asked for that. */
async function makeReadyAgain({ steps }: JobParts, id: string): Promise<void> {
  for (const state of ['refused', 'unclear'] as const)
    for await (const { line, record } of stepsInState(steps, id, state))
      if (record) await steps.retry(id, state, [{ line, body: untried(record) }])
}

/** Asks a running job to stop; what no process has is over at once. Throws UserError when there is nothing to stop. */
export async function stopJob(parts: JobParts, context: CommandContext, id: string): Promise<Message> {
  const job = await findJob(parts, context, id)
  const over = new UserError('This job has already ended.')
  if (!job) throw over
  const { caller, environment, ended } = readJobBody(job)
  const was = await context.keep('state', async () => (ended ? 'done' : job.state))
  const stopped = await context.change(
    { ...(await auditDetailsOf(parts, job, '/hc job-stop')), isRepeatable: true },
    async () => {
      const now = OPEN.has(was) ? await parts.queue.stop(context, job) : 'over'
      if (now !== 'over') return now
      // Done again after a crash, it may be this very act that has stopped it.
      if (!OPEN.has(was) || (await findJob(parts, context, id))?.state !== 'stopped') throw over
      return was === 'running' ? 'asked' : 'stopped'
    },
  )
  if (stopped === 'asked') return saying(['Stopping after the current changes. What was done stays.'])
  if (was === 'prepared') return saying(['Canceled before it started. Nothing was changed.'])
  const about = aboutOf(job)
  const there = { id, about, context: { ...context, environment }, isStopped: true }
  const says = changedView(
    id,
    about,
    await readEnding(there, parts, 'It was stopped while it waited for its turn.'),
    environment,
  )
  const tell = async () => {
    if (job.message) await context.amend(job.message, says)
    else if (caller.userId !== context.userId) await context.tell(caller.userId, says)
  }
  const isTold = await context.keep('told', () =>
    tell().then(
      () => true,
      () => false,
    ),
  )
  return saying([
    'Stopped before its turn came. What was done before stays.',
    !isTold && "Signalman couldn't notify the person who started it.",
  ])
}

const OPEN: ReadonlySet<Work['state']> = new Set(['prepared', 'waiting', 'running'])

/** What it is, and how much of it is left. */
export async function auditDetailsOf({ steps }: JobParts, job: Work, verb: string): Promise<AuditDetails> {
  const { environment } = readJobBody(job)
  const { title, fileName } = aboutOf(job)
  const { ready, begun } = await steps.counts(job.id)
  const what = fileName === undefined ? { what: title } : { fileName }
  const object = `${fileName === undefined ? 'job' : 'import'} ${job.id}`
  return {
    verb,
    object,
    objectName: fileName ?? title,
    environment,
    after: { ...what, environment, left: ready + begun },
  }
}

/** Whoever reads this in direct messages may be in those with Signalman, and would look for others. */
const progressPlace = ({ channelId }: Requester): string =>
  channelId && isDirect(channelId)
    ? 'in a message of its own from Signalman'
    : 'in your direct messages with Signalman'

/** The jobs that wait or run in the workspace, oldest first; without a person, whoever started them. */
export async function openJobs(
  { queue, steps }: JobParts,
  context: CommandContext,
  startedBy?: string,
): Promise<OpenJob[]> {
  const jobs = await queue.open(context, [CHANGES])
  const wanted = jobs.filter((job) => !startedBy || readJobBody(job).caller.userId === startedBy)
  return Promise.all(
    wanted.map(async (job) => ({
      id: job.id,
      userId: readJobBody(job).caller.userId,
      environment: readJobBody(job).environment,
      isRunning: job.state === 'running',
      about: aboutOf(job),
      counts: await steps.counts(job.id),
    })),
  )
}
