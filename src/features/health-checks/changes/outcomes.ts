import type { StepOutcome, WorkSteps } from '@signalman/durable'
import type { JobRun } from '../../../bot/routes/routes.ts'

import { reportMany } from '../files/report.ts'
import type { Change } from './change.ts'
import type { ChangesJobParts } from './changes-job.ts'
import { lostWords, type Made } from './make-change.ts'
import type { ChangesAbout } from './views.ts'
import { changeOf } from './write-changes.ts'

/** How a job ended. */
export type Ended = Awaited<ReturnType<typeof endOf>>

interface NamedChange {
  /** Its line in the file, or the name of its check. */
  where: string
  says: string
}

export const IN_A_ROW = 500

/** What is stored of a change that was made: the UUID of its check, and behind it what of it could not be done. */
export const resultOf = ({ uuid, lost }: Made): string =>
  lost.length === 0 ? uuid : `${uuid} ${lostWords(lost)}`

/** No path holds a space, so that no UUID does. */
export const uuidOf = (result: string): string => result.split(' ', 1)[0] ?? ''
const noteOf = (result: string): string => result.slice(uuidOf(result).length + 1)

/** All steps that `read` gives, as many at a time as it takes of those behind a line. */
export async function* inRows<Step extends { line: number }>(
  read: (line: number, most: number) => Promise<readonly Step[]>,
): AsyncGenerator<Step> {
  for (let line = 0; ; ) {
    const some = await read(line, IN_A_ROW)
    yield* some
    const last = some.at(-1)
    if (!last) return
    line = last.line
  }
}

/** The steps of one state, in order. */
export const eachOutcome = (id: string, state: StepOutcome['state'], steps: WorkSteps) =>
  inRows((line, most) => steps.outcomes(id, state, line, most))

/** The same with their changes; without the change where what is stored of it does not open. */
export async function* eachSettled(id: string, state: StepOutcome['state'], steps: WorkSteps) {
  for await (const { line, opened, result = '' } of inRows((line, most) =>
    steps.settled(id, state, line, most),
  ))
    yield { line, change: opened && changeOf(opened), result, uuid: uuidOf(result), note: noteOf(result) }
}

/** What is told at the end: read from what is stored, so that it is the same whoever tells it. */
export async function endOf(
  run: Pick<JobRun<ChangesAbout>, 'id' | 'about' | 'isStopped'> & {
    context: Parameters<ChangesJobParts['carryChecks']>[0]
    /** Absent where no file goes with it. */
    upload?: JobRun<ChangesAbout>['upload']
  },
  { steps, carryChecks }: ChangesJobParts,
  problem: string | undefined,
) {
  const counts = await steps.counts(run.id)
  const ended = await outcomesOf(run, steps)
  const problems = [...ended.refused, ...ended.partly].map(({ where, says }) => [where, says])
  const file = { name: 'problems.csv', title: `Problems: ${run.about.title}` }
  return {
    ...ended,
    counts,
    isStopped: run.isStopped(),
    /** Why it could not go on. */
    problem,
    hasReport:
      run.upload !== undefined && (await reportMany(run.upload, file, ['where', 'problem'], problems)),
    /** False where nothing is left, or where all that is left does not open. */
    canGoOn: counts.begun > 0 || (await steps.ready(run.id, 0, 1)).length > 0,
    /** What names a check that was brought back. */
    carried: await carryChecks(run.context, await broughtBack(run, steps)),
  }
}

async function outcomesOf({ id, about }: Pick<JobRun<ChangesAbout>, 'id' | 'about'>, steps: WorkSteps) {
  /** How many were done, and how many were so already, by what was to be done. */
  const done = { create: 0, edit: 0, delete: 0 }
  const found = { ...done }
  /** What was not made, and of which not everything was. */
  const refused: NamedChange[] = []
  const partly: NamedChange[] = []
  /** How many more were done, of which nobody can read what they were; and how many are left of which a part is done. */
  let [unread, half] = [0, 0]
  for await (const { line, change, result } of eachSettled(id, 'refused', steps))
    refused.push({ where: whereOf(about, line, change), says: result })
  for await (const { line, change, note } of eachSettled(id, 'done', steps)) {
    if (change) done[change.do] += 1
    else unread += 1
    if (note) partly.push({ where: whereOf(about, line, change), says: note })
  }
  for await (const { change } of eachSettled(id, 'found', steps)) if (change) found[change.do] += 1
  for await (const { result } of eachOutcome(id, 'ready', steps)) if (result !== undefined) half += 1
  return { done, found, unread, half, refused, partly }
}

/** From each deleted check that an undo has brought back to the one in its place. */
async function broughtBack({ id, about }: Pick<JobRun<ChangesAbout>, 'id' | 'about'>, steps: WorkSteps) {
  const uuids = new Map<string, string>()
  if (about.undoes !== undefined)
    for (const state of ['done', 'found'] as const)
      for await (const { change, uuid } of eachSettled(id, state, steps))
        if (change?.do === 'create' && change.replaces && uuid) uuids.set(change.replaces, uuid)
  return uuids
}

function whereOf({ fileName }: ChangesAbout, line: number, change: Change | undefined): string {
  if (!change) return fileName === undefined ? `Change ${line}` : `Line ${line}`
  return fileName !== undefined && change.do !== 'delete' ? `Line ${line}, service` : changedName(change)
}

export const changedName = (change: Change): string =>
  change.do === 'create' ? change.body.name : change.name
