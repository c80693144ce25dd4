import { jobBodyOf } from '../../../bot/jobs/job-queue.ts'
import type { AuditDetails, CommandContext } from '../../../bot/routes/command-context.ts'
import { UserError } from '../../../errors.ts'
import type { Work } from '../../../store/store.ts'
import type { Found } from '../../../work/act.ts'
import type { ImportParts } from './forms.ts'
import { IMPORT } from './import-job.ts'
import { type ImportAbout, startedView } from './views.ts'

/** Starts a checked, cancelled or stopped import in the name of the person who asks. Throws UserError when it cannot. */
export async function startImport(parts: ImportParts, ask: CommandContext, id: string) {
  await ask.api()
  const job = await parts.queue.find(ask, IMPORT, id)
  if (!job) throw over()
  const lookUp = async (): Promise<Found<void>> => {
    const state = (await parts.queue.find(ask, IMPORT, id))?.state
    return state === 'prepared' || state === 'stopped' ? 'not-done' : { outcome: undefined }
  }
  await ask.change({ ...(await deedOf(parts, job, '/hc import-start')), lookUp }, async () => {
    const started = await parts.queue.start(ask, job)
    if (started === 'over') throw over()
    if (started === 'busy') throw new UserError(BUSY)
  })
  return startedView('The import runs. How far it is stands in your direct messages with Signalman.')
}

/** Asks a running import to stop. Throws UserError when there is nothing to stop. */
export async function cancelImport(parts: ImportParts, ask: CommandContext, id: string) {
  const job = await parts.queue.find(ask, IMPORT, id)
  if (!job) throw new UserError(ENDED)
  await ask.change({ ...(await deedOf(parts, job, '/hc import-cancel')), isRepeatable: true }, async () => {
    if (!(await parts.queue.stop(ask, job))) throw new UserError(ENDED)
  })
  return startedView('The import stops after the rows that are under way. What was created stays.')
}

/** Which file it is, and how many rows of it are yet to be created. */
async function deedOf({ steps }: ImportParts, job: Work, verb: string): Promise<AuditDetails> {
  const { about, environment } = jobBodyOf(job)
  // What the form put into a job of this kind.
  const { fileName } = about as ImportAbout
  const { ready, begun } = await steps.counts(job.id)
  return { verb, object: `import ${job.id}`, after: { fileName, environment, left: ready + begun } }
}

const BUSY = 'Another import runs in this workspace. Press the button again when it has ended.'
const ENDED = 'This import has ended already.'

const over = (): UserError =>
  new UserError(
    'This import runs already, or has ended, or is too old. Choose the file again: what is there already is not created twice.',
    [{ label: 'Import a file', line: '/hc import' }],
  )
