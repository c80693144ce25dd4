import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react'
import { useDirectory } from '../directory.ts'
import { Each } from '../each.ts'
import { asList, asText } from '../values.ts'
import { offered, type Pick, pick } from './select-options.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'
import { useLeave } from './use-leave.ts'
import { useSearch } from './use-search.ts'

function Chips({ picks, onRemove }: { picks: readonly Pick[]; onRemove: (value: string) => void }) {
  return picks.map(({ value, label }) => (
    <span key={value} className="chip">
      {label}
      <button type="button" aria-label={`Remove ${label}`} onClick={() => onRemove(value)}>
        ×
      </button>
    </span>
  ))
}

function useChosen(slot: Slot) {
  const directory = useDirectory()
  const held = useElement(slot)
  const [learned, setLearned] = useState<Record<string, Pick>>({})
  const { element } = slot
  const multiple = element.type.startsWith('multi_')
  const single = asText(held.value)
  const values = multiple ? asList(held.value) : [single].filter((value) => value !== '')
  const known = offered(element, directory)
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat().map(pick)
  const all = [...known.flatMap(({ picks }) => picks), ...initial]
  const chosen = values.map(
    (value) => learned[value] ?? all.find((one) => one.value === value) ?? { value, label: value },
  )
  const put = (next: string[]) => {
    if (multiple) return void held.choose(next.length > 0 ? next : null)
    void held.choose(next.at(-1) ?? null)
  }
  return {
    known,
    chosen,
    multiple,
    remove: (value: string) => put(values.filter((one) => one !== value)),
    toggle: (one: Pick) => {
      setLearned((before) => ({ ...before, [one.value]: one }))
      put(
        values.includes(one.value) && multiple
          ? values.filter((value) => value !== one.value)
          : [...values, one.value],
      )
    },
    full: multiple && values.length >= (element.max_selected_items ?? Number.POSITIVE_INFINITY),
  }
}

/** A select that is searched by typing: every multi select, and external ones, whose options the app sends. */
export function ComboboxElement({ slot }: { slot: Slot }) {
  const { blockId, element } = slot
  const { known, chosen, multiple, full, toggle, remove } = useChosen(slot)
  const [query, setQuery] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const { groups, status } = useSearch(blockId, element, known, query, open)
  const picks = groups.flatMap((group) => group.picks)
  const isChosen = (one: Pick) => chosen.some(({ value }) => value === one.value)
  const take = (one: Pick | undefined) => {
    if (!one || (full && !isChosen(one))) return
    toggle(one)
    setQuery('')
    setOpen(multiple)
  }
  const onOpenKey = (key: string): boolean => {
    if (key === 'ArrowDown') setAt(Math.min(at + 1, picks.length - 1))
    else if (key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (key === 'Enter') take(picks[at])
    else if (key === 'Escape') setOpen(false)
    else return false
    return true
  }
  const onKey = (event: KeyboardEvent) => {
    const last = chosen.at(-1)
    if (event.key === 'Backspace' && query === '' && last) return remove(last.value)
    const opens = !open && event.key === 'ArrowDown'
    if (opens) setOpen(true)
    else if (!open || !onOpenKey(event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  useLeave(
    root,
    open,
    useCallback(() => setOpen(false), []),
  )
  return (
    <div ref={root} className="combobox">
      <div className="field combobox-field">
        <Chips picks={chosen} onRemove={remove} />
        <input
          {...controlAttributes(slot)}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-activedescendant={open && picks[at] ? `${id}-${at}` : undefined}
          autoComplete="off"
          placeholder={chosen.length === 0 ? (element.placeholder?.text ?? 'Choose') : ''}
          data-autofocus={element.focus_on_load}
          value={query}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onKeyDown={onKey}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            setAt(0)
            setOpen(true)
          }}
        />
      </div>
      {open && (
        <div className="listbox-box">
          {(status ?? (full ? `At most ${element.max_selected_items}.` : undefined)) && (
            <p className="listbox-status" role="status">
              {status ?? `At most ${element.max_selected_items}.`}
            </p>
          )}
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={slot.name}
            aria-multiselectable={multiple}
            tabIndex={-1}
          >
            <Each of={groups}>
              {(group) => (
                <>
                  {group.label !== null && <div className="listbox-group">{group.label}</div>}
                  {group.picks.map((one) => {
                    const index = picks.indexOf(one)
                    return (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the field that keeps the focus
                      <div
                        key={one.value}
                        id={`${id}-${index}`}
                        role="option"
                        tabIndex={-1}
                        aria-selected={isChosen(one)}
                        className={index === at ? 'option active' : 'option'}
                        onMouseDown={(event) => event.preventDefault()}
                        onClick={() => take(one)}
                      >
                        {one.label}
                        {one.detail !== undefined && <span className="menu-detail">{one.detail}</span>}
                      </div>
                    )
                  })}
                </>
              )}
            </Each>
          </div>
        </div>
      )}
    </div>
  )
}
