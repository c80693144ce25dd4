/** Where a check looks, read from its target. */
export interface ProbedTarget {
  host: string
  port: number
  path: string
  protocol: string
  /** The address that the service connects to, where its details show one. */
  serverAddress: string | undefined
}

export interface Timed {
  ms: number
}

export interface Certificate extends Timed {
  names: readonly string[]
  endsAt: Date | undefined
  /** Why it would be refused; undefined for one that is good. */
  problem: string | undefined
}

/** What was seen from here; each part in the order in which it was looked at, and none behind the first that failed. */
export interface Diagnosis {
  resolved: (Timed & { addresses: readonly string[] }) | { problem: string }
  connections: readonly ({ address: string } & (Timed | { problem: string }))[]
  certificate?: Certificate | { problem: string }
  answer?: (Timed & { status: number }) | { problem: string }
}
