import { useMemo, useRef } from 'react'
import { typedToRichText } from '../../rules/values/typed-rich-text.ts'
import type { RichText } from '../block-kit.ts'
import { RichTextView } from '../blocks/rich-text.tsx'
import { Button } from '../button.tsx'
import { controlAttributes, type Slot } from './slot.ts'
import { useTextField } from './text-input.tsx'

const STYLE_BUTTONS = [
  { name: 'Bold', marker: '*' },
  { name: 'Italic', marker: '_' },
  { name: 'Strikethrough', marker: '~' },
  { name: 'Code', marker: '`' },
] as const

/** Renders `rich_text_input`: a text field for Slack's markup, buttons that add markup around the selection, and a preview. */
export function RichTextInputElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { text, setText } = useTextField(slot)
  const field = useRef<HTMLTextAreaElement>(null)
  // Safe cast: `typedToRichText` returns a rich text block.
  const rich = useMemo(() => typedToRichText(text) as unknown as RichText, [text])
  const wrap = (marker: string) => {
    const box = field.current
    if (!box) return
    const { selectionStart: from, selectionEnd: to } = box
    setText(text.slice(0, from) + marker + text.slice(from, to) + marker + text.slice(to))
    requestAnimationFrame(() => {
      box.focus()
      box.setSelectionRange(from + 1, to + 1)
    })
  }
  return (
    <div className="field-box rich-input">
      <div className="rich-tools" role="toolbar" aria-label={`Format ${slot.name}`}>
        {STYLE_BUTTONS.map(({ name, marker }) => (
          <Button key={name} aria-label={name} onClick={() => wrap(marker)}>
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
        value={text}
        data-autofocus={element.focus_on_load}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {text !== '' && (
        <section className="rich-preview" aria-label={`${slot.name}, preview`}>
          <RichTextView block={rich} />
        </section>
      )}
    </div>
  )
}
