import { foldName } from './typed-text/fold-name.ts'

/** The pattern of a typed name: one without a `*` stands for every name that contains it. */
export const toPattern = (name: string): string => (name.includes('*') ? name : `*${name}*`)

/** Matches a whole text, folded as in `foldName`, against a pattern where `*` matches anything. Runs in linear time. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const matches = foldedMatcher(pattern)
  return (text) => matches(foldName(text))
}

/** The same for a text that is folded already, because many patterns are tried. */
export function foldedMatcher(pattern: string): (folded: string) => boolean {
  const [first = '', ...rest] = foldName(pattern).split('*')
  const last = rest.pop()
  if (last === undefined) return (value) => value === first
  return (value) => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last))
      return false
    const end = value.length - last.length
    let position = first.length
    for (const part of rest) {
      const found = value.indexOf(part, position)
      if (found === -1 || found + part.length > end) return false
      position = found + part.length
    }
    return true
  }
}
