import { UserError } from '@signalman/runtime'
import { hostOf, systemOf } from '../indicators/values.ts'
import { addressIn, lettersIn, registeredOf } from './forms.ts'
import { normalizedText, type Trait } from './traits.ts'

/**
 * The traits that a person may mean by these words: a domain with everything under it, an IP address, an autonomous system,
 * a brand or one word of it, a registrar, a page title. Throws UserError for a range of addresses.
 */
export function traitsMeant(words: string): Trait[] {
  if (/^[\d.:a-f]+\/\d{1,3}$/i.test(words.trim()))
    throw new UserError('/threat find looks for one address at a time, and not for a range of them.')
  const domain = domainMeant(words)
  const address = addressIn(inAddress(words))
  const system = /^\s*(?:ASN?\s?)?\d+\s*$/i.test(words) ? systemOf(words)?.value : undefined
  const name = normalizedText(words)
  const letters = lettersIn(words)
  const all: [Trait['kind'], string | undefined][] = [
    ['ip', address],
    ['under', domain],
    // For events that were read before `under` was indexed.
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

/** The registered domain that the typed one is part of, to be searched when nothing is found under the typed one. */
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
