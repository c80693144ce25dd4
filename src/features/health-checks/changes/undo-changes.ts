import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { UserError } from '../../../errors.ts'
import type { Change } from './change.ts'
import { BULK, IMPORT } from './changes-job.ts'
import { eachSettled } from './outcomes.ts'
import { aboutOf, addChanges, type ChangesParts, plannedOf, startChanges } from './start-changes.ts'
import { undoneBy } from './undo-change.ts'

/** Takes back all that a job has done, as one job of its own, once. Throws UserError when there is nothing to take back. */
export async function undoChanges(parts: ChangesParts, ask: CommandContext, id: string) {
  await ask.api()
  const job = (await parts.queue.find(ask, BULK, id)) ?? (await parts.queue.find(ask, IMPORT, id))
  if (!job) throw new UserError('What this did is too old to be undone: it is kept for a week.')
  if (job.state === 'waiting' || job.state === 'running')
    throw new UserError('This still runs. Cancel it first, or undo it when it has ended.')
  const about = aboutOf(job)
  if (about.undoes !== undefined)
    throw new UserError('This was an undo itself. Repeat what it took back instead.')
  const changes: { line: number; change: Change }[] = []
  for await (const { line, change, result } of eachSettled(job.id, 'done', parts.steps)) {
    const back = undoneBy(change, result)
    if (back) changes.push({ line, change: back })
  }
  if (changes.length === 0) throw new UserError('This changed nothing, so there is nothing to undo.')
  const undo = {
    verb: '/hc undo',
    title: `Undo: ${about.title}`,
    planned: plannedOf(changes),
    undoes: job.id,
  }
  const undoId = await addChanges(parts, ask, { kind: BULK, about: undo, key: `undo of ${job.id}` }, changes)
  return startChanges(parts, ask, BULK, undoId)
}
