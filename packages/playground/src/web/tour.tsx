import { Each } from './each.ts'
import { Icon } from './icon.tsx'
import { usePage } from './page.ts'

/** What there is to try, in a few steps; whatever is to be typed is put into the field for one. */
export function TourCard({ channel, onClose }: { channel: string; onClose: () => void }) {
  const { state, dispatch } = usePage()
  const { tour } = state.snapshot
  if (!tour) return null
  return (
    <section className="tour" aria-labelledby="tour-title">
      <header>
        <h3 id="tour-title">{tour.title}</h3>
        <button type="button" className="button icon" aria-label="Close the tour" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <ol>
        <Each of={tour.steps}>
          {({ text, type }) => (
            <li>
              <span>{text}</span>
              {type !== undefined && (
                <button
                  type="button"
                  className="button small"
                  aria-label={`Type ${type}`}
                  onClick={() => dispatch({ type: 'draft', draft: { channel, text: type } })}
                >
                  <code>{type}</code>
                </button>
              )}
            </li>
          )}
        </Each>
      </ol>
    </section>
  )
}
