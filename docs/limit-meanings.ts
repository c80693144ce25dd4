import type { TEXT_LIMITS } from '@signalman/runtime'
import type { BudgetLimits } from '../src/bot/pipeline/budgets.ts'
import type { SERVICE_LIMITS } from '../src/service/limits.ts'

type ServiceLimit =
  | keyof typeof SERVICE_LIMITS.timeouts
  | Exclude<keyof typeof SERVICE_LIMITS, 'timeouts' | 'retry'>
  | 'attempts'

/** What each limit is of, and in what it is counted; how much it is, the sources say. */
export const LIMIT_MEANINGS: {
  readonly requests: Readonly<Record<keyof BudgetLimits, string>>
  readonly texts: Readonly<Record<keyof typeof TEXT_LIMITS, string>>
  readonly service: Readonly<Record<ServiceLimit, string>>
} = {
  requests: {
    personBurst: 'requests of a person at a stretch',
    personPerMinute: 'requests of a person a minute, beyond that',
    personAtOnce: 'requests of a person under way at once',
    workspaceAtOnce: 'requests of a workspace under way at once',
    atOnce: 'requests of all under way at once, in a process',
  },
  texts: {
    line: 'characters of a typed command',
    field: 'characters of a field of a form',
    message: 'characters of a message that is looked into',
    messageTexts: 'texts in such a message',
    messageParts: 'parts of such a message',
    messageDepth: 'how deep these lie in each other',
    csrBytes: 'bytes of a certificate request',
    csrNames: 'names in it',
    csrParts: 'parts of its subject, attributes and extensions',
    objectIdBytes: 'bytes of an object identifier in it',
    fileBytes: 'bytes of a file of health checks',
    fileRows: 'entries of it',
    fileEntry: 'characters of an entry',
    fileFaults: 'faults of it that are told',
  },
  service: {
    connectMs: 'milliseconds until there is a connection',
    headersMs: 'milliseconds until an answer begins',
    bodyMs: 'milliseconds of silence within an answer',
    totalMs: 'milliseconds of a whole call, with its repetitions and the pauses between them',
    attempts: 'requests for one call, where it may be repeated',
    jsonBytes: 'bytes of an answer, unpacked',
    screenshotBytes: 'bytes of a screenshot',
    sourceBytes: 'bytes of the source of a page',
    connections: 'connections to one address that people have',
    pollConnections: 'connections to one address that polls have, opened as they are needed',
    connectionsPerCaller: 'of them for the people of one workspace',
  },
}

/** What each budget is where several processes share a database. */
export const REPLICA_ROWS: readonly (readonly string[])[] = [
  [
    'connections to the service, of a workspace’s people',
    '24; of them 18 for reads, 12 for acts, a person 12 and 6',
    '24 ÷ N in each, at least 4: as many together as one has, up to 6 replicas',
  ],
  ['connections to the service, of a workspace’s polls', '6 more', '6 ÷ N in each, at least 1'],
  [
    'messages about outages, of a workspace',
    '50 at once, then 150 a minute; one a second in a channel',
    'the same for all together: counted in the database',
  ],
  ['polls, cards, jobs, acts', 'each piece of work once', 'the same: whoever has its lease does it'],
  ['sockets to Slack (Socket Mode)', '2', '2 in each of up to 4, one in each of more; Slack allows 10'],
  [
    'requests of a person',
    '60 at a stretch, 120 a minute, 30 under way',
    'each for itself: up to N times as many, spread as the balancer spreads them',
  ],
  [
    'requests under way, of a workspace and of all',
    '200 and 1,000',
    'each for itself: they bound the memory of a process',
  ],
  ['work of a workspace in a process', 'as much as is left free', 'each for itself'],
  [
    'rows of refusals, of a person and a verb',
    '20, then one a minute',
    'each for itself: up to N times as many',
  ],
]
