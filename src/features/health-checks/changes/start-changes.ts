import type { Found, Work, WorkSteps } from '@signalman/durable'
import { Question, UserError } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import { jobBodyOf, type Queue } from '../../../bot/jobs/job-queue.ts'
import type { AuditDetails, CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { Api } from '../../../service/service.ts'
import type { Change } from './change.ts'
import { BULK, type ChangesJobParts, IMPORT, KINDS } from './changes-job.ts'
import { endOf } from './outcomes.ts'
import { type ChangesAbout, changedView, saying } from './views.ts'

export interface ChangesParts {
  queue: Queue
  steps: WorkSteps
}

/** What a job of these kinds is about: put there by whoever added it. */
export const aboutOf = (job: Work): ChangesAbout => jobBodyOf(job).about as ChangesAbout

/** A job that changes health checks, of this workspace. */
export const findJob = ({ queue }: ChangesParts, context: CommandContext, id: string) =>
  queue.find(context, KINDS, id)

/** Adds the changes as a job that waits to be started, and returns its id. Done again after a crash, it is the same job. */
export async function addChanges(
  { queue, steps }: ChangesParts,
  context: CommandContext,
  job: { kind: string; about: ChangesAbout },
  changes: readonly { line: number; change: Change }[],
): Promise<string> {
  const id = await context.keep('job', () => queue.add(context, { ...job, isPrepared: true }))
  await steps.add(id, stepsOf(changes))
  return id
}

export const stepsOf = (changes: readonly { line: number; change: Change }[]) =>
  changes.map(({ line, change }) => ({ line, body: change }))

export const plannedOf = (changes: readonly { change: Change }[]): ChangesAbout['planned'] => {
  const planned = { create: 0, edit: 0, delete: 0 }
  for (const { change } of changes) planned[change.do] += 1
  return planned
}

const WHAT_RUNS = { label: 'What runs', line: '/hc jobs' }

const OVER = new UserError('This runs already, or has ended, or is too old.', [WHAT_RUNS])

/** What was looked at, or done, in one account is not begun or undone in another one, unless that is wanted. Throws Question. */
export function askWhoseAccount(
  { account }: Api,
  before: string | undefined,
  line: string,
  does: 'Begin' | 'Undo',
): void {
  if (before === undefined || before === account) return
  const [made, is] = does === 'Undo' ? ['done', 'undone'] : ['looked at', 'begun']
  throw new Question(
    `Another token was stored since this was ${made}. If that is of another account, it would be ${is} there, where these health checks are not. Nothing was ${is} yet.`,
    [{ label: `${does} with the token of now`, line: `${line} --yes` }],
  )
}

/** Starts a checked, cancelled or stopped job in the name of the person who asks. Throws UserError when it cannot, and Question. */
export async function startChanges(
  parts: ChangesParts,
  context: CommandContext,
  id: string,
  { anew, isSure = false }: { anew?: ChangesAbout; isSure?: boolean } = {},
) {
  const job = await findJob(parts, context, id)
  if (!job) throw OVER
  const { environment } = jobBodyOf(job)
  const api = await context.api(environment)
  const { account } = anew ?? aboutOf(job)
  const canStart = (state: Work['state'] | undefined) => state === 'prepared' || state === 'stopped'
  // Done again after a crash, it may be this very act that has started it.
  const couldStart = await context.keep('can start', async () => canStart(job.state))
  if (couldStart && !isSure) askWhoseAccount(api, account, `/hc job-start ${id}`, 'Begin')
  const lookUp = async (): Promise<Found<void>> =>
    !couldStart || canStart((await findJob(parts, context, id))?.state) ? 'not-done' : { outcome: undefined }
  await context.change({ ...(await auditDetailsOf(parts, job, '/hc job-start')), lookUp }, async () => {
    const undoing = (await parts.queue.open(context, [BULK])).find((one) => aboutOf(one).undoes === id)
    if (!couldStart) throw OVER
    if (undoing)
      throw new UserError('It is being undone just now. Press the button again when that has ended.', [
        WHAT_RUNS,
      ])
    const started = await parts.queue.start(context, job, anew)
    if (started === 'over') throw OVER
    if (started === 'busy') throw new UserError(`Another ${nounOf(job)} ${BUSY}`, [WHAT_RUNS])
  })
  return saying([`Started${badgeOf(environment)}. Progress is ${progressPlace(context)}.`])
}

/** Asks a running job to stop; what no process has is over at once, and is told. Throws UserError when there is nothing to stop. */
export async function cancelChanges(
  parts: ChangesParts & ChangesJobParts,
  context: CommandContext,
  id: string,
) {
  const job = await findJob(parts, context, id)
  const over = new UserError(`This ${nounOf(job)} has ended already.`)
  if (!job) throw over
  const { caller, environment, ended } = jobBodyOf(job)
  const was = await context.keep('state', async () => (ended ? 'done' : job.state))
  const stopped = await context.change(
    { ...(await auditDetailsOf(parts, job, '/hc job-cancel')), isRepeatable: true },
    async () => {
      const now = OPEN.has(was) ? await parts.queue.stop(context, job) : 'over'
      if (now !== 'over') return now
      // Done again after a crash, it may be this very act that has stopped it.
      if (!OPEN.has(was) || (await findJob(parts, context, id))?.state !== 'stopped') throw over
      return was === 'running' ? 'asked' : 'stopped'
    },
  )
  if (stopped === 'asked') return saying(['Stopping after what is under way. What was done stays.'])
  if (was === 'prepared') return saying(['Cancelled before it began. Nothing was changed.'])
  const run = { id, about: aboutOf(job), context: { ...context, environment }, isStopped: () => true }
  const end = await endOf(run, parts, 'It was cancelled while it waited for its turn.')
  const says = changedView(id, run.about, end, environment)
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
    'Cancelled while it waited for its turn. What was done before stays.',
    !isTold && 'Whoever asked for it could not be told.',
  ])
}

const OPEN: ReadonlySet<Work['state']> = new Set(['prepared', 'waiting', 'running'])

/** What it is, and how much of it is left. */
async function auditDetailsOf({ steps }: ChangesParts, job: Work, verb: string): Promise<AuditDetails> {
  const { environment } = jobBodyOf(job)
  const { title, fileName } = aboutOf(job)
  const { ready, begun } = await steps.counts(job.id)
  const what = fileName === undefined ? { what: title } : { fileName }
  const object = `${job.kind === IMPORT ? 'import' : 'job'} ${job.id}`
  const objectName = fileName ?? title
  return { verb, object, objectName, environment, after: { ...what, environment, left: ready + begun } }
}

/** Whoever reads this in direct messages may be in those with Signalman, and would look for others. */
const progressPlace = ({ channelId }: Requester): string =>
  channelId && isDirect(channelId)
    ? 'in a message of its own from Signalman'
    : 'in your direct messages with Signalman'

const nounOf = (job: Work | undefined): string =>
  job?.kind === IMPORT ? 'import' : 'change of many health checks'
const BUSY = 'is running in this workspace. Press the button again when it has ended.'

export type OpenJob = Awaited<ReturnType<typeof openJobs>>[number]

/** The jobs that change health checks and wait or run in the workspace, oldest first; without a person, whoever asked for them. */
export async function openJobs({ queue, steps }: ChangesParts, context: CommandContext, ofPerson?: string) {
  const jobs = await queue.open(context, KINDS)
  const wanted = jobs.filter((job) => !ofPerson || jobBodyOf(job).caller.userId === ofPerson)
  return Promise.all(
    wanted.map(async (job) => ({
      id: job.id,
      userId: jobBodyOf(job).caller.userId,
      environment: jobBodyOf(job).environment,
      isRunning: job.state === 'running',
      about: aboutOf(job),
      counts: await steps.counts(job.id),
    })),
  )
}
