import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'

export interface HomeState {
  connected: readonly ConnectedEnvironment[]
  /** Whether anyone has been given the operator role. */
  hasRoles: boolean
}

/** An environment's health checks: how many there are, and a summary as a card and as one line. */
export interface EnvironmentSummary {
  total: number
  card: KnownBlock[]
  line: string
}

/** A connected environment, with the summary of its health checks or the reason why they couldn't be read. */
export interface ConnectedEnvironment {
  environment: Environment
  health: EnvironmentSummary | { problem: string }
}

/** An environment, whether it is connected, and who stored its token. */
export interface HomeEnvironment {
  environment: Environment
  isConnected: boolean
  /** Who stored the token and when. Undefined if there is no token, or only the operator's. */
  stored: { userId: string; storedAt: Date } | undefined
}
