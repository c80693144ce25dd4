import type { SectionBlock } from '@slack/types'
import { section } from '../../../blocks/layout.ts'
import type { Recipients } from '../../../domain/recipients.ts'
import { badSentence } from '../parse.ts'
import type { RecipientChange } from '../recipients.ts'
import { addressList, recipientCount } from './alerts.ts'

const NAMED = 5

/** What sending would do, before it is sent: `+2 −1`, who that is, and what in the fields is no address yet. */
export function previewBlock(
  change: Pick<RecipientChange, 'added' | 'removed'> & { total: number },
  people: number,
  { bad, repeated }: Pick<Recipients, 'bad' | 'repeated'>,
): SectionBlock {
  const { added, removed, total } = change
  const signs = signsOf(added.length, removed.length)
  const lines = [
    signs ? `${signs}: ${recipientCount(total)} then.` : `No change: ${recipientCount(total)}.`,
    added.length > 0 && `Added: ${addressList(added, NAMED)}`,
    removed.length > 0 && `Removed: ${addressList(removed, NAMED)}`,
    people > 0 && `And ${people} ${people === 1 ? 'person' : 'people'} in Slack, unless they are among them.`,
    repeated.length > 0 && `Given more than once, kept once: ${addressList(repeated, NAMED)}`,
    bad.length > 0 && badSentence(bad),
  ]
  return { ...section(lines.filter(Boolean).join('\n')), block_id: 'preview' }
}

/** `+2 −1`; empty when there is neither. */
export const signsOf = (added: number, removed: number): string =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')
