import type { TEXT_LIMITS } from '@signalman/runtime'
import type { BudgetLimits } from '../src/bot/request/budgets.ts'
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
    personBurst: 'requests per person, in a burst',
    personPerMinute: 'requests per person and minute, after the burst',
    workspaceConcurrent: 'requests per workspace running at the same time',
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
    csrParts: 'subject fields, attributes, and extensions in a CSR, together',
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
    totalMs: 'timeout for a whole call, including retries and the pauses between them, in milliseconds',
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
    '24 in total, of which reads use at most 18 and changes at most 12. One person can use at most 12 for reads and 6 for changes',
    '24 ÷ N in each, at least 4',
  ],
  [
    'connections to the service for the polls of a workspace',
    '6, in addition to those 24',
    '6 ÷ N in each, at least 1',
  ],
  [
    'messages about outages in a workspace',
    'a burst of 50, then 150 per minute; one per second in a channel',
    'the same in total: counted in the database',
  ],
  [
    'processes that run the same poll, card, job, or change at a time',
    '1',
    '1: the process that holds its lease',
  ],
  ['sockets to Slack (Socket Mode)', '2', '2 in each; Slack allows 10, so at most 4 replicas'],
  [
    'requests per person',
    'a burst of 60, 120 per minute, 30 at the same time',
    'per process: up to N times as many',
  ],
  [
    'requests running at the same time, per workspace and in total',
    '200 and 1,000',
    'per process, because they limit its memory',
  ],
  [
    'background work of one workspace',
    'may use all free capacity of the process',
    'the same in each process',
  ],
  [
    'audit entries of refusals, per person and command',
    '20, then one per minute',
    'per process: up to N times as many',
  ],
]
