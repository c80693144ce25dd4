import type { Environment } from '../../../domain/environment.ts'

/** How many health checks the new token can see, and whether it replaced another one. */
export interface ConnectOutcome {
  visible: number
  replaced: boolean
}

/** The connection's name in the audit log. */
export const connectionName = (environment: Environment): string =>
  `connection to ${environment === 'ote' ? 'the OTE environment' : 'production'}`

/** A line that failed because its environment had no token. After one is stored there, a button offers to run the line. */
export interface ResumedLine {
  readonly resume?: string
  readonly resumesIn?: Environment
}
