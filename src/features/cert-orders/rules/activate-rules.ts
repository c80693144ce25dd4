import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { saveOver, versionOf } from '../../../bot/windows/window-states.ts'
import type { OrderRepository } from '../order.ts'
import { ORDER_POLICY, type OrderPolicy, RULES_DRAFT } from '../policy.ts'
import { activatedView, trialView } from '../views/rules.ts'
import { hashOfRules, parseRules } from './rules.ts'
import { tryRules } from './try-rules.ts'

export interface ActivateRulesParts {
  settings: Settings
  orders: Pick<OrderRepository, 'listing' | 'time'>
}

/** Keeps the rules without letting them hold, and shows what they would have made of past orders. */
export async function offerRules(
  { settings, orders }: ActivateRulesParts,
  context: CommandContext,
  text: string,
  lead: string,
): Promise<Message> {
  const { workspaceId } = context
  const ruleSet = hashOfRules(text)
  const draft = {
    verb: '/cert-order policy',
    object: 'rules on content, not in force',
    after: { ruleSet },
    isRepeatable: true,
  }
  await context.change(draft, () => settings.set(workspaceId, RULES_DRAFT, text))
  const { rules } = parseRules(text)
  const policy = await settings.get(workspaceId, ORDER_POLICY)
  const { direct, approvals } = policy
  const trial = await tryRules(orders, workspaceId, rules, approvals)
  return trialView(trial, { ruleSet, version: versionOf(policy), lead, rules, direct })
}

/** Lets the rules of this hash hold, if they are still the ones that were tried last, and all else is as it was then. */
export async function activateRules(
  { settings }: ActivateRulesParts,
  context: CommandContext,
  ruleSet = '',
  version = '',
): Promise<Message> {
  const { workspaceId } = context
  const text = await context.keep('draft', () => settings.get(workspaceId, RULES_DRAFT))
  if (hashOfRules(text) !== ruleSet)
    throw new UserError('These are not the rules that were tried last: open /cert-order policy again.')
  const before = await context.keep('policy', () => settings.get(workspaceId, ORDER_POLICY))
  if (versionOf(before) !== version) throw new UserError(CHANGED)
  const { rules: _, ...rest } = before
  const policy: OrderPolicy = { ...rest, ...(text.trim() !== '' && { rules: text }) }
  const what = { verb: '/cert-order hold', object: 'rules on content' }
  await savePolicy(settings, context, what, before, policy)
  return activatedView(text, ruleSet)
}

const CHANGED =
  'Somebody has saved the policy for orders since these rules were tried: open /cert-order policy again.'

/** Saves it as one step of the act. Throws UserError where somebody has saved another policy meanwhile. */
export const savePolicy = (
  settings: Settings,
  { decide }: CommandContext,
  what: { verb: string; object: string },
  before: OrderPolicy,
  wanted: OrderPolicy,
): Promise<void> =>
  decide({ ...what, before: withHash(before), after: withHash(wanted) }, (decisions) =>
    saveOver(settings, decisions, ORDER_POLICY, { before, wanted, changed: CHANGED }),
  )

/** A policy as the audit log keeps it: its rules by their hash too, so that whoever reads a decision finds them. */
const withHash = (policy: OrderPolicy): object => ({
  ...policy,
  ...(policy.rules !== undefined && { ruleSet: hashOfRules(policy.rules) }),
})
