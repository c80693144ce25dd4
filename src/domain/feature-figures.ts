/** Figures that features report for monitoring. */
export interface FeatureFigures {
  /** Orders of unknown outcome. */
  readonly ordersUnknown: number
  /** Environments whose checks can't be seen. */
  readonly blind: number
  /** Cards of outages whose message is outdated, and how long the oldest has been. */
  readonly cards: { readonly waiting: number; readonly oldestSeconds: number }
}
