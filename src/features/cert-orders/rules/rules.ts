import { createHash } from 'node:crypto'
import type { Order } from '../order.ts'
import { MOST_APPROVALS, type OrderPolicy } from '../policy.ts'
import { type Answer, type Condition, conditionOf, type Ruled } from './conditions.ts'

/** What a rule says of the orders that it matches. */
type Verdict =
  | { kind: 'deny'; reason: string }
  | { kind: 'approvals'; count: number }
  /** Approve at once; where four eyes are wanted, one approval by somebody else is needed all the same. */
  | { kind: 'approve' }

export interface OrderRule {
  /** The line of the text, counted from 1. */
  line: number
  text: string
  verdict: Verdict
  conditions: readonly Condition[]
}

/** A line that is no rule, and why. */
interface RuleFault {
  line: number
  why: string
}

const MOST_RULES = 100
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
  const [, reason, count, , typed] = found
  const verdict = verdictOf(reason, count)
  if (typeof verdict === 'string') return { line, why: verdict }
  const conditions: Condition[] = []
  for (const one of typed?.split(',').map((part) => part.trim()) ?? []) {
    const condition = conditionOf(one)
    if (!condition) return { line, why: `“${one.slice(0, 60)}” is no condition` }
    conditions.push(condition)
  }
  return { line, text, verdict, conditions }
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

/** The rule that decides, and whether it does so because nobody can tell that it does not match. */
interface Deciding {
  rule: OrderRule
  isUnsure: boolean
}

/**
 * The first rule that matches. Where it is not known whether a rule does, or it matches only some of the names, the stricter
 * one holds: this rule, or what is decided without it. `otherwise` is how many approvals are needed where no rule decides.
 */
export function decidingRule(
  rules: readonly OrderRule[],
  order: Ruled,
  otherwise: number,
): Deciding | undefined {
  let held: Deciding | undefined
  for (const rule of rules) {
    const match = matchOf(rule, order)
    if (match === 'no') continue
    const found = { rule, isUnsure: match === 'unsure' }
    // Nothing is stricter than to deny it.
    const isLast = match === 'yes' || rule.verdict.kind === 'deny'
    if (isLast) return held && isStricter(held.rule, rule) ? held : found
    if (!held || isStricter(rule, held.rule)) held = found
  }
  return held && strictness(held.rule.verdict) > otherwise ? held : undefined
}

/** Whether all conditions of a rule hold. */
function matchOf({ conditions }: OrderRule, order: Ruled): Answer {
  const answers = conditions.map((holds) => holds(order))
  return (['no', 'unsure', 'some'] as const).find((answer) => answers.includes(answer)) ?? 'yes'
}

const isStricter = (one: OrderRule, other: OrderRule): boolean =>
  strictness(one.verdict) > strictness(other.verdict)

const strictness = (verdict: Verdict): number =>
  verdict.kind === 'deny' ? Number.POSITIVE_INFINITY : verdict.kind === 'approvals' ? verdict.count : 0

/** Names one set of rules in the audit log, to the letter. */
export const hashOfRules = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The policy as it is for one order. */
export interface PolicyFor extends OrderPolicy {
  /** What its content has decided, and the hash of the set of rules; absent where no rule is about it. */
  rule?: { line: number; text: string; ruleSet: string }
  /** Why it must not be ordered at all. */
  denied?: string
}

/** Parsing is the same for every order of a page. */
let last: ({ text: string; hash: string } & ReturnType<typeof parseRules>) | undefined

function rulesIn(text: string) {
  if (last?.text !== text) last = { text, ...parseRules(text), hash: hashOfRules(text) }
  return last
}

/**
 * What the rules on content make of the policy for this order. Approvals 0 is approval by the rule alone; where four eyes are
 * wanted it is never less than one, which somebody else gives. Rules of which a line cannot be read let nothing through.
 */
export function policyFor(policy: OrderPolicy, order: Ruled): PolicyFor {
  if (!policy.rules) return policy
  const { rules, faults, hash } = rulesIn(policy.rules)
  const [fault] = faults
  if (fault) return { ...policy, denied: `Line ${fault.line} of the rules cannot be read: ${fault.why}.` }
  const found = decidingRule(rules, order, policy.approvals)
  if (!found) return policy
  const { verdict, line, text } = found.rule
  const rule = { line, text, ruleSet: hash }
  if (verdict.kind === 'deny')
    return { ...policy, rule, denied: `${verdict.reason}${found.isUnsure ? ` ${NOT_KNOWN}` : ''}` }
  const least = policy.direct ? 0 : 1
  return { ...policy, rule, approvals: verdict.kind === 'approvals' ? verdict.count : least }
}

const NOT_KNOWN = '(Whether the rule is about this order is not known here, so it is denied.)'

/** The part of an order that rules look at. */
export const ruledOf = ({ environment, content }: Pick<Order, 'environment' | 'content'>): Ruled => ({
  environment,
  ...content,
})
