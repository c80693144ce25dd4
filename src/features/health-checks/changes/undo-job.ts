import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/kept-for.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { grouped } from '../../../domain/wording.ts'
import { Question, UserError } from '../../../errors.ts'
import type { Change } from './change.ts'
import { BULK, IMPORT } from './changes-job.ts'
import { inverseOf } from './inverse-change.ts'
import { eachSettled } from './outcomes.ts'
import { aboutOf, addChanges, type ChangesParts, plannedOf, startChanges } from './start-changes.ts'

/**
 * Takes back all that a job has done, as one job of its own, once. Throws UserError when there is nothing to take back, and
 * Question where some of it cannot be read: what is left out then stays, because there is one undo.
 */
export async function undoJob(parts: ChangesParts, context: CommandContext, id: string, isSure: boolean) {
  await context.api()
  const job = (await parts.queue.find(context, BULK, id)) ?? (await parts.queue.find(context, IMPORT, id))
  if (!job)
    throw new UserError(`What this did is too old to be undone: it is kept for ${JOBS_KEPT_IN_WORDS}.`)
  if (job.state === 'waiting' || job.state === 'running')
    throw new UserError('This still runs. Cancel it first, or undo it when it has ended.')
  const about = aboutOf(job)
  if (about.undoes !== undefined)
    throw new UserError('This was an undo itself. Repeat what it took back instead.')
  const { changes, unopened } = await changesBack(parts, job.id)
  if (changes.length === 0)
    throw new UserError(unopened > 0 ? UNREADABLE : 'This changed nothing, so there is nothing to undo.')
  if (unopened > 0 && !isSure) {
    const rest = grouped(changes.length)
    throw new Question(
      `Of ${grouped(unopened)} of the changes it cannot be read what there was before (docs/keys.md says how that is mended), so they would stay. There is one undo: what it leaves out stays for good. Nothing was undone yet. Undo the other ${rest} all the same?`,
      [{ label: `Undo ${rest}`, line: `/hc job-undo ${job.id} --yes` }],
    )
  }
  const undo = {
    verb: '/hc undo',
    title: `Undo: ${about.title}`,
    planned: plannedOf(changes),
    undoes: job.id,
  }
  const inverse = { kind: BULK, about: undo, key: `undo of ${job.id}` }
  const undoId = await addChanges(parts, context, inverse, changes)
  return startChanges(parts, context, BULK, undoId)
}

/** What takes back each of the changes that were made, and how many of them do not open. */
async function changesBack({ steps }: ChangesParts, jobId: string) {
  const changes: { line: number; change: Change }[] = []
  let unopened = 0
  for await (const { line, change, result } of eachSettled(jobId, 'done', steps)) {
    if (!change) unopened += 1
    const back = change && inverseOf(change, result)
    if (back) changes.push({ line, change: back })
  }
  return { changes, unopened }
}

const UNREADABLE =
  'What is stored of these changes cannot be read, so they cannot be undone. Whoever runs this app finds in docs/keys.md how that is mended.'
