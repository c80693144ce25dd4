import type { Completion, Suggestion } from './completion.ts'

/** A list of suggestions to choose by keyboard or mouse. The text field keeps the focus. */
export function Suggestions({
  id,
  completion,
  activeIndex,
  onPick,
}: {
  id: string
  completion: Completion
  activeIndex: number
  onPick: (suggestion: Suggestion) => void
}) {
  return (
    <div id={id} className="suggestions" role="listbox" aria-label="Suggestions">
      {completion.suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
        <div
          key={suggestion.key}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex}
          className={index === activeIndex ? 'option active' : 'option'}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(suggestion)}
        >
          <span className="suggestion-label">{suggestion.label}</span>{' '}
          {suggestion.hint && <span className="suggestion-hint">{suggestion.hint}</span>}{' '}
          <span className="menu-detail">{suggestion.detail}</span>
        </div>
      ))}
      <p className="suggestions-keys soft" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> to navigate · <kbd>Tab</kbd> or <kbd>Enter</kbd> to select · <kbd>Esc</kbd>{' '}
        to close
      </p>
    </div>
  )
}
