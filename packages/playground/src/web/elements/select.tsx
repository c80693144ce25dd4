import { useDirectory } from '../directory.ts'
import { Each } from '../each.ts'
import { asText } from '../values.ts'
import { offered, type Pick } from './select-options.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

function Options({ picks }: { picks: readonly Pick[] }) {
  return picks.map(({ value, label, detail }) => (
    <option key={value} value={value} title={detail}>
      {label}
    </option>
  ))
}

/** A select of one thing out of a known list: the browser's own, so that every keyboard and reader knows it. */
export function SelectElement({ slot }: { slot: Slot }) {
  const directory = useDirectory()
  const { value, busy, choose } = useElement(slot)
  const { element, input } = slot
  const shown = asText(value)
  const mayEmpty = input !== undefined && !input.required
  return (
    <select
      {...controlAttributes(slot)}
      className={shown === '' ? 'field select empty' : 'field select'}
      value={shown}
      aria-busy={busy}
      data-autofocus={element.focus_on_load}
      onChange={(event) => void choose(event.currentTarget.value || null)}
    >
      <option value="" disabled={!mayEmpty} hidden={!mayEmpty}>
        {element.placeholder?.text ?? 'Choose an option'}
      </option>
      <Each of={offered(element, directory)}>
        {({ label, picks }) =>
          label === null ? (
            <Options picks={picks} />
          ) : (
            <optgroup label={label}>
              <Options picks={picks} />
            </optgroup>
          )
        }
      </Each>
    </select>
  )
}
