import { type FlagSpecs, flagType, typedFlags } from './flags.ts'
import { type Parameter, placeholder } from './parameters.ts'

/** Flags of every verb that reads. Whoever doesn't use OTE isn't shown that there is one. */
const COMMON_FLAGS = ['env', 'share']

/**
 * Writes what can be typed after a verb: `NAME|UUID|NAME* 2h|until TIME`. Parameters of a group are alternatives. A flag that sets the
 * same value as a parameter is left out; the help lists it.
 */
export function writeUsage({
  parameters = [],
  flags = {},
}: {
  parameters?: readonly Parameter[]
  flags?: FlagSpecs
}): string {
  const covered = new Set(parameters.flatMap(({ flag }) => (flag === undefined ? [] : [flag])))
  const isText = ({ isProse }: Parameter): boolean => isProse === true
  const writeGroups = (each: readonly Parameter[]): string[] =>
    [...Map.groupBy(each, ({ group, name }) => group ?? name).values()].map(writeGroup)
  return [
    ...writeGroups(parameters.filter((each) => !isText(each))),
    ...typedFlags(flags)
      .filter(([flag]) => !covered.has(flag) && !COMMON_FLAGS.includes(flag))
      .map(([flag, spec]) => {
        const value = flagType(spec) === 'switch' ? '' : ` ${spec.valueName || flag.charAt(0).toUpperCase()}`
        return `[--${flag}${value}]`
      }),
    // Everything behind it is part of the text.
    ...writeGroups(parameters.filter(isText)),
  ]
    .filter(Boolean)
    .join(' ')
}

/** A parameter with an empty usage is only for buttons, or is another way to say one that is shown. */
function writeGroup(parameters: readonly Parameter[]): string {
  const shown = parameters.filter(({ usage }) => usage !== '')
  const text = [
    ...new Set(shown.map((parameter) => `${placeholder(parameter)}${parameter.many ? '…' : ''}`)),
  ].join('|')
  if (text === '') return ''
  return parameters.some(({ required }) => required) ? text : `[${text}]`
}
