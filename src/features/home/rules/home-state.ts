import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'

export interface HomeState {
  connected: readonly ConnectedEnvironment[]
  /** Whether somebody was given a role that may change health checks. */
  hasRoles: boolean
}

/** How the health checks of an environment are: their number, as a card, and in one line. */
export interface EnvironmentSummary {
  total: number
  card: KnownBlock[]
  line: string
}

/** With how its health checks are, or why that is not known. */
export interface ConnectedEnvironment {
  environment: Environment
  health: EnvironmentSummary | { problem: string }
}

/** One that could have a token, and whose it has. */
export interface HomeEnvironment {
  environment: Environment
  isConnected: boolean
  /** Who stored the token and when; undefined for the operator's token, and where there is none. */
  stored: { userId: string; storedAt: Date } | undefined
}
