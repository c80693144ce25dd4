import type { Environment } from '../../../domain/environment.ts'

/** The outcome: how many health checks the token can see, and whether it replaced an earlier token. */
export interface ConnectOutcome {
  visible: number
  replaced: boolean
}

/** As the audit log names it. */
export const connectionName = (environment: Environment): string =>
  `connection to ${environment === 'ote' ? 'the OTE environment' : 'production'}`
