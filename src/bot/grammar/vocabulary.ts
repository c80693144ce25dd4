import { choice, type Parameter, parameter } from './parameters.ts'

/** Words for the status of a health check, in lowercase. */
export const CHECK_STATUS_WORDS: Readonly<Record<string, string>> = {
  down: 'UNHEALTHY',
  unhealthy: 'UNHEALTHY',
  up: 'HEALTHY',
  healthy: 'HEALTHY',
  installing: 'INSTALLING',
}

export const PROTOCOL_WORDS = { http: 'HTTP', https: 'HTTPS', tcp: 'TCP' }
export const ALL_WORDS = { all: 'all', '*': 'all' }
export const MINE_WORDS = { mine: 'mine', my: 'mine' }

/** One health check. `check` in the values is its name or target as typed, and `uuid` its UUID. */
export const ONE_CHECK: readonly Parameter[] = [
  parameter('check', 'name', { group: 'checks', required: true }),
  parameter('uuid', 'uuid', { group: 'checks', required: true }),
]

/** One health check, or none. */
export const ANY_CHECK: readonly Parameter[] = ONE_CHECK.map(({ required: _, ...optional }) => optional)

/** One health check, a pattern, or all. */
export const SOME_CHECKS: readonly Parameter[] = [
  ...ONE_CHECK,
  parameter('pattern', 'pattern', { group: 'checks', required: true }),
  choice('all', ALL_WORDS, { group: 'checks', required: true }),
]

/** The same, or nothing. */
export const ANY_CHECKS: readonly Parameter[] = SOME_CHECKS.map(({ required: _, ...optional }) => optional)

/** The filters of a list, typed as words. */
export const LISTED_CHECKS: readonly Parameter[] = [
  parameter('match', 'name', { flag: 'name', group: 'name' }),
  parameter('pattern', 'pattern', { flag: 'name', group: 'name' }),
  choice('all', ALL_WORDS, { group: 'name', usage: '' }),
  choice('status', CHECK_STATUS_WORDS, { flag: 'status', usage: 'down|up' }),
  choice('protocol', PROTOCOL_WORDS, { flag: 'protocol' }),
]

/** The same, for a list of those that are down. */
export const DOWN_CHECKS: readonly Parameter[] = LISTED_CHECKS.filter(({ name }) => name !== 'status')

/** The words that buttons add after a verb. */
export const id = (name: string, usage: string): Parameter =>
  parameter(name, 'text', { usage, required: true })
