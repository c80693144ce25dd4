import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import type { StepOutcome, WorkSteps } from '../../../store/store.ts'
import { everyCheck, UNSTEADY } from '../every-check.ts'
import { isSame, keyOf } from '../same-check.ts'
import type { ChangesAbout } from './views.ts'
import { changeOf } from './write-changes.ts'

interface ReadyCreation {
  line: number
  body: HealthCheckBody
  twins: readonly string[]
}

const IN_A_ROW = 500

/**
 * Creations whose check is there already, of an earlier import or made by hand, are not made again. A sentence where that
 * cannot be told just now.
 */
export async function passOver(run: JobRun<ChangesAbout>, steps: WorkSteps): Promise<string | undefined> {
  if (run.about.planned.create === 0) return undefined
  const waiting = await readyCreations(run.id, steps)
  if (waiting.size === 0) return undefined
  const { healthChecks } = await run.context.api()
  const every = await everyCheck(healthChecks, run.signal)
  if (!every) return UNSTEADY
  const found = every.checks.flatMap((check): StepOutcome[] => {
    const row = taken(waiting.get(keyOf(check)) ?? [], check)
    return row ? [{ line: row.line, state: 'found', result: check.uuid }] : []
  })
  for (let start = 0; start < found.length; start += IN_A_ROW)
    await steps.settle(run.id, run.owner, found.slice(start, start + IN_A_ROW))
  return undefined
}

/** By what every listing shows of their checks. */
async function readyCreations(id: string, steps: WorkSteps): Promise<Map<string, ReadyCreation[]>> {
  const waiting = new Map<string, ReadyCreation[]>()
  for (let line = 0; ; ) {
    const some = await steps.ready(id, line, IN_A_ROW)
    for (const step of some) {
      const change = changeOf(step)
      if (change.do !== 'create' || change.isTried) continue
      const { body, twins = [] } = change
      const key = keyOf(body)
      waiting.set(key, [...(waiting.get(key) ?? []), { line: step.line, body, twins }])
    }
    const last = some.at(-1)
    if (!last) return waiting
    line = last.line
  }
}

/** The first of the rows that asks for this check; it is no longer among them. */
function taken(rows: ReadyCreation[], check: HealthCheck): ReadyCreation | undefined {
  const at = rows.findIndex(({ body, twins }) => isSame(body, check) && !twins.includes(check.uuid))
  return at < 0 ? undefined : rows.splice(at, 1)[0]
}
