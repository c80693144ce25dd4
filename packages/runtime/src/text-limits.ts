/**
 * Limits on user input. Within them, every parser takes time proportional to the input, and yields to the event loop if that takes
 * more than a few milliseconds. Beyond them, the error states the limit.
 */
export const TEXT_LIMITS = {
  /** Characters of a typed command: Slack's recommended message length. Lines that the app created may be longer. */
  line: 4000,
  /** Characters of a form field: Slack's 3,000, each of which may be two in JavaScript. */
  field: 6000,
  /** Characters of a message, where Slack truncates it. */
  message: 40_000,
  /** A message's content: the number of texts, the number of parts, and the nesting depth. */
  messageTexts: 5000,
  messageParts: 50_000,
  messageDepth: 30,
  /**
   * A certificate request: bytes of the file, names, parts of the subject, attributes and extensions, bytes of an object
   * identifier.
   */
  csrBytes: 64 * 1024,
  csrNames: 1000,
  csrParts: 100,
  objectIdBytes: 64,
  /** Bytes of a file of health checks. */
  fileBytes: 10 * 1024 * 1024,
} as const
