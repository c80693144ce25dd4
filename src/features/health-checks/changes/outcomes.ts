import type { JobRun } from '../../../bot/routes/routes.ts'
import type { StepCounts, StepOutcome, WorkSteps } from '../../../store/store.ts'
import { NAMED, reportOf } from '../files/report.ts'
import type { Change } from './change.ts'
import type { ChangesAbout } from './views.ts'
import { changeOf } from './write-changes.ts'

export interface Counted {
  counts: StepCounts
  /** How many were done, by what was done. */
  done: Readonly<Record<Change['do'], number>>
  /** How many more were done, of which nobody can read what they were. */
  unread: number
}

/** A change that was not made. */
export interface RefusedChange {
  /** Its line in the file, or the name of its check. */
  where: string
  says: string
}

const IN_A_ROW = 500

/** The steps that ended in one way, in order; without the change where what is stored of it does not open. */
export async function* eachSettled(
  id: string,
  state: StepOutcome['state'],
  steps: WorkSteps,
): AsyncGenerator<{ line: number; change: Change | undefined; result: string }> {
  for (let line = 0; ; ) {
    const some = await steps.settled(id, state, line, IN_A_ROW)
    for (const { line, opened, result = '' } of some)
      yield { line, change: opened && changeOf(opened), result }
    const last = some.at(-1)
    if (!last) return
    line = last.line
  }
}

/** Reads what was done only where the job does several things. */
export async function countedChanges(
  id: string,
  steps: WorkSteps,
  { planned }: ChangesAbout,
): Promise<Pick<Counted, 'done' | 'unread'>> {
  const done = { create: 0, edit: 0, delete: 0 }
  let unread = 0
  const kinds = (['create', 'edit', 'delete'] as const).filter((kind) => planned[kind] > 0)
  const [only, ...others] = kinds
  if (only && others.length === 0) done[only] = (await steps.counts(id)).done
  else
    for await (const { change } of eachSettled(id, 'done', steps)) {
      if (change) done[change.do] += 1
      else unread += 1
    }
  return { done, unread }
}

/** The first refusals, and all of them in a file where they are many. */
export async function refusedChanges(
  { id, about, ...run }: JobRun<ChangesAbout>,
  steps: WorkSteps,
  count: number,
): Promise<{ refused: readonly RefusedChange[]; refusedCount: number; hasReport: boolean }> {
  const refused: RefusedChange[] = []
  if (count > 0)
    for await (const { line, change, result } of eachSettled(id, 'refused', steps))
      refused.push({ where: whereOf(about, line, change), says: result })
  if (refused.length <= NAMED) return { refused, refusedCount: refused.length, hasReport: false }
  const rows = refused.map(({ where, says }) => [where, says])
  const file = { name: 'problems.csv', title: `Problems: ${about.title}` }
  const report = await reportOf(file, ['where', 'problem'], rows)
  const hasReport = await run.upload(report).then(
    () => true,
    () => false,
  )
  return { refused: refused.slice(0, NAMED), refusedCount: refused.length, hasReport }
}

function whereOf({ fileName }: ChangesAbout, line: number, change: Change | undefined): string {
  if (!change) return fileName === undefined ? `Change ${line}` : `Line ${line}`
  return fileName !== undefined && change.do !== 'delete' ? `Line ${line}, service` : nameOf(change)
}

export const nameOf = (change: Change): string => (change.do === 'create' ? change.body.name : change.name)
