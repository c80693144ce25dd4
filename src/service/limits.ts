/**
 * The default timeouts, retries, and size limits of the client. After their `maxInFlightMs`, acts and jobs assume that a
 * write has ended, so it has to be longer than `totalMs`.
 */
export const SERVICE_LIMITS = {
  timeouts: {
    connectMs: 3_000,
    /** Until the headers of a response arrive. Like `bodyMs`, it is checked about once a second. */
    headersMs: 8_000,
    /** Between two chunks of a response's body. */
    bodyMs: 8_000,
    /** A whole call, including retries and pauses. */
    totalMs: 20_000,
  },
  /** Up to three requests for one call. The pauses between them are random, up to a bound that doubles. */
  retry: { attempts: 3, baseMs: 200, maxMs: 2_000 },
  /** The maximum size of a decompressed JSON response: 13 times a page of 500 checks. Parsing more would hold up everybody else. */
  jsonBytes: 2 * 1024 * 1024,
  /** A screenshot of a whole page at a phone's resolution has a few MB. Slack accepts larger files than both of these limits. */
  screenshotBytes: 8 * 1024 * 1024,
  sourceBytes: 4 * 1024 * 1024,
  /** Connections per origin, for people. Further requests wait, and callers take turns. */
  connections: 96,
  /** How many of these connections one caller's people may use. */
  connectionsPerCaller: 24,
  /** Additional connections for polls, opened as needed. */
  pollConnections: 1000,
  /** Additional connections for looking for a name in all health checks, and how many of them one caller may use. */
  searchConnections: 16,
  searchConnectionsPerCaller: 2,
  /** How long the names of all health checks are kept. Whoever mistypes one then costs the service nothing more. */
  namesKeptMs: 30_000,
} as const
