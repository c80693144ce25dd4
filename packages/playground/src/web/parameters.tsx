import { type FormEvent, useId, useState } from 'react'
import type { Fields, Json } from '../protocol/json.ts'
import type { StepField } from '../protocol/protocol.ts'
import { useDirectory } from './directory.ts'
import { reachablePeople, shownName } from './people.ts'

/** Slack fills in inputs of this type with the person who runs the step. */
const USER_CONTEXT = 'slack#/types/user_context'
const NUMBER_TYPES = ['integer', 'number']
const JSON_TYPES = ['object', 'array']

/**
 * Converts the entered text to the parameter's type. A checkbox is true or false. For other types, returns undefined if nothing was
 * entered. Throws SyntaxError if it must be JSON and isn't.
 */
function toParameterValue({ type }: Pick<StepField, 'type'>, entered: string | undefined): Json | undefined {
  if (type === 'boolean') return entered !== undefined
  if (entered === undefined || entered.trim() === '') return undefined
  if (NUMBER_TYPES.includes(type)) return Number(entered)
  return JSON_TYPES.includes(type) ? (JSON.parse(entered) as Json) : entered
}

/** The options of a parameter: a fixed list, or the people or channels of the workspace. Undefined if any value is allowed. */
function useChoices({ type, choices }: StepField): [value: string, label: string][] | undefined {
  const directory = useDirectory()
  if (choices) return choices.map((choice) => [choice, choice])
  if (type === 'slack#/types/user_id')
    return reachablePeople(directory).map((person) => [person.id, shownName(person)])
  if (type !== 'slack#/types/channel_id') return undefined
  return directory.channels.filter(({ kind }) => kind === 'channel').map(({ id, name }) => [id, `#${name}`])
}

function Input({ field, id }: { field: StepField; id: string }) {
  const { name, type, is_required: isRequired, description } = field
  const choices = useChoices(field)
  const attributes = {
    id,
    name,
    className: 'field',
    required: isRequired,
    'aria-describedby': `${id}-description`,
  }
  if (choices)
    return (
      <select {...attributes} defaultValue="">
        <option value="">Choose…</option>
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (type === 'boolean') return <input {...attributes} className="" type="checkbox" required={false} />
  if (JSON_TYPES.includes(type)) return <textarea {...attributes} rows={3} placeholder="JSON" />
  const inputType = NUMBER_TYPES.includes(type) ? 'number' : 'text'
  return (
    <input
      {...attributes}
      type={inputType}
      step={type === 'number' ? 'any' : undefined}
      title={description}
    />
  )
}

/** A form for the inputs of a workflow step or a tool. */
export function ParameterForm({
  fields,
  label,
  run,
}: {
  fields: readonly StepField[]
  label: string
  run: (values: Fields) => Promise<void>
}) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const visibleFields = fields.filter(({ type }) => type !== USER_CONTEXT)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const readValue = (field: StepField) => toParameterValue(field, form.get(field.name)?.toString())
    const values: Fields = {}
    for (const field of visibleFields) {
      try {
        const value = readValue(field)
        if (value !== undefined) values[field.name] = value
      } catch {
        return setError(`${field.title} must be valid JSON.`)
      }
    }
    setError('')
    setBusy(true)
    await run(values)
    setBusy(false)
  }
  return (
    <form className="parameters" onSubmit={(event) => void submit(event)}>
      {visibleFields.map((field) => (
        <div key={field.name}>
          <label htmlFor={`${id}-${field.name}`}>
            {field.title}
            {!field.is_required && <span className="soft"> (optional)</span>}
          </label>
          <Input field={field} id={`${id}-${field.name}`} />
          <p className="soft" id={`${id}-${field.name}-description`}>
            {field.description}
          </p>
        </div>
      ))}
      {error !== '' && <p role="alert">{error}</p>}
      <button type="submit" className="button primary small" disabled={busy}>
        {label}
      </button>
    </form>
  )
}
