import { choice, type Slot, slot } from './slots.ts'

/** Words for the status of a health check, in lowercase. */
export const CHECK_STATUS_WORDS: Readonly<Record<string, string>> = {
  down: 'UNHEALTHY',
  unhealthy: 'UNHEALTHY',
  red: 'UNHEALTHY',
  broken: 'UNHEALTHY',
  failing: 'UNHEALTHY',
  failed: 'UNHEALTHY',
  offline: 'UNHEALTHY',
  dead: 'UNHEALTHY',
  unreachable: 'UNHEALTHY',
  unavailable: 'UNHEALTHY',
  firing: 'UNHEALTHY',
  alerting: 'UNHEALTHY',
  crashed: 'UNHEALTHY',
  bad: 'UNHEALTHY',
  up: 'HEALTHY',
  healthy: 'HEALTHY',
  green: 'HEALTHY',
  ok: 'HEALTHY',
  okay: 'HEALTHY',
  passing: 'HEALTHY',
  alive: 'HEALTHY',
  installing: 'INSTALLING',
  pending: 'INSTALLING',
}

export const PROTOCOL_WORDS = { http: 'HTTP', https: 'HTTPS', tcp: 'TCP' }
export const ALL_WORDS = { all: 'all', everything: 'all', '*': 'all' }
export const MINE_WORDS = { mine: 'mine', my: 'mine', me: 'mine' }

/** `all checks`, `all the health checks` */
const EACH = {
  followedBy:
    /^(?:of )?(?:the )?(?:health )?(?:checks|monitors|alerts|alarms|notifications|hosts|services|sites|servers)$/i,
} as const

export const ABOUT = ['about', 'for', 'of', 'on']

/** A verb that acts at once: `unmute Shop now`. */
export const NOW: Slot = choice(
  'noun',
  { now: 'now', immediately: 'now' },
  { usage: '', after: ['from', 'starting', 'right'] },
)

/** The channel in which a line is typed, for verbs that mean it anyway: `here`, `in this channel`. */
export const HERE: readonly Slot[] = [
  choice('here', { here: 'here' }, { usage: '' }),
  choice(
    'this-channel',
    { channel: 'here' },
    { usage: '', after: ['this', 'in', 'for', 'to', 'on'], needsWord: true },
  ),
]

/** One health check. `check` in the values is its name or target as typed, and `uuid` its UUID. */
export const ONE_CHECK: readonly Slot[] = [
  slot('check', 'name', { group: 'checks', after: ABOUT, required: true }),
  slot('uuid', 'uuid', { group: 'checks', required: true }),
]

/** One health check, or none. */
export const ANY_CHECK: readonly Slot[] = ONE_CHECK.map(({ required: _, ...optional }) => optional)

/** All health checks, for a verb that shows all of them anyway. */
export const ALL_CHECKS: Slot = choice('noun', ALL_WORDS, { ...EACH, group: 'checks', usage: '' })

/** One health check, a pattern, or all. */
export const SOME_CHECKS: readonly Slot[] = [
  ...ONE_CHECK,
  slot('pattern', 'pattern', { group: 'checks', required: true, after: ABOUT }),
  choice('all', ALL_WORDS, { ...EACH, group: 'checks', required: true }),
]

/** The same, or nothing. */
export const ANY_CHECKS: readonly Slot[] = SOME_CHECKS.map(({ required: _, ...optional }) => optional)

/** One health check, a pattern, or all. The pattern is the value of `--name`. */
export const CHECK_OR_PATTERN: readonly Slot[] = [
  ...ONE_CHECK,
  slot('pattern', 'pattern', { group: 'checks', required: true, flag: 'name' }),
  choice('all', ALL_WORDS, { ...EACH, group: 'checks', required: true }),
]

/** The filters of a list, typed as words. */
export const LISTED_CHECKS: readonly Slot[] = [
  slot('match', 'name', {
    flag: 'name',
    group: 'name',
    after: ['named', 'called', 'for', 'of', 'with', 'and', 'or', 'the', 'our', 'name', 'containing', 'like'],
  }),
  slot('pattern', 'pattern', { flag: 'name', group: 'name' }),
  choice('status', CHECK_STATUS_WORDS, {
    flag: 'status',
    usage: 'down|up',
    after: ['status', 'state', 'is', 'are', 'that', 'which', 'currently', 'still', 'with'],
  }),
  choice('protocol', PROTOCOL_WORDS, { flag: 'protocol', after: ['protocol', 'type', 'over', 'via'] }),
  choice('all', ALL_WORDS, { ...EACH, usage: '', group: 'name' }),
  // `list down checks`: every list is one of checks.
  choice(
    'noun',
    { checks: 'checks', monitors: 'checks', ones: 'checks', only: 'only', now: 'now', currently: 'now' },
    { usage: '', after: ['health'], many: true },
  ),
]

/** The words that buttons add after a verb. */
export const id = (name: string, usage: string): Slot => slot(name, 'text', { usage, required: true })
