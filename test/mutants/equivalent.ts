/** A mutant that no test can notice, because it doesn't change what the code does. */
export interface EquivalentMutant {
  path: string
  /** Its line of code, without the space around it. */
  code: string
  original: string
  replacement: string
  why: string
}

export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = [
  {
    path: 'src/features/watching/rules/watch-fields.ts',
    code: '...writeFields(WATCH_FIELDS, { ...(otherNames.length > 0 && { name: otherNames }), ...others }),',
    original: '>',
    replacement: '>=',
    why: 'No names are written as no flags.',
  },
  {
    path: 'packages/durable/src/work/steps.ts',
    code: 'begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),',
    original: '0',
    replacement: '1',
    why: 'A step that begins now counts as a millisecond old, and the shortest limit for an age is many seconds.',
  },
  {
    path: 'src/features/watching/rules/channel/pages.ts',
    code: ').map((group) => ({ group, dueMs: Math.min(...group.flatMap(({ dueMs }) => dueMs ?? [])) }))',
    original: 'dueMs ?? []',
    replacement: 'dueMs',
    why: 'What isn’t due by itself was left out before.',
  },
  {
    path: 'packages/durable/src/work/claims.ts',
    code: 'const MAX_LOCK_RETRY_MS = 800',
    original: '800',
    replacement: '801',
    why: 'The longest pause of somebody who waits for a lock is a millisecond longer.',
  },
  {
    path: 'packages/durable/src/work/claims.ts',
    code: 'const FRESH_SHARE = 25',
    original: '25',
    replacement: '26',
    why: 'A lock is renewed after slightly less time.',
  },
  {
    path: 'packages/durable/src/work/claims.ts',
    code: 'await wait(pauseMs, undefined, { signal })',
    original: 'await wait(pauseMs, undefined, { signal })',
    replacement: ';',
    why: 'Whoever waits for a lock tries again at once, which costs only queries.',
  },
  {
    path: 'packages/durable/src/secrets/keys-of-database.ts',
    code: "if (await transaction.selectFrom('key_check').select('key_id').limit(1).executeTakeFirst())",
    original: '1',
    replacement: '2',
    why: 'Only whether there is a row counts.',
  },
  {
    path: 'packages/playground/src/api/call.ts',
    code: 'const missing = needed.find((scopes) => !scopes.some((scope) => install.scopes.includes(scope)))',
    original: 'find',
    replacement: 'findLast',
    why: 'Slack names one missing scope, and doesn’t document which.',
  },
  {
    path: 'src/features/access/commands.ts',
    code: "parameter('person', 'person', { group: 'who', required: true, usage: '@person|@group' }),",
    original: 'true',
    replacement: 'false',
    why: 'A group is required if one of its parameters is.',
  },
]
