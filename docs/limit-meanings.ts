import type { TEXT_LIMITS } from '@signalman/runtime'
import type { BudgetLimits } from '../src/bot/pipeline/budgets.ts'
import type { SERVICE_LIMITS } from '../src/service/limits.ts'

type ServiceLimit =
  | keyof typeof SERVICE_LIMITS.timeouts
  | Exclude<keyof typeof SERVICE_LIMITS, 'timeouts' | 'retry'>
  | 'attempts'

/** What each limit counts, and its unit. The values come from the sources. */
export const LIMIT_MEANINGS: {
  readonly requests: Readonly<Record<keyof BudgetLimits, string>>
  readonly texts: Readonly<Record<keyof typeof TEXT_LIMITS, string>>
  readonly service: Readonly<Record<ServiceLimit, string>>
} = {
  requests: {
    personBurst: 'requests of a person in a burst',
    personPerMinute: 'requests of a person per minute after that',
    personConcurrent: 'requests of a person running at the same time',
    workspaceConcurrent: 'requests of a workspace running at the same time',
    totalConcurrent: 'requests running at the same time in a process',
  },
  texts: {
    line: 'characters in a typed command',
    field: 'characters in a form field',
    message: 'characters in a message that Signalman searches',
    messageTexts: 'text elements in a message that Signalman searches',
    messageParts: 'blocks and elements in a message that Signalman searches',
    messageDepth: 'nesting depth of a message that Signalman searches',
    csrBytes: 'bytes in a certificate request (CSR)',
    csrNames: 'names in a CSR',
    csrParts: 'parts of the subject, attributes, and extensions of a CSR',
    objectIdBytes: 'bytes in an object identifier in a CSR',
    fileBytes: 'bytes in an imported CSV file',
    fileRows: 'rows in an imported CSV file',
    fileEntry: 'characters in a row of an imported CSV file',
    fileFaults: 'problems reported for an imported CSV file',
  },
  service: {
    connectMs: 'connection timeout, in milliseconds',
    headersMs: 'timeout for the start of a response, in milliseconds',
    bodyMs: 'timeout between two parts of a response, in milliseconds',
    totalMs: 'timeout for a whole call with its retries and the waits between them, in milliseconds',
    attempts: 'attempts for one call, if it can be retried',
    jsonBytes: 'bytes in a response, uncompressed',
    screenshotBytes: 'bytes in a screenshot',
    sourceBytes: 'bytes in a page source',
    connections: 'connections to one address of the service, for people’s requests',
    pollConnections: 'connections to one address of the service, for polls, opened as needed',
    connectionsPerCaller: 'connections to one address of the service, for the people of one workspace',
  },
}

/** What each limit means when several processes share a database. */
export const REPLICA_ROWS: readonly (readonly string[])[] = [
  [
    'connections to the service for the people of a workspace',
    '24, at most 18 of them for reads and 12 for changes; one person gets 12 and 6',
    '24 ÷ N in each, at least 4',
  ],
  ['connections to the service for the polls of a workspace', '6 more', '6 ÷ N in each, at least 1'],
  [
    'messages about outages in a workspace',
    'a burst of 50, then 150 per minute; one per second in a channel',
    'the same in total: counted in the database',
  ],
  ['polls, cards, jobs, changes', 'each runs once', 'each runs once, in the process that holds its lease'],
  [
    'sockets to Slack (Socket Mode)',
    '2',
    '2 in each with up to 4 replicas, 1 in each with more; Slack allows 10',
  ],
  [
    'requests of a person',
    'a burst of 60, 120 per minute, 30 at the same time',
    'per process: up to N times as many',
  ],
  [
    'requests at the same time, of a workspace and in total',
    '200 and 1,000',
    'per process: they limit its memory',
  ],
  ['work of a workspace in a process', 'all free capacity', 'per process'],
  [
    'audit entries of refusals, for a person and a command',
    '20, then one per minute',
    'per process: up to N times as many',
  ],
]
