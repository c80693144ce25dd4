import type { NamedChecks } from '../../service/health-checks.ts'
import type { ServiceAccess } from '../routes/command-context.ts'

/** Short, because a person is waiting. */
const TIMEOUT_MS = 5000

/** The names of all health checks, at most 30 s old, or as old as is said. Undefined if there are too many, or if the service doesn't say. */
export const listNamesInTime = (
  { api }: Pick<ServiceAccess, 'api'>,
  maxAgeMs?: number,
): Promise<NamedChecks | undefined> =>
  api()
    .then(({ healthChecks }) =>
      healthChecks.listNames({}, { signal: AbortSignal.timeout(TIMEOUT_MS), maxAgeMs }),
    )
    .catch(() => undefined)
