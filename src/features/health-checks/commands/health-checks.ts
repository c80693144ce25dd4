import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { IsForbidden } from '../../../domain/forbidden-addresses.ts'
import type { Store } from '../../../store/store.ts'
import { bulkCommands } from '../bulk/commands.ts'
import { jobCommands } from '../changes/commands.ts'
import { diagnoseCommands } from '../diagnose/commands.ts'
import { fileCommands } from '../files/commands.ts'
import { recipientCommands } from '../recipients/commands.ts'
import { changingCommands } from './change.ts'
import { type LookParts, lookingCommands } from './look.ts'

interface HealthCheckParts extends LookParts {
  queue: Queue
  /** What `/hc diagnose` does not connect to. */
  isForbidden: IsForbidden
  store: Pick<Store, 'workSteps' | 'ephemeralState'>
}

/** Everything that is asked for about health checks; their alerts are a feature of their own. */
export function healthCheckCommands(routes: Routes, parts: HealthCheckParts): void {
  const { queue, store } = parts
  lookingCommands(routes, parts)
  changingCommands(routes, store.ephemeralState)
  const jobs = { queue, steps: store.workSteps }
  fileCommands(routes, jobs)
  bulkCommands(routes, jobs)
  recipientCommands(routes)
  diagnoseCommands(routes, parts.isForbidden)
  jobCommands(routes, jobs)
}
