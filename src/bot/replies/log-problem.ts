import { ApiError } from '../../api/errors.ts'
import type { Log } from '../../log.ts'
import type { Explained } from './explain.ts'

/** Logs a problem under the reference that the person was told: our own faults with their cause, others by name. */
export function logProblem(log: Log, line: object, problem: Explained, error: unknown): void {
  if (problem.isFault) {
    log.error({ ...line, outcome: 'failed', err: error }, 'A request failed.')
    return
  }
  const { name } = error instanceof Error ? error : { name: 'unknown' }
  const kind = error instanceof ApiError ? error.kind : undefined
  log.info({ ...line, outcome: 'problem', error: name, errorKind: kind }, 'A person was told of a problem.')
}
