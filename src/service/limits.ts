/**
 * How long the client waits for the service, how often it asks, and how much it takes, unless ServiceOptions says otherwise.
 * Acts and jobs take a write for over a little later than `totalMs` (their `settleMs`).
 */
export const SERVICE_LIMITS = {
  timeouts: {
    connectMs: 3_000,
    /** Until the head of an answer is there; like the next, watched by a clock that ticks about once a second. */
    headersMs: 8_000,
    /** Silence within the body of an answer. */
    bodyMs: 8_000,
    /** A whole call, with its repetitions and the pauses between them. */
    totalMs: 20_000,
  },
  /** Three requests for one call; the pauses between them are random up to a bound that doubles. */
  retry: { attempts: 3, baseMs: 200, mostMs: 2_000 },
  /** One JSON answer once unpacked: 25 times a page of 500 checks. */
  jsonBytes: 4 * 1024 * 1024,
  /** A picture of a whole page at a phone's resolution has a few; Slack takes more than either of these. */
  screenshotBytes: 8 * 1024 * 1024,
  sourceBytes: 4 * 1024 * 1024,
  /** To one origin, for people; further requests wait, and callers take turns. */
  connections: 96,
  /** What people of one caller have of them. */
  connectionsPerCaller: 24,
  /** Beside them, for polls; they are opened as they are needed. */
  pollConnections: 1000,
} as const
