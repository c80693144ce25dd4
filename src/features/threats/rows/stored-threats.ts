import type { ThreatCases } from './cases.ts'
import type { ThreatShares } from './shares.ts'
import type { ThreatVersions } from './versions.ts'

/** The tables of threat events. */
export interface StoredThreats {
  readonly threatVersions: ThreatVersions
  readonly threatCases: ThreatCases
  readonly threatShares: ThreatShares
}
