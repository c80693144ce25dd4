/** What the window behind **Settings** shows and changes. */
export interface AccessSettings {
  /** Whether guests can view. They can never change anything. */
  guestsCanView: boolean
  /** Shared channels in which threat events and orders may be shown. */
  allowedSharedChannels: readonly string[]
  /** How many days audit entries are kept; 0 means forever. */
  auditRetentionDays: number
}

/** True if both lists have the same IDs, in any order. */
export function sameIds(left: readonly string[], right: readonly string[]): boolean {
  const ids = new Set(left)
  return ids.size === new Set(right).size && right.every((id) => ids.has(id))
}
