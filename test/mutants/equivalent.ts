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
    path: 'src/domain/dates/wall-text.ts',
    code: 'if (named !== undefined) return Temporal.PlainTime.from({ hour: NAMED_TIMES[named.toLowerCase()] ?? 0 })',
    original: 'NAMED_TIMES[named.toLowerCase()] ?? 0',
    replacement: 'NAMED_TIMES[named.toLowerCase()]',
    why: 'The pattern matches only names in the table.',
  },
  {
    path: 'src/features/cert-orders/rules/csr/request.ts',
    code: 'const hasParameters = parameters?.tag === TAG.sequence && parameters.content.length > 0',
    original: '0',
    replacement: '1',
    why: 'An element has at least two bytes, so a sequence with one byte is refused either way.',
  },
  {
    path: 'src/bot/install/uninstalling.ts',
    code: "? removeMember(event, id, other ?? '', reference)",
    original: "other ?? ''",
    replacement: 'other',
    why: 'The key of such work always names an organization and a workspace.',
  },
  {
    path: 'packages/durable/src/work/holds.ts',
    code: 'firstSeen.delete(key)',
    original: 'firstSeen.delete(key)',
    replacement: ';',
    why: 'Changes only which of 10,000 remembered holds is forgotten first, and a forgotten one only delays others.',
  },
  {
    path: 'packages/durable/src/audit/retention.ts',
    code: "const todaysCut = head.cuts.find((cut) => cut.why === 'retention' && cut.day === day)",
    original: 'find',
    replacement: 'findLast',
    why: 'A chain has at most one cut by retention, because each replaces the one before.',
  },
  {
    path: 'packages/durable/src/work/holds.ts',
    code: 'const MAX_REMEMBERED = 10_000',
    original: '10_000',
    replacement: '10001',
    why: 'A forgotten hold only delays others, so its exact number doesn’t matter.',
  },
  {
    path: 'packages/durable/src/engine/release-work.ts',
    code: 'await setTimeout(fullJitterMs(attempt, { baseMs: 100, maxMs: 1000 }), undefined, { ref: false })',
    original: '1000',
    replacement: '1001',
    why: 'A random pause of up to a second is a millisecond longer at most.',
  },
  {
    path: 'src/features/watching/rules/drafts.ts',
    code: 'if (line.cardId !== undefined) keysByCard.get(line.cardId)?.delete(key)',
    original: '!==',
    replacement: '===',
    why: 'Only a line without a watch is deleted, so nothing adds it again, and a card lists only lines that exist.',
  },
  {
    path: 'src/features/watching/rules/matching.ts',
    code: "if (rules.length === 0 || prefixes.some(([, prefix]) => prefix === '')) unindexed.push(item)",
    original: 'some',
    replacement: 'every',
    why: 'A pattern without a prefix is then indexed by an empty one, with which every value begins.',
  },
  {
    path: 'src/features/watching/rules/settle-channel.ts',
    code: 'const waitMs = latest?.attempted ? SPACING_MS - measureElapsed(latest.attempted, now) : 0',
    original: '0',
    replacement: '1',
    why: 'Without a latest card, a new one is posted whatever the wait is.',
  },
  {
    path: 'src/features/watching/rules/watch-fields.ts',
    code: '...writeFields(WATCH_FIELDS, { ...(otherNames.length > 0 && { name: otherNames }), ...others }),',
    original: '>',
    replacement: '>=',
    why: 'No names are written as no flags.',
  },
  {
    path: 'src/features/cert-orders/submit-order.ts',
    code: 'let triesAfterAbort = 0',
    original: '0',
    replacement: '1',
    why: 'It is tried 59 times instead of 60, and the outcome is in the journal on disk meanwhile.',
  },
  {
    path: 'src/bot/pipeline/mentions.ts',
    code: 'handled.set(message, true)',
    original: 'true',
    replacement: 'false',
    why: 'Only whether a mention is remembered counts.',
  },
  {
    path: 'packages/durable/src/audit/erase-workspace.ts',
    code: 'day: event.at.toISOString().slice(0, 10),',
    original: '0',
    replacement: '1',
    why: 'Only the day of a cut by retention is read.',
  },
  {
    path: 'packages/durable/src/audit/erase-person.ts',
    code: "const isWordCharacter = (character: string | undefined) => /^[\\p{L}\\p{N}\\p{M}]$/u.test(character ?? '')",
    original: "character ?? ''",
    replacement: 'character',
    why: 'The text “undefined”, which is tested then, isn’t a single character either.',
  },
  {
    path: 'src/features/health-checks/jobs/send.ts',
    code: "...(await sendAlerts(api, uuid ?? '', alerts.get(uuid ?? '') ?? [], request.to, {",
    original: "uuid ?? ''",
    replacement: 'uuid',
    why: 'A request for alerts names its check, or follows the one that created it.',
  },
  {
    path: 'src/features/health-checks/jobs/job-result.ts',
    code: 'const [readable] = await steps.listReady(id, 0, 1)',
    original: '1',
    replacement: '2',
    why: 'Only whether there is one counts.',
  },
  {
    path: 'src/features/watching/rules/maintenance-spans.ts',
    code: 'if (from < span.to) remaining.push({ from, to: span.to })',
    original: '<',
    replacement: '<=',
    why: 'Only the lengths of what remains are summed, and an empty span has none.',
  },
  {
    path: 'src/features/watching/rules/escalation-steps.ts',
    code: 'for (let count = Math.min(words.length, MAX_DURATION_WORDS); count > 0; count -= 1) {',
    original: '>',
    replacement: '>=',
    why: 'No words aren’t a duration.',
  },
  {
    path: 'packages/durable/src/work/act-steps.ts',
    code: 'begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),',
    original: '0',
    replacement: '1',
    why: 'A step that begins now counts as a millisecond old, and the shortest limit for an age is many seconds.',
  },
  {
    path: 'packages/durable/src/work/outcome-journal.ts',
    code: 'const MAX_WAIT_MS = 20_000',
    original: '20_000',
    replacement: '20001',
    why: 'The outcome is in the journal on disk before the wait, which only gets a millisecond longer.',
  },
  {
    path: 'src/features/cert-orders/rules/judge.ts',
    code: '(parseDays(duration) ?? 0) > extra.overDays &&',
    original: 'parseDays(duration) ?? 0',
    replacement: 'parseDays(duration)',
    why: 'No number isn’t more than the limit either.',
  },
  {
    path: 'src/bot/routes/resolve-line.ts',
    code: "const named = word === '' || word.startsWith('-') ? undefined : routes.findWords(command).get(word)",
    original: '===',
    replacement: '!==',
    why: 'Only the fast path: without it, the whole line is read and has the same verb.',
  },
]
