import { closestWord } from '../domain/mistyped-word.ts'
import { Variables } from './variables.ts'

const KNOWN_NAMES = Object.keys(Variables.shape)
/** The prefixes of our variables, such as `SLACK_`, except those that other programs use too, such as `LOG_`. */
const OWN_PREFIXES = KNOWN_NAMES.filter((name) => !/^(DATABASE|HOST|LOG|PORT)/.test(name)).map((name) =>
  name.slice(0, name.indexOf('_') + 1),
)
/** Kubernetes sets these for every Service in the namespace, and the name of a Service can be anything (such as `api`). */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT|PORT_\d+_\w+)$/
/** Shorter names are close to those of other programs: API_TOKEN and APP_TOKEN. */
const LETTERS_PER_TYPO = 10

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
      const meant = guess(name, LETTERS_PER_TYPO)
      return meant === undefined || environment[meant]?.trim() ? [] : [describeUnknown(name, meant)]
    })

const describeUnknown = (name: string, meant: string | undefined): string =>
  `${name} isn’t a known variable; ${meant ? `did you mean ${meant}?` : 'remove it, or fix its name'}`

const LOWER_CASED = KNOWN_NAMES.map((name) => name.toLowerCase())

const guess = (name: string, lettersPerTypo = 1): string | undefined =>
  closestWord(name, LOWER_CASED, { lettersPerTypo })?.toUpperCase()
