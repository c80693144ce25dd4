import { clip, oneLine } from '../../blocks/text.ts'
import type { Recipients } from '../../domain/recipients.ts'

const NAMED = 8

/** One sentence for all bad addresses, the first eight by name; to stand at the field. */
export function badSentence(bad: Recipients['bad']): string {
  const named = bad.slice(0, NAMED).map(({ typed, reason }) => `“${clip(oneLine(typed), 60)}” ${reason}`)
  const more = bad.length - named.length
  const list = [...named, ...(more > 0 ? [`and ${more} more are no addresses`] : [])].join('; ')
  return `${list}. An address looks like name@example.com.`
}
