import type { Hearing } from '../../../bot/routes/routes.ts'
import { wordsOf } from '../../../bot/typed/command-line.ts'
import { findIds } from './ids.ts'
import { idsOfMessage, idsOfText } from './message-ids.ts'

/** A link with a label of somebody's own: `<https://portal.example.com/e/…|the event>`. */
const LABELLED = /<(https?:[^<>|]{1,4000})\|([^<>]{0,1000})>/g

/** The verbs on one event, which in a thread may be about the event that its first message names. */
const ON_ONE = new Set(['details', 'whois', 'dns', 'comments', 'website', 'copy', 'case'])

const isHolding = (text: string): boolean => findIds([text]).ids.length > 0

/** Threat events as people write of them: ids in links with labels, alone, behind a name, or in the message above. */
export const THREAT_HEARING: Hearing = {
  command: 'threat',
  typed: (said) => said.replace(LABELLED, (link, address: string) => (isHolding(address) ? address : link)),
  textFor(said) {
    const ids = [...new Set(idsOfText(said))]
    return ids.length > 0 ? ids.join(' ') : undefined
  },
  inThread(typed) {
    const words = wordsOf(typed).map(({ text }) => text)
    const [first = ''] = words
    const isOpen = first === '' || first.startsWith('-') || ON_ONE.has(first.toLowerCase())
    if (!isOpen || findIds(words).ids.length > 0) return undefined
    return (root) => `${typed} ${idsOfMessage(root).join(' ')}`.trim()
  },
}
