/** A check's target, parsed for a probe. */
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
  /** Why a client would reject the certificate; undefined if it's valid. */
  problem: string | undefined
}

/** The result of a probe, in the order of its tests. After a failure, the later parts are missing. */
export interface Diagnosis {
  resolved: (Timed & { addresses: readonly string[] }) | { problem: string }
  connections: readonly ({ address: string } & (Timed | { problem: string }))[]
  certificate?: Certificate | { problem: string }
  answer?: (Timed & { status: number }) | { problem: string }
}
