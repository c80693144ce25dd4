import { useMemo, useRef } from 'react'
import { typedToRichText } from '../../rich-typed.ts'
import { RichTextView } from '../blocks/rich-text.tsx'
import { Button } from '../button.tsx'
import type { RichText } from '../wire.ts'
import { controlAttributes, type Slot } from './slot.ts'
import { useTyped } from './text-input.tsx'

const TOOLS = [
  { name: 'Bold', sign: '*' },
  { name: 'Italic', sign: '_' },
  { name: 'Strikethrough', sign: '~' },
  { name: 'Code', sign: '`' },
] as const

/** rich_text_input: typed with Slack's markup, or with buttons that add it around the selection, and a preview. */
export function RichTextInputElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { shown, take } = useTyped(slot)
  const field = useRef<HTMLTextAreaElement>(null)
  // What `richOf` returns has Block Kit's shape.
  const rich = useMemo(() => typedToRichText(shown) as unknown as RichText, [shown])
  const wrap = (sign: string) => {
    const box = field.current
    if (!box) return
    const { selectionStart: from, selectionEnd: to } = box
    take(shown.slice(0, from) + sign + shown.slice(from, to) + sign + shown.slice(to))
    requestAnimationFrame(() => {
      box.focus()
      box.setSelectionRange(from + 1, to + 1)
    })
  }
  return (
    <div className="field-box rich-input">
      <div className="rich-tools" role="toolbar" aria-label={`Format ${slot.name}`}>
        {TOOLS.map(({ name, sign }) => (
          <Button key={name} aria-label={name} onClick={() => wrap(sign)}>
            <span aria-hidden="true" className={`tool-${name.toLowerCase()}`}>
              {name[0]}
            </span>
          </Button>
        ))}
      </div>
      <textarea
        {...controlAttributes(slot)}
        ref={field}
        className="field"
        rows={4}
        placeholder={element.placeholder?.text}
        value={shown}
        data-autofocus={element.focus_on_load}
        onChange={(event) => take(event.currentTarget.value)}
      />
      {shown !== '' && (
        <section className="rich-preview" aria-label={`${slot.name}, as it will look`}>
          <RichTextView block={rich} />
        </section>
      )}
    </div>
  )
}
