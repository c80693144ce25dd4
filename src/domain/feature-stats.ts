/** Stats that features report for monitoring. */
export interface FeatureStats {
  /** Orders with an unknown outcome. */
  readonly ordersUnknown: number
  /** Environments in which Signalman can't see the status of watched checks. */
  readonly environmentsWithoutData: number
  readonly polls: {
    /** Environments whose poll is more than two minutes late, and how long the most overdue poll has been due. */
    readonly late: number
    readonly lagSeconds: number
    /** How far from now the last successful poll of any environment is, at most. 0 if nothing is watched. */
    readonly unseenSeconds: number
  }
  /** Outage cards that have to be updated, and how long the oldest has been waiting. */
  readonly outbox: { readonly waiting: number; readonly oldestSeconds: number }
}
