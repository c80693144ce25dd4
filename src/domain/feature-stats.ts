/** Stats that features report for monitoring. */
export interface FeatureStats {
  /** Orders with an unknown outcome. */
  readonly ordersUnknown: number
  /** Environments in which Signalman can't see the status of watched checks. */
  readonly environmentsWithoutData: number
  /** Environments whose poll is more than two minutes late, and how long the most overdue poll has been due. */
  readonly polls: { readonly late: number; readonly lagSeconds: number }
  /** Outage cards that have to be updated, and how long the oldest has been waiting. */
  readonly outbox: { readonly waiting: number; readonly oldestSeconds: number }
}
