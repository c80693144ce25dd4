/** What features count for monitoring. */
export interface FeatureFigures {
  /** Orders of unknown outcome. */
  readonly ordersUnknown: number
  /** Environments whose checks cannot be seen. */
  readonly blind: number
  /** Cards of outages whose message is out of date, and how long the oldest has been. */
  readonly cards: { readonly waiting: number; readonly oldestSeconds: number }
}
