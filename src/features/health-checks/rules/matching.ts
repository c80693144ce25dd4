import { isIP } from 'node:net'

/** Whether a name matches a case-insensitive pattern, in which `*` matches anything. */
export function nameMatches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*')
  const text = name.toLowerCase()
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let position = first.length
  for (const part of others) {
    const found = text.indexOf(part, position)
    if (found < 0) return false
    position = found + part.length
  }
  return text.length - last.length >= position && text.endsWith(last)
}

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function parseHost(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}
