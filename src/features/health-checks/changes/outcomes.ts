import type { StepCounts, StepOutcome, WorkSteps } from '@signalman/durable'
import type { JobRun } from '../../../bot/routes/routes.ts'
import type { Carried } from '../../../domain/outages/carry-checks.ts'
import { NAMED, reportOf } from '../files/report.ts'
import type { Change } from './change.ts'
import type { ChangesJobParts } from './changes-job.ts'
import { lostWords, type Made } from './make-change.ts'
import type { ChangesAbout } from './views.ts'
import { changeOf } from './write-changes.ts'

/** How a job ended. */
export interface Ended {
  counts: StepCounts
  /** How many were done, by what was done. */
  done: Readonly<Record<Change['do'], number>>
  /** How many more were done, of which nobody can read what they were. */
  unread: number
  /** How many are left of which a part is done. */
  half: number
  isStopped: boolean
  /** Why it could not go on. */
  problem: string | undefined
  /** The first that were not made, and the first of which not everything was. */
  refused: readonly NamedChange[]
  partly: readonly NamedChange[]
  partlyCount: number
  hasReport: boolean
  /** False where nothing is left, or where all that is left does not open. */
  canGoOn: boolean
  /** What names a check that was brought back. */
  carried: Carried
}

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
  run: JobRun<ChangesAbout>,
  parts: ChangesJobParts,
  problem: string | undefined,
): Promise<Ended> {
  const { steps } = parts
  const counts = await steps.counts(run.id)
  let half = 0
  for await (const { result } of eachOutcome(run.id, 'ready', steps)) if (result !== undefined) half += 1
  return {
    counts,
    ...(await countedChanges(run, steps, counts)),
    half,
    isStopped: run.isStopped(),
    problem,
    ...(await namedChanges(run, steps, counts)),
    canGoOn: counts.begun > 0 || (await steps.ready(run.id, 0, 1)).length > 0,
    carried: await carriedBy(run, parts),
  }
}

/** Reads what was done only where the job does several things. */
async function countedChanges(
  { id, about: { planned } }: JobRun<ChangesAbout>,
  steps: WorkSteps,
  counts: StepCounts,
): Promise<Pick<Ended, 'done' | 'unread'>> {
  const done = { create: 0, edit: 0, delete: 0 }
  let unread = 0
  const [only, ...others] = (['create', 'edit', 'delete'] as const).filter((kind) => planned[kind] > 0)
  if (only && others.length === 0) done[only] = counts.done
  else
    for await (const { change } of eachSettled(id, 'done', steps)) {
      if (change) done[change.do] += 1
      else unread += 1
    }
  return { done, unread }
}

/** The first of those that were not made, or not whole, and all of them in a file where they are many. */
async function namedChanges(
  { id, about, ...run }: JobRun<ChangesAbout>,
  steps: WorkSteps,
  counts: StepCounts,
): Promise<Pick<Ended, 'refused' | 'partly' | 'partlyCount' | 'hasReport'>> {
  const refused: NamedChange[] = []
  const partly: NamedChange[] = []
  if (counts.refused > 0)
    for await (const { line, change, result } of eachSettled(id, 'refused', steps))
      refused.push({ where: whereOf(about, line, change), says: result })
  let isAnyPart = false
  for await (const { result = '' } of eachOutcome(id, 'done', steps)) isAnyPart ||= noteOf(result) !== ''
  if (isAnyPart)
    for await (const { line, change, note } of eachSettled(id, 'done', steps))
      if (note) partly.push({ where: whereOf(about, line, change), says: note })
  const all = [...refused, ...partly]
  const shown = {
    refused: refused.slice(0, NAMED),
    partly: partly.slice(0, NAMED),
    partlyCount: partly.length,
  }
  if (all.length <= NAMED) return { ...shown, hasReport: false }
  const rows = all.map(({ where, says }) => [where, says])
  const file = { name: 'problems.csv', title: `Problems: ${about.title}` }
  const report = await reportOf(file, ['where', 'problem'], rows)
  const sent = run.upload(report).then(
    () => true,
    () => false,
  )
  return { ...shown, hasReport: await sent }
}

function whereOf({ fileName }: ChangesAbout, line: number, change: Change | undefined): string {
  if (!change) return fileName === undefined ? `Change ${line}` : `Line ${line}`
  return fileName !== undefined && change.do !== 'delete' ? `Line ${line}, service` : changedName(change)
}

export const changedName = (change: Change): string =>
  change.do === 'create' ? change.body.name : change.name

/** How much watches and mutes the checks that this has brought back. */
async function carriedBy(
  run: JobRun<ChangesAbout>,
  { steps, carryChecks }: ChangesJobParts,
): Promise<Carried> {
  const uuids = new Map<string, string>()
  if (run.about.undoes !== undefined && run.about.planned.create > 0)
    for (const state of ['done', 'found'] as const)
      for await (const { change, uuid } of eachSettled(run.id, state, steps))
        if (change?.do === 'create' && change.replaces && uuid) uuids.set(change.replaces, uuid)
  return carryChecks(run.context, uuids)
}
