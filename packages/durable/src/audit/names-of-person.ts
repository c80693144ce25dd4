/** Texts that Unicode makes equal are the same name: composed or not, in wide letters, in either case. */
export const sameName = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')

/** Tells whether a text holds a name as a word of its own: `Ann`, and not the end of a channel's name. */
export function holdsName(name: string): (text: string) => boolean {
  const plain = sameName(name.trim())
  const open = (sign: string | undefined) => /^[\p{L}\p{N}\p{M}]$/u.test(sign ?? '')
  const [first, last] = [[...plain][0], [...plain].at(-1)]
  const before = open(first) ? '(?<![\\p{L}\\p{N}\\p{M}])' : ''
  const after = open(last) ? '(?![\\p{L}\\p{N}\\p{M}])' : ''
  const pattern = new RegExp(`${before}${RegExp.escape(plain)}${after}`, 'u')
  return (text) => pattern.test(sameName(text))
}
