import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'

/** An alternative name with what is easily overlooked about it: `DNS *.example.com (wildcard)`. */
export function flaggedName(name: string): string {
  const flags = flagsOf(name)
  return flags.length > 0 ? `${name} (${flags.join(', ')})` : name
}

function flagsOf(name: string): string[] {
  const [, kind = '', value = ''] = /^(\S+) (.*)$/s.exec(name) ?? []
  if (kind === 'IP') return ['address']
  if (kind !== 'DNS') return []
  return [
    ...(value.includes('*') ? ['wildcard'] : []),
    ...(isIP(value) ? ['an address, not a name'] : []),
    ...punycode(value),
  ]
}

/** What browsers show of an international name: letters of other scripts look like Latin ones. */
function punycode(value: string): string[] {
  if (!/(?:^|\.)xn--/i.test(value)) return []
  const shown = domainToUnicode(value.replace(/^\*\./, ''))
  // What does not decode is given back as it is.
  return [shown && !/(?:^|\.)xn--/i.test(shown) ? `punycode for ${shown}` : 'punycode that cannot be read']
}
