export interface TracingLog {
  warn(fields: object, message: string): void
  info(message: string): void
}

export interface TracingOptions {
  /** The full URL that spans are posted to. */
  url: string
  sampler: TraceSampler
}

/** Uses the names of the OpenTelemetry specification. `arg` is the sampling ratio. */
export interface TraceSampler {
  kind: 'always_on' | 'always_off' | 'traceidratio'
  /** Whether the sampling decision of a parent trace is kept. */
  followsParent: boolean
  arg: number
}
