import { UserError } from '../../../errors.ts'
import { hostOf, systemOf } from '../indicators/values.ts'
import { addressIn, lettersIn, registeredOf } from './forms.ts'
import { folded, type Trait } from './traits.ts'

/**
 * What somebody may mean who looks for these words: a domain with all that is under it, an address, a system, the name of a
 * brand or a word of it, a registrar, a page. Throws UserError for a range of addresses.
 */
export function traitsMeant(words: string): Trait[] {
  if (/^[\d.:a-f]+\/\d{1,3}$/i.test(words.trim()))
    throw new UserError('/threat find looks for one address at a time, and not for a range of them.')
  const domain = domainMeant(words)
  const address = addressIn(inAddress(words))
  const system = /^\s*(?:ASN?\s?)?\d+\s*$/i.test(words) ? systemOf(words)?.value : undefined
  const name = folded(words)
  const letters = lettersIn(words)
  const all: [Trait['kind'], string | undefined][] = [
    ['ip', address],
    ['under', domain],
    // Of events that were read before there was an index of what lies under what.
    ['domain', domain],
    ['registered', domain],
    ['as', system],
    ['brand', name],
    ['registrar', name],
    ['title', name],
    ['called', letters],
    ['word', letters],
  ]
  return all.flatMap(([kind, value]) => (value === undefined ? [] : { kind, value }))
}

/** Where nothing is known under the domain itself: the registered one that it is a part of. */
export function widerMeant(words: string): { registered: string; traits: Trait[] } | undefined {
  const domain = domainMeant(words)
  const registered = domain && registeredOf(domain)
  if (!registered || registered === domain) return undefined
  return {
    registered,
    traits: [
      { kind: 'under', value: registered },
      { kind: 'registered', value: registered },
    ],
  }
}

function domainMeant(words: string): string | undefined {
  const host = hostOf(inAddress(words).replace(/^\*\./, ''))
  return host?.kind === 'domain' ? host.value : undefined
}

/** The host of a web address; other words as they are. */
function inAddress(words: string): string {
  const url = URL.parse(words)
  return /^(?:https?|ftp):$/.test(url?.protocol ?? '') ? (url?.hostname.replace(/^\[|\]$/g, '') ?? '') : words
}
