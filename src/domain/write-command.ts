import { cmd } from './command-names.ts'
import type { Environment } from './environment.ts'
import { quoted, quotedName } from './quoting.ts'

/** What follows a verb. */
export interface CommandParts {
  /** The name of something. Always quoted, because a bare one such as `down` or `2h` would be read as a status or a duration. */
  readonly name?: string | undefined
  /** IDs, numbers, addresses, and placeholders such as NAME. Quoted where they need it. */
  readonly words?: readonly (string | number)[]
  /** `true` for a switch. Left out if undefined. */
  readonly flags?: Readonly<Record<string, string | number | true | undefined>>
  readonly environment?: Environment | undefined
}

/** Writes a line that a button carries. The strict reader reads each part as it was given. */
export const writeCommand = (
  verb: string,
  { name, words = [], flags = {}, environment }: CommandParts = {},
): string =>
  [
    verb,
    ...(name === undefined ? [] : [quotedName(name)]),
    ...words.map((word) => quoted(String(word))),
    ...(environment === undefined ? [] : ['--env', environment]),
    ...Object.entries(flags).flatMap(([flag, value]) => {
      if (value === undefined) return []
      return value === true ? [`--${flag}`] : [`--${flag}`, quoted(String(value))]
    }),
  ].join(' ')

/**
 * Writes a line for people to type, with this deployment's prefix. Names the environment only if the line would mean another one where it's
 * typed, which is production unless the channel was switched: nobody reads of OTE who doesn't use it.
 */
export const tellCommand = (
  verb: string,
  { environment, ...parts }: CommandParts = {},
  typedIn: Environment = 'production',
): string =>
  cmd(writeCommand(verb, { ...parts, environment: environment === typedIn ? undefined : environment }))
