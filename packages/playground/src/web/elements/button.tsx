import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { useActions } from '../page.ts'
import { SAFE_URL } from '../text/nodes.ts'
import { Plain } from '../text/text-view.tsx'
import { type Slot, useElement } from './slot.ts'

/** A button that sends an action. Ignores further clicks until the app has acknowledged it. Only feedback buttons have a `value`. */
function ActionButton({
  slot,
  value,
  className = 'button small',
  ...rest
}: {
  slot: Slot
  value?: string
  className?: string
  title?: string | undefined
  'aria-label'?: string | undefined
  children: ReactNode
}) {
  const { busy, press } = useElement(slot)
  return (
    <Button className={className} aria-busy={busy} onClick={() => !busy && void press(value)} {...rest} />
  )
}

/** Renders `button`. If it has a URL, a click sends the action and opens the URL. */
export function ButtonElement({ slot }: { slot: Slot }) {
  const { text, url, style = '', accessibility_label: name } = slot.element
  const { press } = useElement(slot)
  if (url === undefined || !SAFE_URL.test(url))
    return (
      <ActionButton slot={slot} className={`button ${style}`} aria-label={name}>
        <Plain text={text ?? ''} />
      </ActionButton>
    )
  return (
    <a
      className={`button ${style}`}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={name}
      onClick={() => void press()}
    >
      <Plain text={text ?? ''} />
      <Icon name="external" />
    </a>
  )
}

/** Renders `workflow_button`. It only shows a notice, because the playground has no workflows. */
export function WorkflowElement({ slot: { element } }: { slot: Slot }) {
  const { dispatch } = useActions()
  const text = `Slack would start a workflow here: ${element.workflow?.trigger?.url ?? 'its trigger'}`
  return (
    <Button
      className={`button ${element.style ?? ''}`}
      aria-label={element.accessibility_label}
      onClick={() => dispatch({ type: 'notice', text, cause: null })}
    >
      <Plain text={element.text ?? ''} />
    </Button>
  )
}

/** Renders `feedback_buttons`: thumbs up and down. */
export function FeedbackElement({ slot }: { slot: Slot }) {
  const { positive_button: up, negative_button: down } = slot.element
  return (
    <fieldset className="feedback" aria-label="Feedback">
      {([up, down] as const).map(
        (thumb, index) =>
          thumb && (
            <ActionButton
              key={thumb.value}
              slot={slot}
              value={thumb.value}
              aria-label={thumb.accessibility_label}
            >
              <Icon name={index === 0 ? 'thumbs-up' : 'thumbs-down'} />
              <Plain text={thumb.text} />
            </ActionButton>
          ),
      )}
    </fieldset>
  )
}

export function IconElement({ slot }: { slot: Slot }) {
  const { icon, text, accessibility_label: name } = slot.element
  return (
    <ActionButton slot={slot} aria-label={name ?? text?.text ?? 'Action'} title={text?.text}>
      <Icon name={icon === 'trash' ? 'trash' : 'dot'} /> {text?.text}
    </ActionButton>
  )
}
