import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { Stored } from '../../../bot/stored.ts'
import type { IsForbidden } from '../../../domain/forbidden-addresses.ts'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import { bulkCommands } from '../bulk/commands.ts'
import { jobCommands } from '../changes/commands.ts'
import { takePlaces } from '../changes/places.ts'
import { diagnoseCommands } from '../diagnose/commands.ts'
import { fileCommands } from '../files/commands.ts'
import { changingCommands } from './change.ts'
import { type LookParts, lookingCommands } from './look.ts'

interface HealthCheckParts extends LookParts {
  queue: Queue
  /** What `/hc diagnose` does not connect to. */
  isForbidden: IsForbidden
  store: Pick<Stored, 'workSteps' | 'ephemeralState'> & { watching: { carryChecks: CarryChecks } }
}

/** Everything that is asked for about health checks; their alerts are a feature of their own. */
export function healthCheckCommands(routes: Routes, parts: HealthCheckParts): void {
  const { workSteps: steps, ephemeralState, watching } = parts.store
  const carryChecks = takePlaces(ephemeralState, watching.carryChecks)
  const jobs = { queue: parts.queue, steps, ephemeralState, carryChecks }
  lookingCommands(routes, parts)
  changingCommands(routes, jobs)
  fileCommands(routes, jobs)
  bulkCommands(routes, jobs)
  diagnoseCommands(routes, parts.isForbidden)
  jobCommands(routes, jobs)
}
