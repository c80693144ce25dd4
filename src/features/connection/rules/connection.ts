/** How many health checks the new token can see, and whether it replaced another one. */
export interface ConnectOutcome {
  visible: number
  replaced: boolean
}

/** The connection's name in the audit log, which adds the environment. */
export const CONNECTION = 'connection to the service'
