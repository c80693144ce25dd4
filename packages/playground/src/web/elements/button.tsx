import { Icon } from '../icon.tsx'
import { useActions } from '../page.ts'
import { SAFE_URL } from '../text/nodes.ts'
import { Plain } from '../text/text-view.tsx'
import { type Slot, useElement } from './slot.ts'

/** A button; one with an address opens it and tells the app too. */
export function ButtonElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { busy, press } = useElement(slot)
  const label = <Plain text={element.text?.text ?? ''} emoji={element.text?.emoji} />
  const className = `button ${element.style ?? ''}`
  if (element.url !== undefined && SAFE_URL.test(element.url)) {
    return (
      <a
        className={`${className} link-button`}
        href={element.url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={element.accessibility_label}
        onClick={() => void press()}
      >
        {label}
        <Icon name="outside" />
      </a>
    )
  }
  return (
    <button
      type="button"
      className={className}
      aria-label={element.accessibility_label}
      aria-busy={busy}
      onClick={() => !busy && void press()}
    >
      {label}
    </button>
  )
}

/** A button that starts a workflow of Slack's: the app hears nothing, and here is no workflow to start. */
export function WorkflowElement({ slot: { element } }: { slot: Slot }) {
  const { dispatch } = useActions()
  const url = element.workflow?.trigger?.url ?? 'its trigger'
  return (
    <button
      type="button"
      className={`button ${element.style ?? ''}`}
      aria-label={element.accessibility_label}
      onClick={() =>
        dispatch({ type: 'notice', text: `Slack would start a workflow here: ${url}`, cause: null })
      }
    >
      <Plain text={element.text?.text ?? ''} emoji={element.text?.emoji} />
    </button>
  )
}

/** The thumbs under an answer. */
export function FeedbackElement({ slot }: { slot: Slot }) {
  const { positive_button: up, negative_button: down } = slot.element
  const { busy, press } = useElement(slot)
  return (
    <fieldset className="feedback" aria-label="Feedback">
      {[up, down].map(
        (button, index) =>
          button && (
            <button
              key={button.value}
              type="button"
              className="button small"
              aria-label={button.accessibility_label}
              aria-busy={busy}
              onClick={() => !busy && void press(button.value)}
            >
              <Icon name={index === 0 ? 'up' : 'down'} />
              <Plain text={button.text.text} />
            </button>
          ),
      )}
    </fieldset>
  )
}

export function IconElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { busy, press } = useElement(slot)
  const label = element.accessibility_label ?? element.text?.text ?? 'Action'
  return (
    <button
      type="button"
      className="button small"
      aria-label={label}
      title={element.text?.text}
      aria-busy={busy}
      onClick={() => !busy && void press()}
    >
      <Icon name={element.icon === 'trash' ? 'trash' : 'dot'} /> {element.text?.text}
    </button>
  )
}
