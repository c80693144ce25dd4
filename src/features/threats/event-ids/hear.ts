import type { Hearing } from '../../../bot/routes/routes.ts'
import { wordsOf } from '../../../bot/typed/command-line.ts'
import { findIds } from './ids.ts'
import { idsOfMessage, idsOfText } from './message-ids.ts'

/** A link with a label: `<https://portal.example.com/e/…|the event>`. */
const LABELLED = /<(https?:[^<>|]{1,4000})\|([^<>]{0,1000})>/g

/** Verbs on one event: in a thread without an id they are about the event in its first message. */
const ON_ONE = new Set(['details', 'whois', 'dns', 'comments', 'website', 'copy', 'case'])

const isHolding = (text: string): boolean => findIds([text]).ids.length > 0

/** Finds the threat events that a message means: ids in labelled links, alone, after a name, or in the message above. */
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
    return async (root) => `${typed} ${(await idsOfMessage(root)).join(' ')}`.trim()
  },
}
