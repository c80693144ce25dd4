import {
  actions,
  clip,
  commandButton,
  context,
  copyable,
  header,
  literal,
  type Message,
  message,
  oneLine,
  section,
} from '@signalman/slack'
import type { OrderRule } from '../rules/rules.ts'
import { TRIED_DAYS, type Trial } from '../rules/try-rules.ts'
import { unopenedWords } from './list.ts'
import { lineBlocks } from './request.ts'

const RULE = 200
const MOST_BLOCKS = 3

/** What rules would have made of past orders, with the button that lets them hold. */
export function trialView(
  trial: Trial,
  given: { ruleSet: string; version: string; lead: string; rules: readonly OrderRule[]; direct: boolean },
): Message {
  const { ruleSet, version, lead, rules, direct } = given
  const { total, isCut, byRule, rest, unopened } = trial
  const title = 'These rules do not hold yet'
  const about = `Tried on the ${isCut ? 'newest ' : ''}${total} orders of the last ${TRIED_DAYS} days: ${byRule.length === 0 ? 'no rule is about any of them' : `${total - rest} would have been decided by a rule, ${rest} by the policy`}.${unopened > 0 ? ` ${unopenedWords(unopened)} and were not tried.` : ''}`
  const lines = byRule.map(({ rule, count, numbers }) => {
    const more = count > numbers.length ? ' and others' : ''
    return `Line ${rule.line}, ${clip(oneLine(rule.text), RULE)}: ${count} (order ${numbers.join(', ')}${more})`
  })
  const unused = rules.length - byRule.length
  const four = !direct && rules.some(({ verdict }) => verdict.kind === 'approve') ? [FOUR_EYES] : []
  const notes = [...(unused > 0 ? [`${unused} of the rules would have decided nothing.`] : []), ...four]
  const { blocks, left } = lineBlocks(lines, MOST_BLOCKS)
  return message(
    literal([lead, title, about, ...lines, ...notes].join('\n')),
    section(lead),
    header(title),
    section(about),
    blocks,
    left > 0 ? [context(`${left} more rules would have decided some.`)] : [],
    notes.map((note) => section(note)),
    actions(
      commandButton('Let them hold', `/cert-order hold ${ruleSet} ${version}`, { style: 'primary' }),
      commandButton('Change them', '/cert-order policy'),
    ),
  )
}

const FOUR_EYES =
  'Four eyes are wanted here, so what a rule approves at once still needs one approval by somebody else than the requester.'

export function activatedView(text: string, ruleSet: string): Message {
  const words =
    text.trim() === ''
      ? 'There are no rules on content any more: the policy alone decides.'
      : `These rules hold now, for orders that wait too. In the audit log they are ${ruleSet.slice(0, 12)}.`
  return message(literal(words), section(words))
}

/** The rules that hold, to be copied into a file. */
export function rulesView(text: string | undefined, ruleSet: string): Message {
  const title = 'Rules on content'
  if (!text)
    return message(
      `${title}: there are none.`,
      header(title),
      section('There are none: the policy alone decides.'),
    )
  const chunks = text.match(/[\s\S]{1,2800}(?:\n|$)|[\s\S]{1,2800}/g) ?? []
  const about = `The first rule that matches an order decides. In the audit log this set is ${ruleSet.slice(0, 12)}.`
  return message(
    literal(`${title}. ${about}\n${text}`),
    header(title),
    section(about),
    chunks.slice(0, MOST_BLOCKS + 1).map((chunk) => copyable(chunk)),
    chunks.length > MOST_BLOCKS + 1 ? [context('The rest does not fit into a message.')] : [],
    actions(commandButton('Change', '/cert-order policy')),
  )
}
