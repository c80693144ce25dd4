import { card, clip, commandButton, context, copyable, type Message, oneLine } from '@signalman/slack'
import { lineBlocks } from '../../../bot/views/list-page.ts'
import { counted } from '../../../domain/wording.ts'
import type { OrderRule } from '../rules/rules.ts'
import { TRIED_DAYS, type Trial } from '../rules/try-rules.ts'
import { unopenedWords } from './list.ts'

const RULE = 200
const MOST_BLOCKS = 3

/** What rules would have made of past orders, with the button that lets them hold. */
export function trialView(
  trial: Trial,
  given: { ruleSet: string; version: string; lead: string; rules: readonly OrderRule[]; direct: boolean },
): Message {
  const { ruleSet, version, lead, rules, direct } = given
  const { total, isCut, byRule, rest, unopened } = trial
  const title = 'These rules are not in force yet.'
  const about = `Tried on ${isCut ? 'the newest ' : ''}${counted(total, 'order')} of the last ${TRIED_DAYS} days: ${byRule.length === 0 ? 'no rule is about any of them' : `${total - rest} would have been decided by a rule, ${rest} by the policy`}.${unopened > 0 ? ` ${unopenedWords(unopened)} and were not tried.` : ''}`
  const lines = byRule.map(({ rule, count, numbers }) => {
    const more = count > numbers.length ? ' and others' : ''
    return `Line ${rule.line}, ${clip(oneLine(rule.text), RULE)}: ${count} (order ${numbers.join(', ')}${more})`
  })
  const unused = rules.length - byRule.length
  const four = !direct && rules.some(({ verdict }) => verdict.kind === 'approve') ? [FOUR_EYES] : []
  const notes = [...(unused > 0 ? [`${unused} of the rules would have decided nothing.`] : []), ...four]
  const { blocks, left } = lineBlocks(lines, MOST_BLOCKS)
  return card({
    answer: title,
    notes: [lead, about, ...notes],
    body: [blocks, left > 0 ? [context(`${counted(left, 'more rule')} would have decided some.`)] : []],
    controls: [
      commandButton('Activate rules', `/cert-order hold ${ruleSet} ${version}`),
      commandButton('Edit rules', '/cert-order policy'),
    ],
  })
}

const FOUR_EYES =
  'Nobody approves their own order here (four eyes), so an order that a rule approves at once still needs one approval from somebody else.'

export const activatedView = (text: string, ruleSet: string): Message =>
  card(
    text.trim() === ''
      ? {
          answer: 'There are no rules on content any more.',
          notes: ['The policy alone decides: /cert-order policy.'],
        }
      : {
          answer: 'The new rules are in force.',
          notes: [
            `They also hold for orders that are waiting. In the audit log they are ${ruleSet.slice(0, 12)}.`,
          ],
        },
  )

/** The rules in force, to be copied into a file. */
export function rulesView(text: string | undefined, ruleSet: string): Message {
  if (!text)
    return card({
      answer: 'There are no rules on content.',
      notes: ['The policy alone decides: /cert-order policy.'],
    })
  const chunks = text.match(/[\s\S]{1,2800}(?:\n|$)|[\s\S]{1,2800}/g) ?? []
  return card({
    answer: 'Rules on content',
    notes: [
      `The first rule that matches an order decides. In the audit log this set is ${ruleSet.slice(0, 12)}.`,
    ],
    body: [
      chunks.slice(0, MOST_BLOCKS + 1).map((chunk) => copyable(chunk)),
      chunks.length > MOST_BLOCKS + 1 ? [context('The rest does not fit into a message.')] : [],
    ],
    controls: [commandButton('Edit rules', '/cert-order policy')],
  })
}
