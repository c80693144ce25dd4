import { type FlagSpecs, flagType, typedFlags } from './flags.ts'
import { placeholder, type Slot } from './slots.ts'

/**
 * Writes what can be typed after a verb: `NAME|UUID|NAME* 2h|until TIME`. Slots of a group are alternatives. A flag that sets the
 * same value as a slot is left out; the help lists it.
 */
export function writeUsage({
  slots = [],
  flags = {},
}: {
  slots?: readonly Slot[]
  flags?: FlagSpecs
}): string {
  const covered = new Set(slots.flatMap(({ flag }) => (flag === undefined ? [] : [flag])))
  const groups = Map.groupBy(slots, (slot) => slot.group ?? slot.name)
  return [
    ...[...groups.values()].map(writeGroup),
    ...typedFlags(flags)
      .filter(([flag]) => !covered.has(flag))
      .map(([flag, spec]) => {
        const value = flagType(spec) === 'switch' ? '' : ` ${spec.valueName || flag.charAt(0).toUpperCase()}`
        return `[--${flag}${value}]`
      }),
  ]
    .filter(Boolean)
    .join(' ')
}

/** A slot with an empty usage is only for buttons, or is another way to say one that is shown. */
function writeGroup(slots: readonly Slot[]): string {
  const shown = slots.filter(({ usage }) => usage !== '')
  const text = [...new Set(shown.map((slot) => `${placeholder(slot)}${slot.many ? '…' : ''}`))].join('|')
  if (text === '') return ''
  return slots.some(({ required }) => required) ? text : `[${text}]`
}
