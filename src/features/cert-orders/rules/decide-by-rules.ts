import type { Order } from '../order.ts'
import type { OrderPolicy } from '../policy.ts'
import { decidingRule, hashOfRules, type OrderRule, parseRules, type Ruled } from './rules.ts'

/** The policy as it is for one order. */
export interface PolicyFor extends OrderPolicy {
  /** What its content has decided, and the hash of the set of rules; absent where no rule is about it. */
  rule?: { line: number; text: string; ruleSet: string }
  /** Why it must not be ordered at all. */
  denied?: string
}

/** Parsing is the same for every order of a page. */
let last: { text: string; rules: readonly OrderRule[]; hash: string } | undefined

function rulesIn(text: string): { rules: readonly OrderRule[]; hash: string } {
  if (last?.text !== text) last = { text, rules: parseRules(text).rules, hash: hashOfRules(text) }
  return last
}

/**
 * What the rules on content make of the policy for this order. Approvals 0 is approval by the rule alone; where four eyes are
 * wanted it is never less than one, which somebody else gives.
 */
export function policyFor(policy: OrderPolicy, order: Ruled): PolicyFor {
  if (!policy.rules) return policy
  const { rules, hash } = rulesIn(policy.rules)
  const found = decidingRule(rules, order)
  if (!found) return policy
  const { verdict, line, text } = found
  const rule = { line, text, ruleSet: hash }
  if (verdict.kind === 'deny') return { ...policy, rule, denied: verdict.reason }
  const least = policy.direct ? 0 : 1
  return { ...policy, rule, approvals: verdict.kind === 'approvals' ? verdict.count : least }
}

/** The part of an order that rules look at. */
export const ruledOf = ({ environment, content }: Pick<Order, 'environment' | 'content'>): Ruled => ({
  environment,
  ...content,
})
