/**
 * How much of what somebody sends is read. Within these limits every reader takes time in proportion to what it reads, and gives
 * way to others where that is more than some milliseconds; beyond them it says so, with the limit.
 */
export const TEXT_LIMITS = {
  /** Characters of a command that somebody types: what Slack advises for a message. More are looked at for admitted people alone. */
  line: 4000,
  /** Characters of a form's field: 3,000 of Slack's, of which each may be two of JavaScript's. */
  field: 6000,
  /** Characters of a message, where Slack cuts it. */
  message: 40_000,
  /** What a message is made of: its texts, all its parts, and how deep these lie in each other. */
  messageTexts: 5000,
  messageParts: 50_000,
  messageDepth: 30,
  /** Of a request for a certificate: bytes of its file, names, parts of its subject, attributes and extensions; bytes of an object identifier. */
  csrBytes: 64 * 1024,
  csrNames: 5000,
  csrParts: 100,
  objectIdBytes: 64,
  /** Of a file of health checks: its bytes, entries, characters of one of them, and faults that are told. */
  fileBytes: 10 * 1024 * 1024,
  fileRows: 50_000,
  fileEntry: 32 * 1024,
  fileFaults: 10_000,
} as const
