import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import type { Messaging } from '../../../bot/routes/command-context.ts'
import { parseRules } from './rules.ts'

const MOST_FAULTS = 5

/** What is wrong with a text of rules, each fault with its line; undefined when nothing is. */
export function faultWords(text: string): string | undefined {
  const { faults } = parseRules(text)
  if (faults.length === 0) return undefined
  const shown = faults.slice(0, MOST_FAULTS).map(({ line, why }) => `Line ${line}: ${why}.`)
  const left = faults.length - shown.length
  return [...shown, ...(left > 0 ? [`And ${left} more.`] : [])].join(' ')
}

/** Rules that were uploaded. Throws UserError for what is none. */
export async function rulesFile(context: Messaging, fileId: string): Promise<string> {
  const slack = await context.slack()
  const text = (await slack.download(fileId, TEXT_LIMITS.rulesBytes)).bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const fault = faultWords(text)
  if (fault)
    throw new UserError(`The file with the rules was not taken, and the rules that held still do. ${fault}`)
  return text
}
