import { jobBodyOf } from '../../../bot/jobs/job-body.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { AuditDetails } from '../../../bot/routes/audited-acts.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { UserError } from '../../../errors.ts'
import type { Work, WorkSteps } from '../../../store/store.ts'
import type { Found } from '../../../work/act.ts'
import type { Change } from './change.ts'
import { wordsOf } from './changes-words.ts'
import { type ChangesAbout, startedView } from './views.ts'

export interface ChangesParts {
  queue: Queue
  steps: WorkSteps
}

/** What a job of these kinds is about: put there by whoever added it. */
export const aboutOf = (job: Work): ChangesAbout => jobBodyOf(job).about as ChangesAbout

/** Adds the changes as a job that waits to be started, and returns its id. Done again after a crash, it is the same job. */
export async function addChanges(
  { queue, steps }: ChangesParts,
  context: CommandContext,
  job: { kind: string; about: ChangesAbout; key?: string },
  changes: readonly { line: number; change: Change }[],
): Promise<string> {
  const { key, ...rest } = job
  const add = () =>
    key === undefined
      ? queue.add(context, { ...rest, isPrepared: true })
      : queue.addOnce(context, { ...rest, key })
  const id = await context.keep('job', add)
  await steps.add(
    id,
    changes.map(({ line, change }) => ({ line, body: change })),
  )
  return id
}

export const plannedOf = (changes: readonly { change: Change }[]): ChangesAbout['planned'] => {
  const planned = { create: 0, edit: 0, delete: 0 }
  for (const { change } of changes) planned[change.do] += 1
  return planned
}

/** Starts a checked, cancelled or stopped job in the name of the person who asks. Throws UserError when it cannot. */
export async function startChanges(parts: ChangesParts, context: CommandContext, kind: string, id: string) {
  await context.api()
  const { verb, noun, over } = wordsOf(kind)
  const job = await parts.queue.find(context, kind, id)
  if (!job) throw over
  const lookUp = async (): Promise<Found<void>> => {
    const state = (await parts.queue.find(context, kind, id))?.state
    return state === 'prepared' || state === 'stopped' ? 'not-done' : { outcome: undefined }
  }
  await context.change({ ...(await auditDetailsOf(parts, job, `${verb}-start`)), lookUp }, async () => {
    const started = await parts.queue.start(context, job)
    if (started === 'over') throw over
    if (started === 'busy') throw new UserError(BUSY[noun] ?? '', [{ label: 'What runs', line: '/hc jobs' }])
  })
  return startedView(`${RUNS[noun] ?? ''} How far it is stands ${progressPlace(context)}.`)
}

/** Asks a running job to stop. Throws UserError when there is nothing to stop. */
export async function cancelChanges(parts: ChangesParts, context: CommandContext, kind: string, id: string) {
  const { verb, noun } = wordsOf(kind)
  const ended = new UserError(`This ${noun} has ended already.`)
  const job = await parts.queue.find(context, kind, id)
  if (!job) throw ended
  // Done again after a crash, it may be this very act that has stopped it.
  const isOpen = await context.keep('is open', async () => OPEN.has(job.state))
  await context.change(
    { ...(await auditDetailsOf(parts, job, `${verb}-cancel`)), isRepeatable: true },
    async () => {
      if (isOpen && (await parts.queue.stop(context, job))) return
      if (!isOpen || (await parts.queue.find(context, kind, id))?.state !== 'stopped') throw ended
    },
  )
  return startedView(STOPS[noun] ?? '')
}

const OPEN: ReadonlySet<Work['state']> = new Set(['prepared', 'waiting', 'running'])

/** What it is, and how much of it is left. */
async function auditDetailsOf({ steps }: ChangesParts, job: Work, verb: string): Promise<AuditDetails> {
  const { environment } = jobBodyOf(job)
  const { title, fileName } = aboutOf(job)
  const { ready, begun } = await steps.counts(job.id)
  const what = fileName === undefined ? { what: title } : { fileName }
  const noun = wordsOf(job.kind).noun
  return { verb, object: `${noun} ${job.id}`, after: { ...what, environment, left: ready + begun } }
}

const RUNS: Readonly<Record<string, string>> = { import: 'The import runs.', job: 'It runs.' }

/** Whoever reads this in direct messages may be in those with Signalman, and would look for others. */
const progressPlace = ({ channelId }: Requester): string =>
  channelId?.startsWith('D')
    ? 'in a message of its own from Signalman'
    : 'in your direct messages with Signalman'

const STOPS: Readonly<Record<string, string>> = {
  import: 'The import stops after the rows that are under way. What was created stays.',
  job: 'It stops after what is under way. What was done stays.',
}

const BUSY: Readonly<Record<string, string>> = {
  import: 'Another import runs in this workspace. Press the button again when it has ended.',
  job: 'Another change of many health checks runs in this workspace. Press the button again when it has ended.',
}
