import { createHash } from 'node:crypto'
import type { Environment } from '../../../domain/environment.ts'
import type { OrderContent } from '../order.ts'

/** What of an order the rules look at. */
export interface Ruled extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
}

/** What a rule says of the orders that it matches. */
export type Verdict =
  | { kind: 'deny'; reason: string }
  | { kind: 'approvals'; count: number }
  /** Approve at once; where four eyes are wanted, one approval by somebody else is needed all the same. */
  | { kind: 'approve' }

export interface OrderRule {
  /** The line of the text, counted from 1. */
  line: number
  text: string
  verdict: Verdict
  matches: readonly ((order: Ruled) => boolean)[]
}

/** A line that is no rule, and why. */
export interface RuleFault {
  line: number
  why: string
}

const MOST_RULES = 100
const MOST_APPROVALS = 5
const LONGEST_REASON = 300

const RULE = /^(?:deny\s+"([^"]+)"|approvals\s+(\d+)|(approve))\s+(?:if\s+(.+)|always)$/i

/** Reads rules, one a line; empty lines and those that begin with # say nothing. */
export function parseRules(text: string): { rules: OrderRule[]; faults: RuleFault[] } {
  const rules: OrderRule[] = []
  const faults: RuleFault[] = []
  for (const [at, typed] of plainOf(text).split('\n').entries()) {
    const line = typed.trim()
    if (line === '' || line.startsWith('#')) continue
    const read = ruleOf(line, at + 1)
    if ('why' in read) faults.push(read)
    else rules.push(read)
  }
  if (rules.length > MOST_RULES)
    faults.push({ line: MOST_RULES + 1, why: `at most ${MOST_RULES} rules are taken` })
  return { rules, faults }
}

/** Slack's clients make other quotation marks of those that were typed. */
const plainOf = (text: string): string => text.replace(/[“”„«»]/g, '"').replace(/\r\n?/g, '\n')

function ruleOf(text: string, line: number): OrderRule | RuleFault {
  const found = RULE.exec(text)
  if (!found) return { line, why: 'it begins with deny "REASON" if, approvals N if, or approve if' }
  const [, reason, count, , conditions] = found
  const verdict = verdictOf(reason, count)
  if (typeof verdict === 'string') return { line, why: verdict }
  const matches: ((order: Ruled) => boolean)[] = []
  for (const condition of conditions?.split(',').map((one) => one.trim()) ?? []) {
    const match = conditionOf(condition)
    if (!match) return { line, why: `“${condition.slice(0, 60)}” is no condition` }
    matches.push(match)
  }
  return { line, text, verdict, matches }
}

function verdictOf(reason: string | undefined, count: string | undefined): Verdict | string {
  if (reason !== undefined)
    return reason.length <= LONGEST_REASON
      ? { kind: 'deny', reason }
      : `a reason has at most ${LONGEST_REASON} characters`
  if (count === undefined) return { kind: 'approve' }
  const many = Number(count)
  return many >= 1 && many <= MOST_APPROVALS
    ? { kind: 'approvals', count: many }
    : `approvals are from 1 to ${MOST_APPROVALS}`
}

type Condition = (value: string) => ((order: Ruled) => boolean) | undefined

const WORD = /^(not\s+)?([a-z]+(?:\s+(?:name|names)\s+under|\s+under)?)(?:\s+(.+))?$/i

/** What can be asked of an order; a value may be one of several, with `or` between them. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  action: oneOf(({ request }) => [request.action]),
  product: oneOf(({ request, names }) => [request.productId, names.product]),
  organization: oneOf(({ request, names }) => [request.organizationId, names.organization]),
  duration: oneOf(({ request }) => [request.duration]),
  environment: oneOf(({ environment }) => [environment]),
  key: (value) => {
    const kinds = alternatives(value)
    return ({ csr }) => kinds.some((kind) => csr.key.toLowerCase().startsWith(kind))
  },
  'names under': (value) => {
    const suffixes = alternatives(value)
    return ({ csr }) => csr.names.length > 0 && csr.names.every((name) => isUnder(name, suffixes))
  },
  'any name under': (value) => {
    const suffixes = alternatives(value)
    return ({ csr }) => csr.names.some((name) => isUnder(name, suffixes))
  },
  wildcard:
    () =>
    ({ csr }) =>
      csr.names.some((name) => name.startsWith('DNS *')),
  authority:
    () =>
    ({ csr }) =>
      (csr.extensions ?? []).some(({ value }) => value.startsWith('CA:TRUE')),
  noted:
    () =>
    ({ csr }) =>
      csr.warnings.length > 0 || (csr.look?.total ?? 0) > 0 || (csr.extensions ?? []).some(({ why }) => why),
}
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['wildcard', 'authority', 'noted'])

function conditionOf(text: string): ((order: Ruled) => boolean) | undefined {
  const [, not, typed = '', value = ''] = WORD.exec(text.trim()) ?? []
  const word = typed.toLowerCase().replace(/\s+/g, ' ')
  const make = Object.hasOwn(CONDITIONS, word) ? CONDITIONS[word] : undefined
  if (!make || (value === '') !== WITHOUT_VALUE.has(word)) return undefined
  const match = make(value)
  return not && match ? (order) => !match(order) : match
}

const alternatives = (value: string): string[] =>
  value
    .split(/\sor\s/i)
    .map((one) =>
      one
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    )
    .filter(Boolean)

function oneOf(read: (order: Ruled) => (string | undefined)[]): Condition {
  return (value) => {
    const wanted = alternatives(value)
    return (order) => read(order).some((one) => one !== undefined && wanted.includes(one.toLowerCase()))
  }
}

/** `shop.bank.com` and `bank.com` are under `bank.com`; `evilbank.com` is not. Anything but a host is under nothing. */
function isUnder(name: string, suffixes: readonly string[]): boolean {
  if (!name.startsWith('DNS ')) return false
  const host = name.slice(4).toLowerCase().replace(/\.$/, '')
  return suffixes.some((typed) => {
    const suffix = typed.replace(/^\*?\./, '')
    return host === suffix || host.endsWith(`.${suffix}`)
  })
}

/** The first rule that matches. */
export const decidingRule = (rules: readonly OrderRule[], order: Ruled): OrderRule | undefined =>
  rules.find(({ matches }) => matches.every((match) => match(order)))

/** Names one set of rules in the audit log, to the letter. */
export const hashOfRules = (text: string): string => createHash('sha256').update(text).digest('base64url')
