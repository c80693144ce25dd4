import type { Settings } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import { type Cases, createCases } from '../cases/cases.ts'
import { createReader, type EventReader } from '../event-ids/read-events.ts'
import type { StoredThreats } from '../rows/stored-threats.ts'
import type { ThreatVersions } from '../rows/versions.ts'
import { createPictures, type Pictures } from '../screenshots/screenshots.ts'

/** The dependencies that the commands for threat events share. */
export interface ThreatDependencies {
  reader: EventReader
  pictures: Pictures
  versions: ThreatVersions
  cases: Cases
  getOrigin(environment: Environment): string
}

export function createThreatDependencies({
  store,
  baseUrls,
  reportError,
  now,
}: {
  store: StoredThreats & { settings: Settings }
  reportError: (error: unknown, message: string) => void
  /** The service's addresses. Files that an event links to are only downloaded from there. */
  baseUrls: Readonly<Record<Environment, string>>
  now: () => Date
}): ThreatDependencies {
  return {
    reader: createReader(now),
    versions: store.threatVersions,
    cases: createCases({ ...store, reportError }),
    pictures: createPictures(now),
    getOrigin: (environment) => new URL(baseUrls[environment]).origin,
  }
}
