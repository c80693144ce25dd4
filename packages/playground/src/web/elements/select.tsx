import { useContext, useState } from 'react'
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  Group,
  Input,
  type Key,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components'
import { Chip } from '../button.tsx'
import { useMenuDirectory } from '../directory.ts'
import { Icon } from '../icon.tsx'
import { asList, asText } from '../values.ts'
import { type Choice, initialChoices, toChoice } from './select-options.ts'
import { ariaAttributes, type Slot, useElement } from './slot.ts'
import { useSearch } from './use-search.ts'

function Option({ choice: { value, label } }: { choice: Choice }) {
  return (
    <ListBoxItem id={value} textValue={label} className="option">
      <Text slot="label">{label}</Text>
    </ListBoxItem>
  )
}

function Options({
  name,
  choices,
  status,
}: {
  name: string
  choices: readonly Choice[]
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
        {choices.map((choice) => (
          <Option key={choice.value} choice={choice} />
        ))}
      </ListBox>
    </Popover>
  )
}

/** The text field of a select. A click opens the list; typing replaces the selected value. */
function Field({
  placeholder,
  onType,
  onBackspace,
}: {
  placeholder: string
  onType: (typed: string) => void
  onBackspace: () => void
}) {
  const state = useContext(ComboBoxStateContext)
  return (
    <Input
      className="combobox-input"
      placeholder={placeholder}
      onFocus={(event) => event.currentTarget.select()}
      onClick={() => state?.open(null, 'manual')}
      onInput={(event) => onType(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Backspace' && event.currentTarget.value === '') onBackspace()
      }}
    />
  )
}

/** The selected options of a select with their labels, and a function to change them. Remembers the labels from earlier searches. */
function useSelection(slot: Slot) {
  const directory = useMenuDirectory()
  const elementState = useElement(slot)
  const [searchedChoices, setSearchedChoices] = useState<Record<string, Choice>>({})
  const { element, input } = slot
  const multiple = element.type.startsWith('multi_')
  const single = asText(elementState.value)
  const values = multiple ? asList(elementState.value) : [single].filter((value) => value !== '')
  const offered = initialChoices(element, directory)
  const allChoices = [...offered, ...(element.initial_options ?? []).map(toChoice)]
  const max = multiple ? (element.max_selected_items ?? Number.POSITIVE_INFINITY) : 1
  const canBeEmpty = multiple || (input !== undefined && !input.required)
  return {
    /** The options before anything is typed. */
    offered,
    chosen: values.map(
      (value) =>
        searchedChoices[value] ??
        allChoices.find((choice) => choice.value === value) ?? { value, label: value },
    ),
    multiple,
    /** Whether the maximum number of options is selected. */
    isFull: multiple && values.length >= max,
    busy: elementState.busy,
    select: (nextChoices: readonly Choice[]) => {
      const nextValues = nextChoices.map(({ value }) => value)
      const isSame =
        nextValues.length === values.length && nextValues.every((value) => values.includes(value))
      if (isSame || nextValues.length > max || (nextValues.length === 0 && !canBeEmpty)) return
      setSearchedChoices((before) => ({
        ...before,
        ...Object.fromEntries(nextChoices.map((choice) => [choice.value, choice])),
      }))
      const isEmpty = nextValues.length === 0
      void elementState.choose(multiple && !isEmpty ? nextValues : (nextValues[0] ?? null))
    },
  }
}

/** Renders all select menus and multi-select menus, with search. */
export function SelectElement({ slot }: { slot: Slot }) {
  const { blockId, element, name } = slot
  const { offered, chosen, multiple, isFull, busy, select } = useSelection(slot)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { choices, status } = useSearch(blockId, element, offered, typed, isOpen)
  const selectableChoices = [...chosen, ...choices]
  const onChange = (keys: readonly Key[]) => {
    setTyped('')
    select(keys.flatMap((key) => selectableChoices.find(({ value }) => value === key) ?? []))
  }
  const values = chosen.map(({ value }) => value)
  const remove = (value: string | undefined) => select(chosen.filter((choice) => choice.value !== value))
  const sharedProps = {
    ...ariaAttributes(slot),
    'aria-busy': busy,
    className: 'combobox',
    allowsEmptyCollection: true,
    // Disables the library's filter, which would also filter by the selected option's label.
    defaultFilter: () => true,
    menuTrigger: 'input' as const,
    validationBehavior: 'aria' as const,
    onOpenChange: (open: boolean) => {
      setOpen(open)
      if (!open) setTyped('')
    },
  }
  const content = (
    <>
      <Group className="field combobox-field">
        {multiple &&
          chosen.map(({ value, label }) => (
            <Chip key={value} name={label} onRemove={() => remove(value)}>
              {label}
            </Chip>
          ))}
        <Field
          placeholder={values.length === 0 ? (element.placeholder?.text ?? 'Choose an option') : ''}
          onType={setTyped}
          onBackspace={() => multiple && remove(values.at(-1))}
        />
        <Button className="combobox-button" aria-label="Show options">
          <Icon name="chevron-down" />
        </Button>
      </Group>
      <Options
        name={name}
        choices={choices}
        status={status ?? (isFull ? `You can select up to ${element.max_selected_items}.` : undefined)}
      />
    </>
  )
  return multiple ? (
    // Without inputValue, the library would clear the field on each render, because `values` is a new array each time.
    <ComboBox {...sharedProps} selectionMode="multiple" value={values} onChange={onChange} inputValue={typed}>
      {content}
    </ComboBox>
  ) : (
    <ComboBox
      key={values[0] ?? ''}
      {...sharedProps}
      value={values[0] ?? null}
      defaultInputValue={chosen[0]?.label ?? ''}
      onChange={(key) => onChange(key === null ? [] : [key])}
    >
      {content}
    </ComboBox>
  )
}
