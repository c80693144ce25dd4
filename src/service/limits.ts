/**
 * Timeouts, retries, and size limits of the client, unless ServiceOptions overrides them. Acts and jobs consider a write
 * finished a little after `totalMs` (their `settleMs`).
 */
export const SERVICE_LIMITS = {
  timeouts: {
    connectMs: 3_000,
    /** Until the headers of an answer arrive; like the next one, checked about once a second. */
    headersMs: 8_000,
    /** Silence within the body of an answer. */
    bodyMs: 8_000,
    /** A whole call, including retries and pauses. */
    totalMs: 20_000,
  },
  /** Three requests for one call; the pauses between them are random up to a bound that doubles. */
  retry: { attempts: 3, baseMs: 200, mostMs: 2_000 },
  /** One JSON answer once unpacked: 25 times a page of 500 checks. */
  jsonBytes: 4 * 1024 * 1024,
  /** A picture of a whole page at a phone's resolution has a few; Slack takes more than either of these. */
  screenshotBytes: 8 * 1024 * 1024,
  sourceBytes: 4 * 1024 * 1024,
  /** Connections per origin, for people. More requests wait, and callers take turns. */
  connections: 96,
  /** How many of them one caller's people may use. */
  connectionsPerCaller: 24,
  /** Additional ones for polls, opened as needed. */
  pollConnections: 1000,
} as const
