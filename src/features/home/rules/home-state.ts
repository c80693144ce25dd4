import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'

export interface HomeState {
  connected: readonly ConnectedEnvironment[]
  /** Whether anyone was given a role that can change health checks. */
  hasRoles: boolean
}

/** The health checks of an environment: their number, as a card, and in one line. */
export interface EnvironmentSummary {
  total: number
  card: KnownBlock[]
  line: string
}

/** A connected environment with the summary of its health checks, or the reason why there is none. */
export interface ConnectedEnvironment {
  environment: Environment
  health: EnvironmentSummary | { problem: string }
}

/** An environment that can be connected, and whose token it uses. */
export interface HomeEnvironment {
  environment: Environment
  isConnected: boolean
  /** Who stored the token and when; undefined for the operator's token, and if there is none. */
  stored: { userId: string; storedAt: Date } | undefined
}
