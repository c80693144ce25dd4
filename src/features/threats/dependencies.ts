import type { Log } from '@signalman/runtime'
import type { Environment } from '../../domain/environment.ts'
import type { ThreatCases } from './rows/cases.ts'

export interface StoredThreats {
  readonly threatCases: ThreatCases
}

export interface ThreatDependencies extends StoredThreats {
  /** The service's origin. Files that an event links to are only downloaded from there. */
  getOrigin(environment: Environment): string
  log: Log
  /** Wakes the work that posts. */
  wake: () => void
}
