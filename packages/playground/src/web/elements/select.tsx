import { useEffect, useState } from 'react'
import { offeredConversations } from '../../rules/values/menu-choices.ts'
import type { Option } from '../block-kit.ts'
import { Button, Chip } from '../button.tsx'
import { useMenuDirectory } from '../directory.ts'
import { useSurface } from '../surface.ts'
import { asList, asText } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

/** One option of any kind of select. */
interface Choice {
  value: string
  label: string
}

const toChoice = ({ value, text }: Option): Choice => ({ value, label: text.text })

/** Renders `static_select` and `conversations_select`. */
export function SelectElement({ slot }: { slot: Slot }) {
  const { element, input } = slot
  const directory = useMenuDirectory()
  const { value, busy, choose } = useElement(slot)
  const choices =
    element.type === 'static_select'
      ? (element.options ?? []).map(toChoice)
      : offeredConversations(directory, element.filter).map(({ id, name }) => ({
          value: id,
          label: `#${name}`,
        }))
  return (
    <select
      {...controlAttributes(slot)}
      className="field"
      aria-busy={busy}
      value={asText(value)}
      onChange={(event) => void choose(event.currentTarget.value || null)}
    >
      <option value="" disabled={input?.required ?? true}>
        {element.placeholder?.text ?? 'Choose an option'}
      </option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

const SEARCH_DELAY_MS = 250
const DEFAULT_MIN_QUERY_LENGTH = 3

/** Asks the app for options after a pause in typing. Returns the options, or what to say instead of them. */
function useSearch({ blockId, element }: Slot, typed: string): Choice[] | string {
  const { searchOptions } = useSurface()
  const [result, setResult] = useState<{ query: string; found: Choice[] | string }>()
  const query = typed.trim()
  const isLongEnough = query.length >= (element.min_query_length ?? DEFAULT_MIN_QUERY_LENGTH)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `searchOptions` is recreated on every render but does the same
  useEffect(() => {
    if (query === '' || !isLongEnough) return
    let isCurrent = true
    const timer = setTimeout(async () => {
      const answer = await searchOptions(blockId, element.action_id, query)
      if (!isCurrent) return
      // Safe cast: the server validates the options.
      const found = answer.ok ? (answer.options as unknown as Option[]).map(toChoice) : answer.message
      setResult({ query, found: found.length > 0 ? found : 'No matches.' })
    }, SEARCH_DELAY_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query, isLongEnough, blockId, element.action_id])
  if (query === '') return []
  if (!isLongEnough) return 'Type more characters to search.'
  return result?.query === query ? result.found : 'Searching…'
}

/** Renders `multi_external_select`: a field to search in, with the found options below it and the chosen ones above. */
export function SearchElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { value, choose } = useElement(slot)
  const [typed, setTyped] = useState('')
  const [chosenBefore, setChosenBefore] = useState<readonly Choice[]>([])
  const found = useSearch(slot, typed)
  const values = asList(value)
  const known = [...chosenBefore, ...(element.initial_options ?? []).map(toChoice)]
  const isFull = values.length >= (element.max_selected_items ?? Number.POSITIVE_INFINITY)
  const update = (next: string[]) => void choose(next.length > 0 ? next : null)
  const add = (choice: Choice) => {
    setChosenBefore([...chosenBefore, choice])
    setTyped('')
    update([...values, choice.value])
  }
  return (
    <div className="search">
      {values.map((chosen) => {
        const label = known.find((choice) => choice.value === chosen)?.label ?? chosen
        return (
          <Chip key={chosen} name={label} onRemove={() => update(values.filter((other) => other !== chosen))}>
            {label}
          </Chip>
        )
      })}
      <input
        {...controlAttributes(slot)}
        type="search"
        className="field"
        placeholder={element.placeholder?.text ?? 'Search'}
        value={typed}
        disabled={isFull}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {typeof found === 'string' ? (
        <span className="soft" role="status">
          {found}
        </span>
      ) : (
        found
          .filter((choice) => !values.includes(choice.value))
          .map((choice) => (
            <Button key={choice.value} onClick={() => add(choice)}>
              {choice.label}
            </Button>
          ))
      )}
    </div>
  )
}
