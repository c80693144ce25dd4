import { closestWord } from '../domain/mistyped-word.ts'
import { Variables } from './variables.ts'

const KNOWN_NAMES = Object.keys(Variables.shape)
/** The prefixes of our variables, such as `SLACK_`, except those that other programs use too, such as `LOG_`. */
const OWN_PREFIXES = KNOWN_NAMES.filter((name) => !/^(DATABASE|HOST|LOG|PORT)/.test(name)).map((name) =>
  name.slice(0, name.indexOf('_') + 1),
)
/** Kubernetes sets these for every Service in the namespace, and the name of a Service can be anything (such as `api`). */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT|PORT_\d+_\w+)$/
/** Shorter names, such as HOST, are close to names of other programs. */
const MIN_LETTERS = 8
const LETTERS_PER_TYPO = 4

/**
 * Reports variables that look like ours but aren't: those with one of our prefixes, and those that are close to a name of ours that
 * isn't set. Otherwise, a setting with a typo would have no effect.
 */
export const findUnknownVariables = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => !KNOWN_NAMES.includes(name) && !SERVICE_LINK.test(name))
    .toSorted()
    .flatMap((name) => {
      if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix))) return [describeUnknown(name, guess(name))]
      const meant = guessOfOther(name)
      return meant === undefined || environment[meant]?.trim() ? [] : [describeUnknown(name, meant)]
    })

const describeUnknown = (name: string, meant: string | undefined): string =>
  `${name} isn’t a known variable; ${meant ? `did you mean ${meant}?` : 'remove it, or fix its name'}`

const guess = (name: string, names = KNOWN_NAMES, options = {}): string | undefined =>
  closestWord(
    name,
    names.map((known) => known.toLowerCase()),
    options,
  )?.toUpperCase()

/** Guesses what is meant by a name that another program may use. */
function guessOfOther(name: string): string | undefined {
  const upperCased = name.toUpperCase()
  if (KNOWN_NAMES.includes(upperCased)) return upperCased
  const longNames = KNOWN_NAMES.filter(({ length }) => length >= MIN_LETTERS)
  return guess(name, longNames, { lettersPerTypo: LETTERS_PER_TYPO })
}
