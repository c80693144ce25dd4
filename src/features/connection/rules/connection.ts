import type { Environment } from '../../../domain/environment.ts'

/** How many health checks the new token can see, and whether it replaced another one. */
export interface ConnectOutcome {
  visible: number
  replaced: boolean
}

/** The connection's name in the audit log. */
export const connectionName = (environment: Environment): string =>
  `connection to ${environment === 'ote' ? 'the OTE environment' : 'production'}`
