import { newRequest } from './advice.ts'
import type { Warned } from './warnings.ts'

/** About the names that are asked for, taken together. */
export function nameWarnings({ subject, names }: Warned): string[] {
  const warnings: string[] = []
  if (names.length === 0) {
    const anew = `With them: ${newRequest({ subject, names })}`
    warnings.push(
      subject === ''
        ? `It names nobody and nothing: no subject and no alternative names. ${anew}`
        : `It has no subject alternative names (SANs), the only names that browsers look at. ${anew}`,
    )
  }
  const twice = repeated(names)
  if (twice.length > 0)
    warnings.push(
      twice.length === 1
        ? `A name stands in it more than once: ${twice[0]}.`
        : `${twice.length} names stand in it more than once, the first of them ${twice[0]}.`,
    )
  return warnings
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) {
    const key = name.toLowerCase()
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return [...twice]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
const UNSEEN = /[\u0000-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** About the subject's common name. */
export function commonNameWarnings({ subject, commonNames, names }: Warned): string[] {
  const hosts = new Set(names.map((name) => name.replace(/^\S+ /, '').toLowerCase()))
  const apart = names.length === 0 ? [] : commonNames.filter((name) => !hosts.has(name.toLowerCase()))
  return [
    ...apart
      .slice(0, 1)
      .map(
        (name) =>
          `Its common name (${name}) is not among its alternative names: browsers do not look at it, and an authority may add it.`,
      ),
    ...(commonNames.some((name) => UNSEEN.test(name))
      ? ['Its common name holds signs that nobody sees, or such as turn around the reading direction.']
      : []),
    ...(commonNames.length > 1 ? ['It has more than one common name.'] : []),
    ...(/=#[0-9a-f]+/.test(subject)
      ? ['A part of its subject is no text in its own encoding; it is shown byte by byte behind a #.']
      : []),
  ]
}
