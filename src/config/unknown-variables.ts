import { closestWord } from '../domain/mistyped-word.ts'
import { FILE_VARIABLES } from './secret-files.ts'
import { Variables } from './variables.ts'

const KNOWN_NAMES = [...Object.keys(Variables.shape), ...FILE_VARIABLES]
const LOWER_CASED = KNOWN_NAMES.map((name) => name.toLowerCase())
/** The first words of our variables, such as `SLACK_`, except those of many programs, such as `LOG_`. */
const OWN_PREFIXES = KNOWN_NAMES.filter((name) => !/^(DATABASE|HOST|LOG|PORT)/.test(name)).map((name) =>
  name.slice(0, name.indexOf('_') + 1),
)
/** Without a prefix of ours, shorter names are close to those of other programs: API_TOKEN and APP_TOKEN. */
const LETTERS_PER_TYPO = { own: 7, other: 10 }

/**
 * Reports variables that are close to one of ours that isn't set, because a setting with a typo would have no effect. Other names may
 * begin like ours: other programs have variables, too.
 */
export const findUnknownVariables = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => !KNOWN_NAMES.includes(name))
    .toSorted()
    .flatMap((name) => {
      const kind = OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) ? 'own' : 'other'
      const closest = closestWord(name, LOWER_CASED, { lettersPerTypo: LETTERS_PER_TYPO[kind] })
      const meant = closest?.toUpperCase()
      return meant === undefined || environment[meant]?.trim()
        ? []
        : [`${name} isn’t a known variable; did you mean ${meant}?`]
    })
