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
}

/** A change that was not made. */
export interface RefusedChange {
  /** Its line in the file, or the name of its check. */
  where: string
  says: string
}

const IN_A_ROW = 500

/** The steps that ended in one way, in order. */
export async function* eachSettled(
  id: string,
  state: StepOutcome['state'],
  steps: WorkSteps,
): AsyncGenerator<{ line: number; change: Change; result: string }> {
  for (let line = 0; ; ) {
    const some = await steps.settled(id, state, line, IN_A_ROW)
    for (const step of some) yield { line: step.line, change: changeOf(step), result: step.result ?? '' }
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
): Promise<Pick<Counted, 'done'>> {
  const done = { create: 0, edit: 0, delete: 0 }
  const kinds = (['create', 'edit', 'delete'] as const).filter((kind) => planned[kind] > 0)
  const [only, ...others] = kinds
  if (only && others.length === 0) done[only] = (await steps.counts(id)).done
  else for await (const { change } of eachSettled(id, 'done', steps)) done[change.do] += 1
  return { done }
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

const whereOf = ({ fileName }: ChangesAbout, line: number, change: Change): string =>
  fileName !== undefined && change.do !== 'delete' ? `Line ${line}, service` : nameOf(change)

export const nameOf = (change: Change): string => (change.do === 'create' ? change.body.name : change.name)
