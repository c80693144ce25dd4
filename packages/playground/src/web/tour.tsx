import type { Tour } from '../protocol.ts'
import { Icon } from './icon.tsx'
import { usePage } from './page.ts'
import { NARROW } from './use-media.ts'

type Step = Tour['steps'][number]

/** By what a step is known to be done: the line that was sent, the thing that was done, or the box that was ticked. */
const keyOf = ({ text, type, until }: Step): string => type ?? until ?? text

function StepView({ step, isDone, channel }: { step: Step; isDone: boolean; channel: string | undefined }) {
  const { dispatch } = usePage()
  const { text, type } = step
  const write = () => {
    if (type === undefined || channel === undefined) return
    dispatch({ type: 'draft', draft: { channel, text: type } })
    if (matchMedia(NARROW).matches) dispatch({ type: 'panel', panel: null })
  }
  return (
    <li className={isDone ? 'done' : undefined}>
      <label>
        <input
          type="checkbox"
          checked={isDone}
          onChange={(event) =>
            dispatch({ type: 'tried', what: keyOf(step), isTried: event.currentTarget.checked })
          }
        />
        <span>{text}</span>
      </label>
      {type !== undefined && (
        <button type="button" className="button small" aria-label={`Type ${type}`} onClick={write}>
          <code>{type}</code>
        </button>
      )}
    </li>
  )
}

/** What there is to try, step by step; whatever is to be typed is put into the field for one. */
export function TourPanel() {
  const { state, dispatch } = usePage()
  const { snapshot, spot, tried } = state
  const { tour } = snapshot
  if (!tour) return null
  const isDone = (step: Step) => tried.includes(keyOf(step))
  const channel = spot.kind === 'channel' ? spot.id : snapshot.channels[0]?.id
  return (
    <aside className="panel tour" aria-labelledby="tour-title">
      <header className="bar">
        <h2 id="tour-title">{tour.title}</h2>
        <button
          type="button"
          className="button icon"
          aria-label="Close the tour"
          onClick={() => dispatch({ type: 'panel', panel: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      <p className="tour-progress" role="status">
        {tour.steps.filter(isDone).length} of {tour.steps.length} done
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol tabIndex={0}>
        {tour.steps.map((step) => (
          <StepView key={step.text} step={step} isDone={isDone(step)} channel={channel} />
        ))}
      </ol>
    </aside>
  )
}
