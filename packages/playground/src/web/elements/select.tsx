import { useContext, useState } from 'react'
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  Group,
  Header,
  Input,
  type Key,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
  Text,
} from 'react-aria-components'
import { Chip } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { Icon } from '../icon.tsx'
import { asList, asText } from '../values.ts'
import { offered, type Pick, type PickGroup, pick } from './select-options.ts'
import { ariaAttributes, type Slot, useElement } from './slot.ts'
import { useSearch } from './use-search.ts'

function Option({ pick: { value, label, detail } }: { pick: Pick }) {
  return (
    <ListBoxItem id={value} textValue={label} className="option">
      <Text slot="label">{label}</Text>
      {detail !== undefined && (
        <Text slot="description" className="menu-detail">
          {detail}
        </Text>
      )}
    </ListBoxItem>
  )
}

function Options({
  name,
  groups,
  status,
}: {
  name: string
  groups: readonly PickGroup[]
  status: string | undefined
}) {
  return (
    <Popover className="listbox-box" placement="bottom start" offset={4}>
      {status !== undefined && (
        <p className="listbox-status soft" role="status">
          {status}
        </p>
      )}
      <ListBox aria-label={name} className="listbox">
        {groups.map(({ label, picks }) =>
          label === null ? (
            picks.map((one) => <Option key={one.value} pick={one} />)
          ) : (
            <ListBoxSection key={label} id={`group ${label}`}>
              <Header className="listbox-group soft">{label}</Header>
              {picks.map((one) => (
                <Option key={one.value} pick={one} />
              ))}
            </ListBoxSection>
          ),
        )}
      </ListBox>
    </Popover>
  )
}

/** Opens on click. Typing replaces the selected value. */
function Field({
  slot,
  placeholder,
  onType,
  onBack,
}: {
  slot: Slot
  placeholder: string
  onType: (typed: string) => void
  onBack: () => void
}) {
  const state = useContext(ComboBoxStateContext)
  return (
    <Input
      className="combobox-input"
      placeholder={placeholder}
      data-autofocus={slot.element.focus_on_load}
      onFocus={(event) => event.currentTarget.select()}
      onClick={() => state?.open(null, 'manual')}
      onInput={(event) => onType(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Backspace' && event.currentTarget.value === '') onBack()
      }}
    />
  )
}

/** The labels of the selected options, including options from an earlier search. */
function useChosen(slot: Slot) {
  const directory = useDirectory()
  const held = useElement(slot)
  const [learned, setLearned] = useState<Record<string, Pick>>({})
  const { element, input } = slot
  const multiple = element.type.startsWith('multi_')
  const single = asText(held.value)
  const values = multiple ? asList(held.value) : [single].filter((value) => value !== '')
  const known = offered(element, directory)
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat().map(pick)
  const all = [...known.flatMap(({ picks }) => picks), ...initial]
  const most = multiple ? (element.max_selected_items ?? Number.POSITIVE_INFINITY) : 1
  const mayEmpty = multiple || (input !== undefined && !input.required)
  return {
    /** The options shown before you type. */
    known,
    chosen: values.map(
      (value) => learned[value] ?? all.find((one) => one.value === value) ?? { value, label: value },
    ),
    multiple,
    /** The maximum number of options is selected. */
    isFull: multiple && values.length >= most,
    busy: held.busy,
    put: (picks: readonly Pick[]) => {
      const next = picks.map(({ value }) => value)
      const isSame = next.length === values.length && next.every((value) => values.includes(value))
      if (isSame || next.length > most || (next.length === 0 && !mayEmpty)) return
      setLearned((before) => ({ ...before, ...Object.fromEntries(picks.map((one) => [one.value, one])) }))
      void held.choose(multiple ? (next.length > 0 ? next : null) : (next[0] ?? null))
    },
  }
}

/** All select menus: one or several options from the app or the workspace, with search. */
export function SelectElement({ slot }: { slot: Slot }) {
  const { blockId, element, name } = slot
  const { known, chosen, multiple, isFull, busy, put } = useChosen(slot)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { groups, status } = useSearch(blockId, element, known, typed, isOpen)
  const picks = [...chosen, ...groups.flatMap((group) => group.picks)]
  const take = (keys: readonly Key[]) => {
    setTyped('')
    put(keys.flatMap((key) => picks.find(({ value }) => value === key) ?? []))
  }
  const values = chosen.map(({ value }) => value)
  const remove = (value: string | undefined) => put(chosen.filter((one) => one.value !== value))
  const shown = {
    ...ariaAttributes(slot),
    'aria-busy': busy,
    className: 'combobox',
    allowsEmptyCollection: true,
    // Filter groups by the typed text, not by the selected option's label.
    defaultFilter: () => true,
    menuTrigger: 'input' as const,
    validationBehavior: 'aria' as const,
    onOpenChange: (open: boolean) => {
      setOpen(open)
      if (!open) setTyped('')
    },
  }
  const inside = (
    <>
      <Group className="field combobox-field">
        {multiple &&
          chosen.map(({ value, label }) => (
            <Chip key={value} name={label} onRemove={() => remove(value)}>
              {label}
            </Chip>
          ))}
        <Field
          slot={slot}
          placeholder={values.length === 0 ? (element.placeholder?.text ?? 'Choose an option') : ''}
          onType={setTyped}
          onBack={() => multiple && remove(values.at(-1))}
        />
        <Button className="combobox-button" aria-label="Show options">
          <Icon name="down2" />
        </Button>
      </Group>
      <Options
        name={name}
        groups={groups}
        status={status ?? (isFull ? `At most ${element.max_selected_items}.` : undefined)}
      />
    </>
  )
  return multiple ? (
    <ComboBox {...shown} selectionMode="multiple" value={values} onChange={take}>
      {inside}
    </ComboBox>
  ) : (
    <ComboBox
      key={values[0] ?? ''}
      {...shown}
      value={values[0] ?? null}
      defaultInputValue={chosen[0]?.label ?? ''}
      onChange={(key) => take(key === null ? [] : [key])}
    >
      {inside}
    </ComboBox>
  )
}
