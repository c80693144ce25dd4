/** A check's target, parsed. */
export interface ProbedTarget {
  host: string
  port: number
  path: string
  protocol: string
  /** The address that the service connects to, if its details show one. */
  serverAddress: string | undefined
}

export interface Timed {
  ms: number
}

export interface Certificate extends Timed {
  names: readonly string[]
  endsAt: Date | undefined
  /** Why it would be refused; undefined for a valid one. */
  problem: string | undefined
}

/** The result of a probe: each part in the order it was tested, and none after the first failure. */
export interface Diagnosis {
  resolved: (Timed & { addresses: readonly string[] }) | { problem: string }
  connections: readonly ({ address: string } & (Timed | { problem: string }))[]
  certificate?: Certificate | { problem: string }
  answer?: (Timed & { status: number }) | { problem: string }
}
